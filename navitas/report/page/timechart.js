"use strict";
// What power over time consists of, as SVG: stacked areas, axes, tests above, and the times of the selected method below.
// `scale` has the run's part in view: low and high (ms), width (px), highest (mW), x(ms) and y(mW).
const timeChart = (() => {
  const LEFT = 52;
  const RIGHT = 10;
  const BANDS = 20;
  const HEIGHT = 132;
  const MARKS = 8;
  const AXIS = 32;
  const MIN_LABEL = 34;
  const FONT = "11px system-ui, sans-serif"; // page.css

  const scaleOf = (low, high, width, highest) => ({
    low,
    high,
    width,
    highest,
    x: (ms) => LEFT + Math.min(Math.max((ms - low) / (high - low), 0), 1) * width,
    y: (mw) => BANDS + HEIGHT - (mw / highest) * HEIGHT,
  });
  const place = (shape, attributes) => {
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    return shape;
  };

  const transform = `translate(${LEFT} 0)`;
  const toY = (scale) => (mw) => scale.y(mw).toFixed(1);
  // `curves` are those of `edges`, in order.
  const areas = (scale, curves, edges) =>
    curves.map(({ color }, number) =>
      dom.svg("path", { class: `area color-${color}`, d: series.area(edges[number], toY(scale)), transform })
    );
  // The power of the selected calls in each pixel.
  const line = (scale, chosen) => dom.svg("path", { class: "chosen", d: series.line(chosen, toY(scale)), transform });

  // Tests as `rows` of the page's data, by time. One that adds less than a pixel is left out, unless it is selected.
  const bands = (scale, tests, rows, selected) => {
    const shapes = [];
    let last = -1;
    for (const row of rows) {
      const name = tests.label[row];
      const left = scale.x(tests.start_ms[row]);
      const width = scale.x(tests.end_ms[row]) - left;
      const isSelected = name === selected;
      if (left + width < last + 1 && !isSelected) continue;
      last = left + width;
      const band = dom.svg(
        "g",
        { class: isSelected ? "band selected" : "band", onclick: () => selection.toggle("test", name) },
        dom.svg("title", {}, name),
        dom.svg("rect", { x: left, y: 1, width: Math.max(width - 1, 1), height: BANDS - 4 })
      );
      if (width > MIN_LABEL) {
        band.append(dom.svg("text", { x: left + 4, y: BANDS - 7 }, shortened(tests.name[row] || name, width - 8)));
      }
      shapes.push(band);
    }
    return shapes;
  };

  const shortened = (text, width) => {
    const whole = dom.widthOf(text, FONT);
    return whole <= width ? text : `${text.slice(0, Math.floor((text.length * width) / whole) - 1)}…`;
  };

  // The bins in which the selected calls have energy. Adjacent ones make one mark.
  const marks = (scale, power) => {
    const shapes = [];
    let end = -1;
    power.mw.forEach((mw, bin) => {
      const [from, to] = [scale.x(power.edges[bin]), scale.x(power.edges[bin + 1])];
      if (!(mw > 0) || to <= from) return;
      if (shapes.length && from <= end) place(shapes.at(-1), { width: to - shapes.at(-1).getAttribute("x") });
      else shapes.push(dom.svg("rect", { class: "mark", x: from, y: BANDS + HEIGHT + 1, width: to - from, height: MARKS - 2 }));
      end = to;
    });
    return shapes;
  };

  // The lines of both axes, and their texts.
  const axes = ({ low, high, width, highest, x, y }) => {
    const lines = [];
    const texts = [];
    const [factor, prefix] = units.axisUnit(highest / 1e3);
    for (const tick of units.ticks(0, highest / 1e3 / factor, 4)) {
      const at = y(tick * factor * 1e3);
      lines.push(dom.svg("line", { x1: LEFT, x2: LEFT + width, y1: at, y2: at }));
      texts.push(dom.svg("text", { class: "tick y", x: LEFT - 5, y: at + 4, "text-anchor": "end" }, String(tick)));
    }
    const base = BANDS + HEIGHT + MARKS;
    for (const tick of units.ticks(low / 1e3, high / 1e3, width / 80)) {
      const at = x(tick * 1e3);
      lines.push(dom.svg("line", { x1: at, x2: at, y1: base, y2: base + 4 }));
      texts.push(dom.svg("text", { class: "tick x", x: at, y: base + 15, "text-anchor": "middle" }, String(tick)));
    }
    const middle = BANDS + HEIGHT / 2;
    const turned = { x: 12, y: middle, transform: `rotate(-90 12 ${middle})` };
    texts.push(
      dom.svg("text", { class: "axis", x: LEFT + width / 2, y: base + 29, "text-anchor": "middle" }, "Time, s"),
      dom.svg("text", { class: "axis", "text-anchor": "middle", ...turned }, `Power, ${prefix}W`)
    );
    return { lines, texts };
  };
  const SIZE = { left: LEFT, sides: LEFT + RIGHT, top: BANDS, plot: HEIGHT + MARKS, height: BANDS + HEIGHT + MARKS + AXIS };
  return { SIZE, scaleOf, place, areas, line, bands, marks, axes };
})();
