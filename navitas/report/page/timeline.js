"use strict";
// Power over time: stacked by component or by thread, for the run of the selected test, with what it says in words.
const timeline = (() => {
  const COLORS = 8;
  const NO_THREAD = /^\(.*\)$/; // such as (base)
  const LEAST_MW = 0.05; // that the text at a time names
  const MOST_NAMES = 4;

  const colorOf = (name, number) => (name === "(other)" ? "rest" : NO_THREAD.test(name) ? "none" : number % COLORS);

  const start = (place, data) => {
    place.replaceChildren();
    const runs = data.timeline;
    if (!runs.length) {
      place.append(dom.element("p", { class: "plain" }, "This recording has no power over time."));
      return () => {};
    }
    const { tests } = data;
    const curvesOf = new Map(); // by run and kind
    const view = { by: data.components.length > 1 ? "components" : "threads", isZoomed: false, width: 548, at: null };

    const shownRun = () => pageData.shownRun(data, view.state);
    view.run = () => ({ number: shownRun().run, ...pageData.timesOf(shownRun()) });
    // The curves of a run, the largest first. What belongs to no thread lies at the bottom.
    const curves = () => {
      const run = shownRun();
      const key = `${run.run} ${view.by}`;
      if (!curvesOf.has(key)) {
        const list = Object.entries(run[view.by]).map(([name, mw]) => {
          const energyUntil = series.cumulative(mw, run.start_ms, run.step_ms);
          return { name, energyUntil, energy: energyUntil(view.run().last) };
        });
        list.sort((a, b) => NO_THREAD.test(b.name) - NO_THREAD.test(a.name) || b.energy - a.energy);
        const bottom = list.filter((curve) => NO_THREAD.test(curve.name)).length;
        list.forEach((curve, number) => (curve.color = colorOf(curve.name, number - bottom)));
        curvesOf.set(key, list);
      }
      return curvesOf.get(key);
    };
    // The run's tests that are in view, by time.
    const testsInView = () => {
      const { low, high } = view.scale;
      const { number } = view.run();
      const rows = tests.label.map((_, row) => row);
      return rows
        .filter((row) => tests.run[row] === number && tests.end_ms[row] > low && tests.start_ms[row] < high)
        .sort((a, b) => tests.start_ms[a] - tests.start_ms[b]);
    };

    // The frame: it stays, so that a drag and the focus outlive a redraw.
    view.say = (ms) => {
      view.at = ms;
      readout.replaceChildren(...(ms === null ? highest() : powerAt(ms)));
    };
    const range = timeRange.create(view);
    const names = ["lines", "areas", "line", "marks", "texts", "bands"];
    const layers = Object.fromEntries(names.map((name) => [name, dom.svg("g")]));
    const { lines, areas, line, marks, texts, bands } = layers;
    const picture = dom.svg(
      "svg",
      { class: "chart", role: "group", "aria-labelledby": "when-title", "aria-describedby": "when-summary" },
      ...[lines, areas, line, range.range, marks, texts, range.surface, bands, ...range.handles]
    );
    const readout = dom.element("p", { class: "readout", id: "when-summary" });
    const legend = dom.element("div", { class: "legend", role: "group", "aria-label": "Parts of the power" });
    const tools = dom.element("div", { class: "tools" });
    place.append(readout, picture, legend, tools);

    const kinds = [
      ["components", "component"],
      ["threads", "thread"],
    ];
    tools.append(
      dom.choice("Stack by", kinds, view.by, (value) => {
        view.by = value;
        draw();
      })
    );
    let runList = null;
    if (runs.length > 1) {
      const options = runs.map(({ run }) => [String(run), String(run + 1)]);
      const field = dom.choice("Run", options, "0", (value) =>
        selection.set({ run: Number(value), test: null, from: null, to: null })
      );
      runList = field.querySelector("select");
      tools.append(field);
    }
    const zoom = dom.button(
      "Zoom to range",
      () => {
        view.isZoomed = !view.isZoomed;
        draw();
      },
      { class: "quiet" }
    );
    const whole = dom.button("Whole run", range.remove, { class: "quiet" });
    tools.append(...range.fields, zoom, whole);

    // What the text says: of the whole, or of a time.
    const highest = () => {
      // By steps of the data, not by pixels: it is the same in each window.
      const { low, high } = view.scale;
      const { step_ms: step, start_ms: first } = shownRun();
      const powerOf = (ms) =>
        curves().reduce((sum, { energyUntil }) => sum + (energyUntil(ms + step) - energyUntil(ms)) / step, 0);
      let most = { mw: 0, ms: low };
      for (let ms = first + Math.floor((low - first) / step) * step; ms < high; ms += step) {
        const mw = powerOf(ms);
        if (mw > most.mw) most = { mw, ms: ms + step / 2 };
      }
      const { mw, ms } = most;
      const row = testsInView().find((test) => tests.start_ms[test] <= ms && ms < tests.end_ms[test]);
      return [
        `Highest: ${units.power(mw)} at ${units.time(ms)}`,
        ...(row === undefined ? [] : [", in ", dom.code(tests.label[row])]),
        view.hasLine ? ". The line is the power of the selected calls." : ".",
      ];
    };
    const powerAt = (ms) => {
      const { low, high, width } = view.scale;
      const half = (high - low) / width / 2;
      const parts = curves()
        .map(({ name, energyUntil }) => ({ name, mw: (energyUntil(ms + half) - energyUntil(ms - half)) / (2 * half) }))
        .filter(({ mw }) => mw >= LEAST_MW)
        .sort((a, b) => b.mw - a.mw);
      const sum = parts.reduce((all, { mw }) => all + mw, 0);
      const named = parts.slice(0, MOST_NAMES).map(({ name, mw }) => `${name} ${units.power(mw)}`);
      if (parts.length > MOST_NAMES) named.push("…");
      return [`At ${units.time(ms)}: ${units.power(sum)}${named.length ? " = " : ""}${named.join(" + ")}`];
    };
    const drawLegend = (key) => {
      const isKnown = (name) => (key === "thread" ? data.index.thread.has(name) : data.components.includes(name));
      const parts = curves().map(({ name, color, energy }) => {
        const attributes = {
          class: `part color-${color}`,
          "aria-pressed": String(view.state[key] === name),
          disabled: !isKnown(name),
        };
        const part = dom.button("", () => selection.toggle(key, name), attributes);
        part.append(dom.element("i", { "aria-hidden": "true" }), name, dom.element("small", {}, ` ${units.energy(energy)}`));
        return part;
      });
      legend.replaceChildren(dom.element("span", { class: "plain" }, "Energy of the whole run, with probes:"), ...parts);
    };

    // The power of the selected calls, if there is a selection of calls.
    const chosenPower = () => {
      const { test, method, module, text, thread } = view.state;
      const isChosen = [test, method, module, text, thread].some((value) => value !== null);
      return isChosen ? figures.powerOverTime(data, view.result, view.state, view.run().number) : null;
    };
    // The areas and the axes, which most selections leave as they are.
    const drawStack = (low, high) => {
      const { width } = view;
      const stack = [view.run().number, view.by, low, high, width].join(" ");
      if (stack === view.stack) return;
      view.stack = stack;
      const list = curves();
      const { edges, total } = series.stacked(
        list.map((curve) => series.columns(curve.energyUntil, low, high, width)),
        width
      );
      view.scale = timeChart.scaleOf(low, high, width, Math.max(...total, 1e-3) * 1.05);
      const { sides, height } = timeChart.SIZE;
      timeChart.place(picture, { viewBox: `0 0 ${width + sides} ${height}`, height });
      const axes = timeChart.axes(view.scale);
      layers.lines.replaceChildren(...axes.lines);
      layers.texts.replaceChildren(...axes.texts);
      layers.areas.replaceChildren(...timeChart.areas(view.scale, list, edges));
    };
    const draw = () => {
      const { state, width } = view;
      const key = view.by === "threads" ? "thread" : "component";
      const { first, last } = view.run();
      view.isZoomed &&= state.from !== null;
      const [low, high] = view.isZoomed ? [state.from, state.to] : [first, last];
      drawStack(low, high);
      curves().forEach(({ name }, number) =>
        layers.areas.children[number].classList.toggle(
          "dimmed",
          state[key] !== null && state[key] !== name && (key !== "thread" || state.thread !== data.roleOf.get(name))
        )
      );
      const power = chosenPower();
      view.hasLine = power !== null;
      const chosen = power && series.columns(series.cumulativeOfBins(power), low, high, width);
      layers.line.replaceChildren(...(chosen ? [timeChart.line(view.scale, chosen)] : []));
      layers.marks.replaceChildren(...(state.method !== null && power ? timeChart.marks(view.scale, power) : []));
      layers.bands.replaceChildren(...timeChart.bands(view.scale, tests, testsInView(), state.test));
      range.draw();
      zoom.hidden = whole.hidden = state.from === null;
      zoom.setAttribute("aria-pressed", String(view.isZoomed));
      if (runList) runList.value = String(view.run().number);
      drawLegend(key);
      view.say(view.at);
    };
    dom.watchWidth(picture, (width) => {
      view.width = Math.max(width - timeChart.SIZE.sides, 50);
      if (view.state) draw();
    });
    return (state, result) => {
      view.state = state;
      view.result = result;
      draw();
    };
  };
  return { start };
})();
