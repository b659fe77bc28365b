"use strict";
// Power over time: stacked by component or by thread, with tests above and the times of the selected method below. A drag, the handles or
// the two fields select a range.
const timeline = (() => {
  const LEFT = 52;
  const RIGHT = 10;
  const BANDS = 20;
  const HEIGHT = 132;
  const MARKS = 8;
  const AXIS = 32;
  const COLORS = 7;
  const UNCOLORED = /^\(.*\)$/; // such as (base): no thread
  const MIN_LABEL = 34;
  const CHARACTER = 6.3;

  const start = (place, data) => {
    place.replaceChildren();
    if (!data.timeline.length) {
      place.append(dom.element("p", { class: "plain" }, "This recording has no power over time."));
      return () => {};
    }
    const runs = data.timeline;
    const view = { by: data.components.length > 1 ? "components" : "threads", zoomed: false, state: null, result: null, width: 548 };
    const prepared = new Map(); // per run and kind: the curves, largest first

    const shownRun = () => runs.find((one) => one.run === (view.state.run ?? runs[0].run)) ?? runs[0];
    const lengthOf = (run) => Math.max(0, ...Object.values(run.components).map((mw) => mw.length)) * run.step_ms;
    const domain = (run) => {
      const { from, to } = view.state;
      const end = run.start_ms + lengthOf(run);
      return view.zoomed && from !== null ? [from, to] : [run.start_ms, Math.max(end, run.start_ms + run.step_ms)];
    };
    const curves = (run, kind) => {
      const key = `${run.run} ${kind}`;
      if (!prepared.has(key)) {
        const end = run.start_ms + lengthOf(run);
        const list = Object.entries(run[kind] ?? {}).map(([name, mw]) => {
          const energyUntil = series.cumulative(mw, run.start_ms, run.step_ms);
          return { name, energyUntil, energy: energyUntil(end) };
        });
        // What belongs to no thread lies at the bottom.
        list.sort((a, b) => UNCOLORED.test(b.name) - UNCOLORED.test(a.name) || b.energy - a.energy);
        let color = 0;
        for (const curve of list) curve.color = curve.name === "(other)" ? "rest" : UNCOLORED.test(curve.name) ? "none" : color++ % COLORS;
        prepared.set(key, list);
      }
      return prepared.get(key);
    };

    // The frame: it stays, so that a drag and the focus outlive a redraw.
    const layers = Object.fromEntries(["grid", "areas", "bands", "marks", "axes"].map((name) => [name, dom.svg("g")]));
    const range = dom.svg("rect", { class: "range" });
    const handle = (key, label) =>
      dom.svg(
        "g",
        { class: "handle", role: "slider", tabindex: "0", "aria-label": label, onkeydown: (event) => nudge(event, key) },
        dom.svg("rect", { class: "target" }),
        dom.svg("line")
      );
    const handles = { from: handle("from", "Start of the time range"), to: handle("to", "End of the time range") };
    const surface = dom.svg("rect", { class: "surface" });
    const picture = dom.svg(
      "svg",
      { class: "chart", role: "group", "aria-labelledby": "when-title", "aria-describedby": "when-summary" },
      layers.grid, layers.areas, range, layers.marks, layers.axes, surface, layers.bands, handles.from, handles.to
    );
    const readout = dom.element("p", { class: "readout", id: "when-summary" });
    const legend = dom.element("div", { class: "legend", role: "group", "aria-label": "Parts of the power" });
    const tools = dom.element("div", { class: "tools" });
    place.append(tools, readout, picture, legend);

    tools.append(
      dom.choice("Stack by", [["components", "component"], ["threads", "thread"]], view.by, (value) => {
        view.by = value;
        draw();
      })
    );
    if (runs.length > 1) {
      const options = runs.map((one) => [String(one.run), String(one.run + 1)]);
      const field = dom.choice("Run", options, "0", (value) => selection.set({ run: Number(value), from: null, to: null }));
      view.runs = field.querySelector("select");
      tools.append(field);
    }
    const seconds = (key, label) => {
      const input = dom.element("input", { type: "number", min: "0", step: "any", onchange: () => typed() });
      tools.append(dom.element("label", { class: "field" }, dom.element("span", {}, label), input));
      return input;
    };
    const fields = { from: seconds("from", "From, s"), to: seconds("to", "To, s") };
    const typed = () => {
      const run = shownRun();
      const [first, last] = [run.start_ms, run.start_ms + lengthOf(run)];
      const value = (input, otherwise) => (input.value === "" ? otherwise : Number(input.value) * 1000);
      select(value(fields.from, first), value(fields.to, last));
    };
    const zoom = dom.button("Zoom to range", () => {
      view.zoomed = !view.zoomed;
      draw();
    }, { class: "quiet", "aria-pressed": "false" });
    const whole = dom.button("Whole run", () => {
      view.zoomed = false;
      selection.set({ from: null, to: null });
    }, { class: "quiet" });
    tools.append(zoom, whole);

    const round = (ms) => Number(ms.toPrecision(7));
    const select = (from, to, options) => {
      const run = shownRun();
      const [first, last] = [run.start_ms, run.start_ms + lengthOf(run)];
      const limited = [from, to].map((ms) => Math.min(Math.max(ms, first), last)).sort((a, b) => a - b);
      if (!(limited[1] > limited[0])) return;
      selection.set({ run: run.run, from: round(limited[0]), to: round(limited[1]) }, options);
    };
    const current = (run) => [view.state.from ?? run.start_ms, view.state.to ?? run.start_ms + lengthOf(run)];
    const nudge = (event, key) => {
      if (event.key === "Escape") return selection.set({ from: null, to: null });
      const run = shownRun();
      const [low, high] = domain(run);
      const step = ((high - low) / 100) * (event.shiftKey ? 10 : 1);
      const [from, to] = current(run);
      const end = key === "from" ? run.start_ms : run.start_ms + lengthOf(run);
      const old = key === "from" ? from : to;
      const moved = { ArrowLeft: old - step, ArrowDown: old - step, ArrowRight: old + step, ArrowUp: old + step, Home: run.start_ms, End: end }[event.key];
      if (moved === undefined) return undefined;
      event.preventDefault();
      if (key === "from" && moved < to) select(moved, to, { replaces: true });
      if (key === "to" && moved > from) select(from, moved, { replaces: true });
      return undefined;
    };

    // Pointer: a drag selects a range, a click removes it.
    let dragFrom = null;
    const timeAt = (event) => {
      const [low, high] = domain(shownRun());
      const x = event.clientX - picture.getBoundingClientRect().left - LEFT;
      return low + (Math.min(Math.max(x, 0), view.width) / view.width) * (high - low);
    };
    surface.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      dragFrom = { ms: timeAt(event), x: event.clientX, moved: false };
      surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener("pointermove", (event) => {
      if (dragFrom && (dragFrom.moved || Math.abs(event.clientX - dragFrom.x) > 3)) {
        dragFrom.moved = true;
        dragFrom.next = timeAt(event);
        requestAnimationFrame(() => dragFrom && !view.zoomed && preview(dragFrom.ms, dragFrom.next));
      }
      say(timeAt(event));
    });
    surface.addEventListener("pointerup", (event) => {
      const drag = dragFrom;
      dragFrom = null;
      if (drag?.moved) select(drag.ms, timeAt(event));
      else if (drag) selection.set({ from: null, to: null });
    });
    surface.addEventListener("pointerleave", () => dragFrom || say(null));

    const x = (ms) => {
      const [low, high] = domain(shownRun());
      return LEFT + (Math.min(Math.max((ms - low) / (high - low), 0), 1)) * view.width;
    };
    const preview = (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      range.setAttribute("x", x(from));
      range.setAttribute("width", Math.max(x(to) - x(from), 1));
      range.removeAttribute("visibility");
    };

    const testsOf = (run) => {
      const { label, run: of, start_ms: starts, end_ms: ends } = data.tests;
      const [low, high] = domain(run);
      return label.map((_, row) => row).filter((row) => of[row] === run.run && ends[row] > low && starts[row] < high);
    };
    const drawBands = (run) => {
      let last = -1;
      const made = [];
      for (const row of testsOf(run).sort((a, b) => data.tests.start_ms[a] - data.tests.start_ms[b])) {
        const left = x(data.tests.start_ms[row]);
        const width = x(data.tests.end_ms[row]) - left;
        const isSelected = data.tests.label[row] === view.state.test;
        if (left + width < last + 1 && !isSelected) continue; // less than a pixel more than the one before
        last = left + width;
        const name = data.tests.label[row];
        const group = dom.svg("g", { class: isSelected ? "band selected" : "band", onclick: () => selection.toggle("test", name) });
        group.append(dom.svg("title", {}, name), dom.svg("rect", { x: left, y: 1, width: Math.max(width - 1, 1), height: BANDS - 4 }));
        if (width > MIN_LABEL) {
          const most = Math.floor((width - 8) / CHARACTER);
          const short = data.tests.name[row] || name;
          const text = short.length <= most ? short : `${short.slice(0, most - 1)}…`;
          group.append(dom.svg("text", { x: left + 4, y: BANDS - 7 }, text));
        }
        made.push(group);
      }
      layers.bands.replaceChildren(...made);
    };
    // The bins in which the selected method has energy. Adjacent ones make one mark.
    const drawMarks = (power) => {
      const made = [];
      let end = -1;
      for (let bin = 0; view.state.method !== null && power && bin < power.mw.length; bin++) {
        const [from, to] = [x(power.edges[bin]), x(power.edges[bin + 1])];
        if (!(power.mw[bin] > 0) || to <= from) continue;
        if (made.length && from <= end) made.at(-1).setAttribute("width", to - made.at(-1).getAttribute("x"));
        else made.push(dom.svg("rect", { class: "mark", x: from, y: BANDS + HEIGHT + 1, width: Math.max(to - from, 1.5), height: MARKS - 2 }));
        end = to;
      }
      layers.marks.replaceChildren(...made);
    };
    const drawAxes = (run, highest) => {
      const [low, high] = domain(run);
      const [factor, prefix] = units.axisUnit(highest / 1e3);
      const y = (mw) => BANDS + HEIGHT - (mw / highest) * HEIGHT;
      const grid = [];
      const texts = [];
      for (const tick of units.ticks(0, highest / 1e3 / factor, 4)) {
        const at = y(tick * factor * 1e3);
        grid.push(dom.svg("line", { x1: LEFT, x2: LEFT + view.width, y1: at, y2: at }));
        texts.push(dom.svg("text", { class: "tick y", x: LEFT - 5, y: at + 4, "text-anchor": "end" }, String(tick)));
      }
      const base = BANDS + HEIGHT + MARKS;
      for (const tick of units.ticks(low / 1e3, high / 1e3, view.width / 80)) {
        const at = x(tick * 1e3);
        grid.push(dom.svg("line", { x1: at, x2: at, y1: base, y2: base + 4 }));
        texts.push(dom.svg("text", { class: "tick x", x: at, y: base + 15, "text-anchor": "middle" }, String(tick)));
      }
      const middle = BANDS + HEIGHT / 2;
      texts.push(
        dom.svg("text", { class: "axis", x: LEFT + view.width / 2, y: base + 29, "text-anchor": "middle" }, "Time, s"),
        dom.svg("text", { class: "axis", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, `Power, ${prefix}W`)
      );
      layers.grid.replaceChildren(...grid);
      layers.axes.replaceChildren(...texts);
    };

    // The text below: at a time, or of the whole.
    let at = null;
    const say = (ms) => {
      at = ms;
      const run = shownRun();
      const list = curves(run, view.by);
      if (ms === null) {
        const { total, low, step } = view.drawn;
        const highest = total.reduce((best, mw, column) => (mw > total[best] ? column : best), 0);
        const peak = low + (highest + 0.5) * step;
        const test = testsOf(run).find((row) => data.tests.start_ms[row] <= peak && peak < data.tests.end_ms[row]);
        readout.replaceChildren(
          `Highest: ${units.power(total[highest])} at ${units.time(peak)}`,
          ...(test === undefined ? [] : [", in ", dom.code(data.tests.label[test])]),
          view.drawn.hasLine ? ". The line is the power of the selected calls." : "."
        );
        return;
      }
      const { step } = view.drawn;
      const parts = list
        .map((curve) => [curve.name, (curve.energyUntil(ms + step / 2) - curve.energyUntil(ms - step / 2)) / step])
        .filter(([, mw]) => mw >= 0.05)
        .sort((a, b) => b[1] - a[1]);
      const sum = parts.reduce((all, [, mw]) => all + mw, 0);
      readout.textContent = `At ${units.time(ms)}: ${units.power(sum)}${parts.length ? " = " : ""}${parts.slice(0, 4).map(([name, mw]) => `${name} ${units.power(mw)}`).join(" + ")}${parts.length > 4 ? " + …" : ""}`;
    };

    const drawLegend = (list, key) => {
      legend.replaceChildren(
        ...list.map((curve) =>
          dom.button("", () => selection.toggle(key, curve.name), {
            "aria-pressed": String(view.state[key] === curve.name),
            disabled: !(key === "thread" ? data.index.thread.has(curve.name) : data.components.includes(curve.name)),
            class: `part color-${curve.color}`,
          })
        )
      );
      list.forEach((curve, number) =>
        legend.children[number].append(dom.element("i", { "aria-hidden": "true" }), curve.name, dom.element("small", {}, ` ${units.energy(curve.energy)}`))
      );
    };

    const draw = () => {
      const width = view.width + LEFT + RIGHT;
      const height = BANDS + HEIGHT + MARKS + AXIS;
      picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
      picture.setAttribute("height", height);
      const run = shownRun();
      const key = view.by === "threads" ? "thread" : "component";
      const list = curves(run, view.by);
      const [low, high] = domain(run);
      const { edges, total } = series.stacked(list.map((curve) => series.columns(curve.energyUntil, low, high, view.width)), view.width);
      const highest = Math.max(...total, 1e-3) * 1.05;
      const y = (mw) => (BANDS + HEIGHT - (mw / highest) * HEIGHT).toFixed(1);
      const shift = `translate(${LEFT} 0)`;
      const areas = edges.map((edge, number) => {
        const curve = list[number];
        const isDimmed = view.state[key] !== null && view.state[key] !== curve.name;
        return dom.svg("path", { class: `area color-${curve.color}${isDimmed ? " dimmed" : ""}`, d: series.area(edge, y), transform: shift });
      });
      const power = isOfCalls(view.state) ? figures.powerOverTime(data, view.result, view.state, run.run) : null;
      if (power) {
        const untilBin = (ms) => {
          const bin = power.edges.findLastIndex((edge) => edge <= ms);
          return bin < 0 ? 0 : sums[bin] + (bin < power.mw.length ? power.mw[bin] * (ms - power.edges[bin]) : 0);
        };
        const sums = new Float64Array(power.mw.length + 1);
        power.mw.forEach((mw, bin) => (sums[bin + 1] = sums[bin] + mw * (power.edges[bin + 1] - power.edges[bin])));
        areas.push(dom.svg("path", { class: "chosen", d: series.line(series.columns(untilBin, low, high, view.width), y), transform: shift }));
      }
      layers.areas.replaceChildren(...areas);
      for (const [name, value] of Object.entries({ x: LEFT, y: BANDS, width: view.width, height: HEIGHT + MARKS })) surface.setAttribute(name, value);
      range.setAttribute("y", BANDS);
      range.setAttribute("height", HEIGHT + MARKS);
      drawBands(run);
      drawAxes(run, highest);
      view.drawn = { total, low, step: (high - low) / view.width, hasLine: power !== null };
      drawMarks(power);
      drawRange(run);
      drawLegend(list, key);
      say(at);
    };
    const isOfCalls = (state) => [state.test, state.method, state.module, state.text, state.thread].some((value) => value !== null);
    const drawRange = (run) => {
      const { from } = view.state;
      const ends = current(run);
      if (from === null) {
        view.zoomed = false;
        range.setAttribute("visibility", "hidden");
      } else {
        preview(...ends);
      }
      ["from", "to"].forEach((key, number) => {
        const left = x(ends[number]);
        const [target, line] = handles[key].children;
        for (const [name, value] of Object.entries({ x: left - 6, y: BANDS, width: 12, height: HEIGHT + MARKS })) target.setAttribute(name, value);
        for (const [name, value] of Object.entries({ x1: left, x2: left, y1: BANDS, y2: BANDS + HEIGHT + MARKS })) line.setAttribute(name, value);
        const values = { "aria-valuemin": run.start_ms, "aria-valuemax": run.start_ms + lengthOf(run), "aria-valuenow": ends[number] };
        for (const [name, value] of Object.entries(values)) handles[key].setAttribute(name, value);
        handles[key].setAttribute("aria-valuetext", units.time(ends[number]));
        // An end that is the run's own stays empty.
        const isOwn = ends[number] === (number ? run.start_ms + lengthOf(run) : run.start_ms);
        fields[key].value = isOwn ? "" : String(Number((ends[number] / 1e3).toPrecision(6)));
        fields[key].placeholder = String(Number((ends[number] / 1e3).toPrecision(4)));
      });
      zoom.hidden = whole.hidden = from === null;
      zoom.setAttribute("aria-pressed", String(view.zoomed));
    };

    dom.watchWidth(picture, (width) => {
      view.width = Math.max(width - LEFT - RIGHT, 50);
      if (view.state) draw();
    });
    return (state, result) => {
      view.state = state;
      view.result = result;
      if (view.runs) view.runs.value = String(shownRun().run);
      draw();
    };
  };
  return { start };
})();
