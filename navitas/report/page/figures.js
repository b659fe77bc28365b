"use strict";
// Energies of a selection, of the app's threads unless another thread is selected. Test, thread, component and time choose energy; module, method and text choose calls, which count with
// what they call. A table does not follow the choice that is made in it, so that its other rows stay available.
const figures = (() => {
  const MODULE = 1;
  const METHOD = 2;
  const FIRST_WORD = 4;
  const MAX_WORDS = 24;
  const CPU = "cpu";

  const lower = (text) => text.toLowerCase();
  const wordsOf = (text) => (text || "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const hasWords = (text, words) => words.every((word) => text.includes(word));

  // For each text, the bits of the words in it.
  const wordBits = (texts, words) =>
    Int32Array.from(texts, (text) =>
      words.reduce((bits, word, number) => (text.includes(word) ? bits | (FIRST_WORD << number) : bits), 0)
    );
  // What each method, test and thread contributes to a choice of calls, and what a call needs to be in it.
  const callChoice = (data, state) => {
    const words = wordsOf(state.text);
    const { methods, tests, threads } = data;
    const ofMethod = wordBits(data.searched, words);
    const module = state.module === null ? null : data.index.module.get(state.module) ?? -2;
    const method = state.method === null ? null : data.index.method.get(state.method) ?? -2;
    if (module !== null) methods.module.forEach((of, index) => of === module && (ofMethod[index] |= MODULE));
    if (method >= 0 && method !== null) ofMethod[method] |= METHOD;
    const needsWords = FIRST_WORD * (2 ** words.length - 1);
    const rows = needsWords | (module === null ? 0 : MODULE);
    return {
      ofMethod,
      ofTest: wordBits(tests.label.map(lower), words),
      ofThread: wordBits(threads.name.map(lower), words),
      rows, // of the table of methods
      calls: rows | (method === null ? 0 : METHOD),
    };
  };

  // Each node's energy of a component; the CPU's is what the others leave.
  const componentEnergy = (data, component) => {
    const { self_uj: all, by } = data.nodes;
    if (component === null) return all;
    const energy = component === CPU ? all.slice() : new Float64Array(all.length);
    for (const [name, { node, uj }] of Object.entries(by)) {
      if (component === CPU) node.forEach((at, entry) => (energy[at] -= uj[entry]));
      else if (component === name) node.forEach((at, entry) => (energy[at] += uj[entry]));
    }
    return energy;
  };
  // Each node's energy of the state's component and time. Within a range of time, components keep their shares of the node.
  const chosenEnergy = (data, state) => {
    const energy = componentEnergy(data, state.component);
    if (state.from === null || !data.bins) return energy;
    const { run, node, run_of: runOf, bin, uj } = data.bins;
    const shown = state.run ?? 0;
    if (!run[shown]) return new Float64Array(energy.length);
    const edges = run[shown].edges_ms;
    const inRange = Float64Array.from({ length: Math.max(edges.length - 1, 0) }, (_, at) => {
      const overlap = Math.min(edges[at + 1], state.to) - Math.max(edges[at], state.from);
      return overlap > 0 ? overlap / (edges[at + 1] - edges[at]) : 0;
    });
    const result = new Float64Array(energy.length);
    const all = data.nodes.self_uj;
    for (let entry = 0; entry < node.length; entry++) {
      if (runOf[entry] !== shown) continue;
      const at = node[entry];
      const part = uj[entry] * inRange[bin[entry]];
      result[at] += state.component === null ? part : all[at] ? (part * energy[at]) / all[at] : 0;
    }
    return result;
  };

  const compute = (data, state) => {
    const { nodes, paths, count, threadOf, testOf } = data;
    const { parent, method, test, thread, calls } = nodes;
    const isApp = data.threads.app;
    const energy = chosenEnergy(data, state);
    const choice = callChoice(data, state);
    const wantedTest = state.test === null ? null : data.index.test.get(state.test) ?? -2;
    const wantedThread = state.thread === null ? null : data.index.thread.get(state.thread) ?? -2;
    const baseline = data.baseline && state.component === null && state.from === null ? data.baseline.nodes.self_uj : null;
    const column = (size) => new Float64Array(size);
    const result = {
      energy,
      total: 0,
      test: column(count.tests),
      thread: column(threadOf.length),
      method: { self: column(count.methods), inclusive: column(count.methods), calls: column(count.methods) },
      rows: new Uint8Array(count.methods), // methods with a node of the selection, but for its method
      path: { self: column(count.paths), inclusive: null, calls: column(count.paths), base: baseline && column(count.paths) },
      kept: new Uint8Array(count.nodes),
      isWhole: state.test === null && state.thread === null && state.component === null && state.from === null,
    };
    const within = column(count.nodes); // with callees
    const chosen = new Uint8Array(count.nodes); // by test and thread
    const bits = new Int32Array(count.nodes);
    for (let node = 0; node < count.nodes; node++) {
      const owner = threadOf[thread[node]];
      const testRow = testOf[test[node]];
      const own = (method[node] >= 0 ? choice.ofMethod[method[node]] : 0) | choice.ofTest[test[node]] | choice.ofThread[thread[node]];
      bits[node] = own | (parent[node] >= 0 ? bits[parent[node]] : 0);
      const isTest = wantedTest === null || testRow === wantedTest;
      const isThread = wantedThread === null ? isApp[owner] : owner === wantedThread;
      const isCall = (bits[node] & choice.calls) === choice.calls;
      if (isCall && isThread) result.test[testRow] += energy[node];
      if (isCall && isTest) result.thread[owner] += energy[node];
      if (!isTest || !isThread) continue;
      chosen[node] = 1;
      within[node] = energy[node];
      const path = paths.pathOf[node];
      result.path.calls[path] += calls[node];
      if (!isCall) continue;
      result.kept[node] = 1;
      result.total += energy[node];
      result.path.self[path] += energy[node];
      if (baseline) result.path.base[path] += baseline[node];
    }
    for (let node = count.nodes - 1; node >= 0; node--) {
      if (!chosen[node]) continue;
      if (parent[node] >= 0) within[parent[node]] += within[node];
      const of = method[node];
      if (of < 0) continue;
      const own = choice.ofMethod[of] | choice.ofTest[test[node]] | choice.ofThread[thread[node]];
      if ((own & choice.rows) !== choice.rows) continue;
      result.rows[of] = 1;
      result.method.self[of] += energy[node];
      result.method.calls[of] += calls[node];
      if (paths.outermost[paths.pathOf[node]]) result.method.inclusive[of] += within[node];
    }
    result.path.inclusive = summedUp(paths.parent, result.path.self);
    result.path.baseInclusive = baseline && summedUp(paths.parent, result.path.base);
    return result;
  };
  // Sums with all below. Parents come before their children.
  const summedUp = (parent, own) => {
    const sums = own.slice();
    for (let at = sums.length - 1; at > 0; at--) if (parent[at] >= 0) sums[parent[at]] += sums[at];
    return sums;
  };

  // The power of the selected calls in each bin of a run, in mW; null if the recording's data has no bins.
  const powerOverTime = (data, result, state, run) => {
    if (!data.bins || !data.bins.run[run]) return null;
    const edges = data.bins.run[run].edges_ms;
    const mw = new Float64Array(Math.max(edges.length - 1, 0));
    const { node, run_of: runOf, bin, uj } = data.bins;
    const all = data.nodes.self_uj;
    const ofComponent = state.component === null ? null : componentEnergy(data, state.component);
    for (let entry = 0; entry < node.length; entry++) {
      const at = node[entry];
      if (runOf[entry] !== run || !result.kept[at]) continue;
      mw[bin[entry]] += ofComponent ? (all[at] ? (uj[entry] * ofComponent[at]) / all[at] : 0) : uj[entry];
    }
    for (let at = 0; at < mw.length; at++) mw[at] /= edges[at + 1] - edges[at];
    return { edges, mw };
  };
  return { CPU, compute, powerOverTime, summedUp, wordsOf, hasWords };
})();
