"use strict";
// Energies of a selection, of the app's threads unless another thread is selected. Test, thread, component and time choose
// energy; module, method and text choose calls, which count with what they call. A table does not follow the choice that is made
// in it, so that its other rows stay available.
const figures = (() => {
  const MODULE = 1;
  const METHOD = 2;
  const FIRST_WORD = 4;
  const MAX_WORDS = 24;
  const CPU = "cpu";

  const lower = (text) => text.toLowerCase();
  // For each text, the bits of the words in it.
  const wordBits = (texts, words) =>
    Int32Array.from(texts, (text) =>
      words.reduce((bits, word, number) => (text.includes(word) ? bits | (FIRST_WORD << number) : bits), 0)
    );
  // What each method, test and thread contributes to a choice of calls, and what a call needs to be in it.
  const callChoice = (data, state) => {
    const words = search.wordsOf(state.text).slice(0, MAX_WORDS);
    const { methods, tests, threads } = data;
    const methodBits = wordBits(data.searched, words);
    const module = state.module === null ? null : (data.index.module.get(state.module) ?? -2);
    const method = state.method === null ? null : (data.index.method.get(state.method) ?? -2);
    if (module !== null) methods.module.forEach((of, index) => of === module && (methodBits[index] |= MODULE));
    if (method >= 0 && method !== null) methodBits[method] |= METHOD;
    const neededOfRows = (FIRST_WORD * (2 ** words.length - 1)) | (module === null ? 0 : MODULE);
    return {
      methodBits,
      testBits: wordBits(tests.label.map(lower), words),
      threadBits: wordBits(threads.name.map((name, thread) => lower(`${name} ${threads.role[thread]}`)), words),
      neededOfRows, // in the table of methods
      needed: neededOfRows | (method === null ? 0 : METHOD),
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
    const shown = pageData.shownRun(data, state)?.run;
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
    const { app, name: names, role } = data.threads;
    const isChosen = Uint8Array.from(names, (name, owner) =>
      state.thread === null ? app[owner] : name === state.thread || role[owner] === state.thread
    );
    const energy = chosenEnergy(data, state);
    const choice = callChoice(data, state);
    const wantedTest = state.test === null ? null : (data.index.test.get(state.test) ?? -2);
    const baseline = data.baseline && state.component === null && state.from === null ? data.baseline.nodes.self_uj : null;
    const column = (size) => new Float64Array(size);
    // Columns by test, thread, method and path; `within` is a node's energy with callees.
    const [ofTest, ofThread, self, inclusive, methodCalls, pathSelf, pathCalls, within] = [
      count.tests,
      threadOf.length,
      count.methods,
      count.methods,
      count.methods,
      count.paths,
      count.paths,
      count.nodes,
    ].map(column);
    const pathBase = baseline && column(count.paths);
    const rows = new Uint8Array(count.methods); // methods with a node of the selection, but for its method
    const kept = new Uint8Array(count.nodes);
    const chosen = new Uint8Array(count.nodes); // by test and thread
    const bits = new Int32Array(count.nodes);
    const { pathOf, outermost } = paths;
    const { methodBits, testBits, threadBits, needed } = choice;
    let total = 0;
    for (let node = 0; node < count.nodes; node++) {
      const owner = threadOf[thread[node]];
      const testRow = testOf[test[node]];
      const own = (method[node] >= 0 ? methodBits[method[node]] : 0) | testBits[test[node]] | threadBits[thread[node]];
      bits[node] = own | (parent[node] >= 0 ? bits[parent[node]] : 0);
      const isTest = wantedTest === null || testRow === wantedTest;
      const isThread = isChosen[owner] === 1;
      const isCall = (bits[node] & needed) === needed;
      if (isCall && isThread) ofTest[testRow] += energy[node];
      if (isCall && isTest) ofThread[owner] += energy[node];
      if (!isTest || !isThread) continue;
      chosen[node] = 1;
      within[node] = energy[node];
      const path = pathOf[node];
      pathCalls[path] += calls[node];
      if (!isCall) continue;
      kept[node] = 1;
      total += energy[node];
      pathSelf[path] += energy[node];
      if (pathBase) pathBase[path] += baseline[node];
    }
    for (let node = count.nodes - 1; node >= 0; node--) {
      if (!chosen[node]) continue;
      if (parent[node] >= 0) within[parent[node]] += within[node];
      const of = method[node];
      if (of < 0) continue;
      const own = methodBits[of] | testBits[test[node]] | threadBits[thread[node]];
      if ((own & choice.neededOfRows) !== choice.neededOfRows) continue;
      rows[of] = 1;
      self[of] += energy[node];
      methodCalls[of] += calls[node];
      if (outermost[pathOf[node]]) inclusive[of] += within[node];
    }
    return {
      total,
      test: ofTest,
      thread: ofThread,
      method: { self, inclusive, calls: methodCalls },
      rows,
      kept,
      path: {
        self: pathSelf,
        inclusive: summedUp(paths.parent, pathSelf),
        calls: pathCalls,
        base: pathBase,
        baseInclusive: pathBase && summedUp(paths.parent, pathBase),
      },
      isWhole: state.test === null && state.thread === null && state.component === null && state.from === null,
    };
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
  return { compute, powerOverTime, summedUp };
})();
