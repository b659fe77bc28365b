"use strict";
// The bar of the selection: what is selected, and how much of the energy it is.
const filters = (() => {
  const MAX_OPTIONS = 300;
  const ALL = "";

  const byEnergy = (names, energies) =>
    [...new Set(names)]
      .map((name) => [name, energies.get(name) || 0])
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX_OPTIONS)
      .map(([name]) => name);
  const summed = (names, energies) => {
    const sums = new Map();
    names.forEach((name, index) => sums.set(name, (sums.get(name) || 0) + energies[index]));
    return sums;
  };

  const start = (place, data, figuresOf) => {
    const whole = figuresOf();
    const fields = [];
    // A list for one key. A selected name that it lacks, such as that of a small test, is added.
    const list = (key, label, names) => {
      if (names.length < 2) return;
      const options = [[ALL, `all ${key}s`], ...names.map((name) => [name, name])];
      const field = dom.choice(label, options, ALL, (value) => selection.set({ [key]: value || null }));
      const control = field.querySelector("select");
      fields.push((state) => {
        const value = state[key] ?? ALL;
        control.classList.toggle("chosen-value", value !== ALL);
        if (![...control.options].some((option) => option.value === value)) control.append(new Option(value, value));
        control.value = value;
      });
      place.append(field);
    };
    const labels = data.tests.label.filter((_, row) => data.tests.app_uj[row] !== null); // tests that ran
    list("test", "Test", byEnergy(labels, summed(labels, data.tests.app_uj.filter((uj) => uj !== null))));
    // Names of threads, and of the roles of some, each with the energy of its threads.
    const threads = summed(data.threads.name, whole.thread);
    summed(data.threads.role, whole.thread).forEach((uj, role) => role && threads.set(role, uj));
    list("thread", "Thread", byEnergy([...threads.keys()], threads));
    list("module", "Module", data.modules);
    list("component", "Component", data.components);

    const words = dom.element("input", {
      type: "search",
      placeholder: "Search names",
      oninput: () => selection.set({ text: words.value || null }, { replaces: true }),
    });
    fields.push((state) => {
      if (document.activeElement !== words) words.value = state.text ?? "";
    });
    place.append(dom.element("label", { class: "field" }, dom.element("span", {}, "Search"), words));

    const chips = dom.element("div", { class: "chips" });
    const chip = (key, text, changes) =>
      dom.button(dom.element("span", {}, `${key} `, text, " ✕"), () => selection.set(changes), {
        class: "chip",
        "aria-label": `Remove: ${key} ${text.textContent ?? text}`,
      });
    const clear = dom.button("Clear selection", () => selection.clear(), { class: "quiet" });
    const summary = dom.element("output", { class: "summary", role: "status" });
    place.append(dom.element("div", { class: "selected" }, summary, chips, clear));

    return (state, result) => {
      for (const field of fields) field(state);
      chips.replaceChildren();
      if (state.method !== null) {
        const method = data.index.method.get(state.method);
        chips.append(
          chip("Method", dom.code(method === undefined ? state.method : data.methods.label[method]), { method: null })
        );
      }
      if (state.from !== null) {
        chips.append(chip("Time", `${units.time(state.from)} to ${units.time(state.to)}`, { from: null, to: null }));
      }
      clear.hidden = selection.isEmpty();
      summary.textContent = describe(data, state, result);
    };
  };

  const describe = (data, state, result) => {
    const missing = ["test", "thread", "module", "method"].find((key) => state[key] !== null && !data.index[key].has(state[key]));
    if (missing) return `This page has no ${missing} named “${state[missing]}”.`;
    if (selection.isEmpty()) return `${units.energy(data.figures.app_uj)}: all energy of the app`;
    const share = units.percent(result.total, data.figures.app_uj);
    const ofCalls = state.method ?? state.module ?? state.text;
    return (
      `${units.energy(result.total)} of ${units.energy(data.figures.app_uj)} (${share})` +
      (ofCalls === null ? "" : ", with the calls below") +
      (state.from !== null && !data.bins ? ". Calls have no times here: the range filters tests only" : "")
    );
  };
  return { start };
})();
