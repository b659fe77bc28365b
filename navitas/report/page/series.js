"use strict";
// Stacked power over time, for a width in pixels. Each column is a mean over its time, so that areas are energies at every width.
const series = (() => {
  // A function that returns the energy (µJ) up to a time.
  const cumulative = (mw, startMs, stepMs) => {
    const sums = new Float64Array(mw.length + 1);
    for (let step = 0; step < mw.length; step++) sums[step + 1] = sums[step] + (mw[step] || 0) * stepMs;
    return (ms) => {
      const at = Math.min(Math.max((ms - startMs) / stepMs, 0), mw.length);
      const whole = Math.floor(at);
      return sums[whole] + (whole < mw.length ? (at - whole) * (sums[whole + 1] - sums[whole]) : 0);
    };
  };
  // The same for bins of any length.
  const cumulativeOfBins = ({ edges, mw }) => {
    const sums = new Float64Array(mw.length + 1);
    mw.forEach((power, bin) => (sums[bin + 1] = sums[bin] + power * (edges[bin + 1] - edges[bin])));
    return (ms) => {
      const bin = edges.findLastIndex((edge) => edge <= ms);
      return bin < 0 ? 0 : sums[bin] + (bin < mw.length ? mw[bin] * (ms - edges[bin]) : 0);
    };
  };
  const columns = (energyUntil, fromMs, toMs, width) => {
    const mw = new Float64Array(width);
    const stepMs = (toMs - fromMs) / width;
    let before = energyUntil(fromMs);
    for (let x = 0; x < width; x++) {
      const after = energyUntil(fromMs + (x + 1) * stepMs);
      mw[x] = Math.max((after - before) / stepMs, 0);
      before = after;
    }
    return mw;
  };
  // The path of a step line through `tops`, from left to right or back: one piece for each run of equal values.
  const steps = (tops, y, isBack) => {
    const parts = [];
    for (let first = 0, end; first < tops.length; first = end) {
      for (end = first + 1; end < tops.length && tops[end] === tops[first];) end++;
      const height = y(tops[first]);
      parts.push(isBack ? `L${end} ${height}L${first} ${height}` : `L${first} ${height}L${end} ${height}`);
    }
    return (isBack ? parts.reverse() : parts).join("");
  };
  // The paths of areas on top of each other, and the height of the stack in each column.
  const stacked = (layers, width) => {
    let bottom = new Float64Array(width);
    const edges = layers.map((layer) => {
      const top = bottom.map((value, x) => value + layer[x]);
      const edge = { bottom, top };
      bottom = top;
      return edge;
    });
    return { edges, total: bottom };
  };
  const area = ({ bottom, top }, y) => `M${steps(top, y, false).slice(1)}${steps(bottom, y, true)}Z`;
  const line = (tops, y) => `M${steps(tops, y, false).slice(1)}`;
  return { cumulative, cumulativeOfBins, columns, stacked, area, line };
})();
