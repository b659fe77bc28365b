"use strict";
// Selects a range of time: by a drag over the chart, by two handles that the keyboard moves, or by two fields. A click removes
// it.
const timeRange = (() => {
  const { SIZE, place } = timeChart;
  const DRAG = 3; // pixels from which a press is a drag
  const round = (ms) => Number(ms.toPrecision(7));

  // `view` has: state; scale (see timeChart); run(): its number, and its first and last ms; isZoomed; say(ms or null).
  const create = (view) => {
    const range = dom.svg("rect", { class: "range", y: SIZE.top, height: SIZE.plot });
    const surface = dom.svg("rect", { class: "surface", x: SIZE.left, y: SIZE.top, height: SIZE.plot });
    const ends = () => {
      const { first, last } = view.run();
      return [view.state.from ?? first, view.state.to ?? last];
    };
    const remove = () => selection.set({ from: null, to: null });
    const select = (from, to, options) => {
      const { number, first, last } = view.run();
      const [low, high] = [from, to].map((ms) => Math.min(Math.max(ms, first), last)).sort((a, b) => a - b);
      if (high > low) selection.set({ run: number, from: round(low), to: round(high) }, options);
    };

    const nudge = (event, isEnd) => {
      const { first, last } = view.run();
      const { low, high } = view.scale;
      const step = ((high - low) / 100) * (event.shiftKey ? 10 : 1);
      const [from, to] = ends();
      const old = isEnd ? to : from;
      const back = old - step;
      const forth = old + step;
      const keys = { ArrowLeft: back, ArrowDown: back, ArrowRight: forth, ArrowUp: forth, Home: first, End: last };
      if (event.key === "Escape") remove();
      if (!(event.key in keys)) return;
      event.preventDefault();
      const moved = isEnd ? [from, keys[event.key]] : [keys[event.key], to];
      if (moved[0] < moved[1]) select(...moved, { replaces: true });
    };
    const handles = ["Start of the time range", "End of the time range"].map((label, isEnd) =>
      dom.svg(
        "g",
        { class: "handle", role: "slider", tabindex: "0", "aria-label": label, onkeydown: (event) => nudge(event, isEnd === 1) },
        dom.svg("rect", { class: "target", y: SIZE.top, width: 12, height: SIZE.plot }),
        dom.svg("line", { y1: SIZE.top, y2: SIZE.top + SIZE.plot })
      )
    );
    const typed = () => {
      const { first, last } = view.run();
      const [from, to] = fields.map(({ control }) => (control.value === "" ? null : Number(control.value) * 1000));
      select(from ?? first, to ?? last);
    };
    const fields = ["From, s", "To, s"].map((label) => {
      const control = dom.element("input", { type: "number", min: "0", step: "any", onchange: typed });
      return { control, element: dom.element("label", { class: "field" }, dom.element("span", {}, label), control) };
    });

    const show = (from, to) => {
      const left = view.scale.x(from);
      place(range, { x: left, width: Math.max(view.scale.x(to) - left, 1), visibility: "visible" });
    };
    const timeAt = (event) => {
      const { low, high, width } = view.scale;
      const x = event.clientX - surface.getBoundingClientRect().left;
      return low + (Math.min(Math.max(x, 0), width) / width) * (high - low);
    };
    let drag = null;
    surface.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      drag = { ms: timeAt(event), x: event.clientX, isMoved: false };
      surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener("pointermove", (event) => {
      view.say(timeAt(event));
      if (!drag || (!drag.isMoved && Math.abs(event.clientX - drag.x) <= DRAG)) return;
      drag.isMoved = true;
      show(Math.min(drag.ms, timeAt(event)), Math.max(drag.ms, timeAt(event)));
    });
    surface.addEventListener("pointerup", (event) => {
      const ended = drag;
      drag = null;
      if (ended?.isMoved) select(ended.ms, timeAt(event));
      else if (ended) remove();
    });
    surface.addEventListener("pointerleave", () => drag || view.say(null));

    const draw = () => {
      const { first, last } = view.run();
      const isSelected = view.state.from !== null;
      place(surface, { width: view.scale.width });
      if (isSelected) show(...ends());
      else place(range, { visibility: "hidden" });
      ends().forEach((ms, number) => {
        const x = view.scale.x(ms);
        place(handles[number].children[0], { x: x - 6 });
        place(handles[number].children[1], { x1: x, x2: x });
        const values = { "aria-valuemin": first, "aria-valuemax": last, "aria-valuenow": ms, "aria-valuetext": units.time(ms) };
        place(handles[number], values);
        // An end that is the run's own stays empty.
        const { control } = fields[number];
        control.value = ms === (number ? last : first) ? "" : String(Number((ms / 1e3).toPrecision(6)));
        control.placeholder = String(Number((ms / 1e3).toPrecision(4)));
      });
    };
    return { range, surface, handles, fields: fields.map(({ element }) => element), remove, draw };
  };
  return { create };
})();
