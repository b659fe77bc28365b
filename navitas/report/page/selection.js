"use strict";
// What the page shows: one selection for all views, kept in the address, so that a link or a bookmark opens it again.
const selection = (() => {
  const KEYS = ["test", "thread", "module", "method", "component", "text", "run", "from", "to"];
  const NUMBERS = { run: Number.isInteger, from: Number.isFinite, to: Number.isFinite };
  const NONE = Object.freeze(Object.fromEntries(KEYS.map((key) => [key, null])));
  const views = [];
  let current = NONE;
  let fit = () => {};

  const read = (address) => {
    const values = new URLSearchParams(address.replace(/^#/, ""));
    const state = { ...NONE };
    for (const key of KEYS) {
      const value = values.get(key);
      if (!value) continue;
      const number = Number(value);
      if (!(key in NUMBERS)) state[key] = value;
      else if (NUMBERS[key](number) && number >= 0) state[key] = number;
    }
    fit(state);
    // A range has two ends, in order.
    if (state.from === null || state.to === null || state.from >= state.to) state.from = state.to = null;
    return Object.freeze(state);
  };
  const address = (state) => {
    const values = new URLSearchParams();
    for (const key of KEYS) if (state[key] !== null && state[key] !== "") values.set(key, state[key]);
    return `#${values}`;
  };
  const notify = (state) => {
    current = state;
    for (const view of views) view(current);
  };
  // Changes some keys; null removes one. `replaces` makes no step of its own for the browser's Back, as while a user types.
  const set = (changes, { replaces = false } = {}) => {
    const next = read(address({ ...current, ...changes }));
    if (KEYS.every((key) => next[key] === current[key])) return;
    history[replaces ? "replaceState" : "pushState"](null, "", address(next));
    notify(next);
  };
  // The value becomes the selected one, or, if it is already, none is.
  const toggle = (key, value) => set({ [key]: current[key] === value ? null : value });
  const clear = () => set(NONE);
  const isEmpty = () => KEYS.every((key) => key === "run" || current[key] === null);

  // `view` runs with the state now and after each change.
  const subscribe = (view) => views.push(view);
  // `fitToData` changes a state that the data can't have.
  const start = (fitToData) => {
    fit = fitToData;
    addEventListener("popstate", () => notify(read(location.hash)));
    notify(read(location.hash));
  };
  return {
    set,
    toggle,
    clear,
    isEmpty,
    subscribe,
    start,
    get state() {
      return current;
    },
  };
})();
