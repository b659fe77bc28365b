"use strict";
// The section of the flame graph: which graph, which colors, and the figures of the frame that has the focus or the pointer.
const flame = (() => {
  const KEYS = "Arrow keys move, Enter enlarges, Escape shows all, Space selects the method.";

  const start = (place, data) => {
    place.replaceChildren();
    const view = { kind: "top", isDifference: false, state: null, result: null, trees: new Map(), wanted: -1, key: null };
    const tools = dom.element("div", { class: "tools" });
    const details = dom.element("div", { class: "details", role: "status" });
    const hint = dom.element("p", { class: "plain" });
    const stages = Object.fromEntries(
      ["callers", "top", "callees"].map((kind) => [kind, dom.element("div", { class: "stage" })])
    );
    const heading = (text) => dom.element("h3", {}, text);
    const body = [hint, heading("Callers"), stages.callers, heading("Callees"), stages.callees, stages.top];
    const help = dom.element("p", { class: "plain" }, `Width is inclusive energy${data.baseline ? ", now or in the baseline" : ""}. Click a frame to enlarge it. `, KEYS);
    place.append(tools, ...body, details, help);

    const methods = data.methods;
    const classes = new Map();
    // Equal colors for equal modules, or for the classes of an app with one module.
    const colorOfMethod = Int32Array.from(methods.full, (full, method) => {
      if (data.modules.length > 1) return methods.module[method];
      const name = full.split("(")[0].split(".").slice(0, -1).join(".");
      if (!classes.has(name)) classes.set(name, classes.size);
      return classes.get(name);
    });
    // The methods that a search has in their names, and the selected one.
    const hits = new Uint8Array(methods.full.length);
    const findHits = () => {
      const words = search.wordsOf(view.state.text);
      hits.forEach((_, method) => (hits[method] = words.length && search.hasWords(data.searched[method], words) ? 1 : 0));
      if (view.wanted >= 0) hits[view.wanted] = 1;
    };
    const graph = (kind, label, isUpward) =>
      icicle.create(stages[kind], {
        label: `${label}. ${KEYS}`,
        isUpward,
        colorOf: (node) => {
          const method = view.trees.get(kind).methodOf(node);
          return method < 0 ? null : colorOfMethod[method];
        },
        isHit: (node) => hits[view.trees.get(kind).methodOf(node)] === 1,
        focused: (node) => describe(kind, node),
        chosen: (node) => choose(view.trees.get(kind), node),
      });
    const graphs = {
      top: graph("top", "Flame graph of all calls", false),
      callers: graph("callers", "Callers of the selected method", true),
      callees: graph("callees", "Callees of the selected method", false),
    };
    const choose = (tree, node) => {
      const method = tree.methodOf(node);
      if (method >= 0) selection.toggle("method", methods.full[method]);
      else if (method === pageData.THREAD) selection.toggle("thread", tree.name(node));
    };

    const describe = (kind, node) => {
      const tree = view.trees.get(kind);
      const method = tree.methodOf(node);
      const uj = tree.inclusive[node];
      const facts = [`${units.energy(uj)} inclusive (${units.percent(uj, data.figures.app_uj)} of the app)`];
      if (kind !== "callers") facts.push(`${units.energy(tree.self[node])} self`);
      if (method >= 0 && view.state.from === null && tree.calls[node]) {
        facts.push(`${units.count(tree.calls[node])} ${data.samples ? "samples" : "calls"}`);
        if (!data.samples) facts.push(`${units.energy(tree.inclusive[node] / tree.calls[node])} per call`);
      }
      if (tree.base) facts.push(`${units.signed(tree.inclusive[node] - tree.base[node])} against ${data.baseline.name}`);
      details.replaceChildren(
        dom.code(method >= 0 ? methods.full[method] : tree.name(node)),
        dom.element("span", {}, facts.join(" · "))
      );
      if (method >= 0 || method === pageData.THREAD) {
        const isSelected = method >= 0 ? methods.full[method] === view.state.method : tree.name(node) === view.state.thread;
        const what = method >= 0 ? "method" : "thread";
        details.append(
          dom.button(isSelected ? `Unselect ${what}` : `Select ${what}`, () => choose(tree, node), { class: "quiet" })
        );
      }
      if (graphs[kind].isEnlarged) details.append(dom.button("Show all", () => graphs[kind].reset(), { class: "quiet" }));
    };

    const kinds = [
      ["top", "Flame graph"],
      ["sandwich", "Callers and callees"],
    ].map(([kind, label]) =>
      dom.button(
        label,
        () => {
          view.kind = kind;
          draw();
        },
        { "data-kind": kind }
      )
    );
    tools.append(dom.element("div", { class: "switch", role: "group", "aria-label": "Graph" }, ...kinds));
    if (data.baseline) {
      const options = [
        ["class", data.modules.length > 1 ? "module" : "class"],
        ["difference", `difference to ${data.baseline.name}`],
      ];
      tools.append(
        dom.choice("Color by", options, "class", (value) => {
          view.isDifference = value === "difference";
          draw();
        })
      );
      view.key = dom.element("p", { class: "key" });
      tools.append(view.key);
    }
    const drawKey = (isShown) => {
      const color = (name) => dom.element("i", { class: name });
      view.key.hidden = !view.isDifference;
      view.key.replaceChildren(
        ...(isShown
          ? [color("paint-fewer"), "less ", color("paint-more"), "more than the baseline. Differences of calls have no intervals."]
          : ["The baseline has no energies of a component or a time range."])
      );
    };
    const draw = () => {
      const { result, state } = view;
      const isTop = view.kind === "top";
      const isDifference = view.isDifference && result.path.base !== null;
      view.wanted = state.method === null ? -1 : (data.index.method.get(state.method) ?? -1);
      findHits();
      if (view.key) drawKey(isDifference);
      for (const button of kinds) button.setAttribute("aria-pressed", String(button.dataset.kind === view.kind));
      const isEmpty = !(callTrees.weight(result.tree, 0) > 0);
      hint.hidden = !isEmpty && (isTop || view.wanted >= 0);
      hint.textContent = isEmpty
        ? "No calls have energy of this selection."
        : "Select a method to see what calls it, and what it calls.";
      const isSandwich = !isTop && view.wanted >= 0 && !isEmpty;
      for (const element of body.slice(1, 5)) element.hidden = !isSandwich;
      stages.top.hidden = !isTop || isEmpty;
      details.hidden = help.hidden = isEmpty || !hint.hidden;
      if (isTop && !isEmpty) {
        view.trees.set("top", result.tree);
        graphs.top.show(view.trees.get("top"), { isSame: true, isDifference });
        describe("top", 0);
      } else if (isSandwich) {
        for (const kind of ["callers", "callees"]) {
          view.trees.set(kind, callTrees[kind](data, result, view.wanted));
          graphs[kind].show(view.trees.get(kind), { isSame: false, isDifference });
        }
        describe("callees", 0);
      }
    };
    const redraw = (state, result) => {
      view.state = state;
      view.result = result;
      draw();
    };
    redraw.recolor = () => Object.values(graphs).forEach((one) => one.recolor());
    return redraw;
  };
  return { start };
})();
