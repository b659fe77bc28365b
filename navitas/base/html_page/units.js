"use strict";
// Figures as text, as navitas/base/units.py writes them. Arguments have the units of the page's data: µJ, mW, ms.
const units = (() => {
  const UNKNOWN = "–";
  const PREFIXES = [
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
  ];

  const digits = (value) => {
    if (value === 0) return "0";
    const rounded = Number(value.toPrecision(3));
    const decimals = 2 - Math.floor(Math.log10(Math.abs(rounded)));
    return rounded.toFixed(Math.min(Math.max(decimals, 0), 9));
  };
  const scaled = (value, unit) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
    const size = Math.abs(value);
    for (const [factor, prefix] of PREFIXES) {
      if (size >= 0.9995 * factor) return `${digits(value / factor)} ${prefix}${unit}`;
    }
    return size < 0.5e-12 ? `0 ${unit}` : `${digits(value * 1e9)} n${unit}`;
  };
  const energy = (uj) => scaled(uj === null ? null : uj / 1e6, "J");
  const signed = (uj) => (uj > 0 ? "+" : "") + energy(uj);
  const power = (mw) => scaled(mw === null ? null : mw / 1e3, "W");
  const time = (ms) => scaled(ms === null ? null : ms / 1e3, "s");
  const percent = (part, total) => (total > 0 ? `${((100 * part) / total).toFixed(1)} %` : UNKNOWN);
  const whole = new Intl.NumberFormat("en");
  const count = (number) => (number === null ? UNKNOWN : whole.format(number));

  // Round values of an axis from `low` to `high`: about `wanted` of them, each 1, 2 or 5 times a power of ten.
  const ticks = (low, high, wanted) => {
    if (!(high > low)) return [low];
    const rough = (high - low) / Math.max(wanted, 1);
    const power10 = 10 ** Math.floor(Math.log10(rough));
    const step = power10 * [1, 2, 5, 10].find((factor) => factor * power10 >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9);
    const values = [];
    for (let index = first; index * step <= high + step * 1e-9; index++) values.push(Number((index * step).toPrecision(12)));
    return values;
  };
  // The unit in which an axis up to `high` (in J, W or s) has short numbers: [factor, prefix].
  const axisUnit = (high) => PREFIXES.find(([factor]) => high >= factor * 0.9995) || PREFIXES[3];

  return { UNKNOWN, energy, signed, power, time, percent, count, ticks, axisUnit };
})();
