"use strict";
// The page's data as typed arrays, and what doesn't depend on the selection: equal call paths of all tests, merged by thread.
const pageData = (() => {
  const OUTSIDE = -1;
  const SMALLER = -2;
  const THREAD = -3; // a path that stands for a whole thread
  const WHOLE = -4; // the path above all threads

  // Children of each node: those of node n are list[start[n]] to list[start[n + 1] - 1].
  const childLists = (parent) => {
    const count = parent.length;
    const start = new Int32Array(count + 1);
    for (let node = 0; node < count; node++) if (parent[node] >= 0) start[parent[node] + 1]++;
    for (let node = 0; node < count; node++) start[node + 1] += start[node];
    const next = start.slice(0, count);
    const list = new Int32Array(start[count]);
    for (let node = 0; node < count; node++) if (parent[node] >= 0) list[next[parent[node]]++] = node;
    return { start, list };
  };

  // Whether no caller of a node has the same method. Energies with callees count such nodes only.
  const outermostCalls = (parent, method, children, methodCount) => {
    const outermost = new Uint8Array(parent.length);
    const open = new Int32Array(methodCount);
    const stack = [];
    for (let node = 0; node < parent.length; node++) if (parent[node] < 0) stack.push(node);
    while (stack.length) {
      const node = stack.pop();
      if (node < 0) {
        open[method[~node]]--;
        continue;
      }
      if (method[node] >= 0) {
        outermost[node] = open[method[node]]++ === 0 ? 1 : 0;
        stack.push(~node);
      }
      for (let at = children.start[node]; at < children.start[node + 1]; at++) stack.push(children.list[at]);
    }
    return outermost;
  };

  // Merges nodes with equal thread names and methods from the top. Parents come before their children, in both.
  const mergedPaths = (nodes, threadOf, methodCount) => {
    const pathOf = new Int32Array(nodes.parent.length);
    const parent = [-1];
    const method = [WHOLE];
    const thread = [-1];
    const threadPaths = new Map();
    const paths = new Map();
    const width = methodCount + 2;
    for (let node = 0; node < pathOf.length; node++) {
      let above = nodes.parent[node];
      const owner = threadOf[nodes.thread[node]];
      if (above >= 0) {
        above = pathOf[above];
      } else {
        above = threadPaths.get(owner);
        if (above === undefined) {
          above = parent.push(0) - 1;
          method.push(THREAD);
          thread.push(owner);
          threadPaths.set(owner, above);
        }
      }
      const key = above * width + nodes.method[node] + 2;
      let path = paths.get(key);
      if (path === undefined) {
        path = parent.push(above) - 1;
        method.push(nodes.method[node]);
        thread.push(owner);
        paths.set(key, path);
      }
      pathOf[node] = path;
    }
    return { pathOf, parent: Int32Array.from(parent), method: Int32Array.from(method), thread: Int32Array.from(thread) };
  };

  const firstIndexes = (names) => {
    const indexes = new Map();
    names.forEach((name, index) => indexes.has(name) || indexes.set(name, index));
    return indexes;
  };

  const read = (text) => {
    const raw = JSON.parse(text);
    const columns = (names, type) => Object.fromEntries(names.map((name) => [name, type.from(raw.nodes[name])]));
    const nodes = {
      ...columns(["parent", "method", "test", "thread"], Int32Array),
      ...columns(["self_uj", "calls"], Float64Array),
      by: raw.nodes.by || {},
    };
    const methodCount = raw.methods.label.length;
    raw.methods.module ??= new Int32Array(methodCount); // of an app with one module
    const testIndexes = firstIndexes(raw.tests.label);
    // Threads with equal names are one for the page, but for whether they count as the app's; so are tests.
    const threadKeys = raw.threads.name.map((name, thread) => `${raw.threads.app[thread]} ${name}`);
    const threadIndexes = firstIndexes(threadKeys);
    const threadOf = Int32Array.from(threadKeys, (key) => threadIndexes.get(key));
    const testOf = Int32Array.from(raw.tests.label, (label) => testIndexes.get(label));
    const paths = mergedPaths(nodes, threadOf, methodCount);
    paths.children = childLists(paths.parent);
    paths.outermost = outermostCalls(paths.parent, paths.method, paths.children, methodCount);
    return {
      ...raw,
      nodes,
      paths,
      threadOf,
      testOf,
      count: { nodes: nodes.parent.length, methods: methodCount, tests: raw.tests.label.length, paths: paths.parent.length },
      index: {
        test: testIndexes,
        thread: firstIndexes([...raw.threads.name, ...raw.threads.role]),
        module: firstIndexes(raw.modules),
        method: firstIndexes(raw.methods.full),
      },
      // A thread is selected by its name, or with all others of its role.
      roleOf: new Map(raw.threads.name.map((name, thread) => [name, raw.threads.role[thread]])),
      // What a search looks at.
      searched: raw.methods.full.map((full, at) => `${raw.methods.label[at]} ${full} ${raw.methods.source[at]}`.toLowerCase()),
      bins: raw.bins && raw.bins.node.length ? raw.bins : null,
    };
  };

  // The run that is shown over time: the selected one, that of the selected test, or the first.
  const shownRun = (data, state) => {
    const number = state.run ?? data.tests.run[data.index.test.get(state.test)];
    return data.timeline.find(({ run }) => run === number) ?? data.timeline[0];
  };
  // The first and the last ms of a run.
  const timesOf = (run) => {
    const steps = Math.max(1, ...Object.values(run.components).map((mw) => mw.length));
    return { first: run.start_ms, last: run.start_ms + steps * run.step_ms };
  };
  // Removes from a state a run that is not the test's, and times outside the run.
  const fit = (data, state) => {
    if (!data.timeline.length) return;
    const ofTest = data.tests.run[data.index.test.get(state.test)] ?? -1;
    if (state.run !== null && ofTest >= 0 && state.run !== ofTest) state.run = state.from = state.to = null;
    const { first, last } = timesOf(shownRun(data, state));
    for (const end of ["from", "to"]) if (state[end] !== null) state[end] = Math.min(Math.max(state[end], first), last);
  };
  const methodLabel = (data, method) =>
    method >= 0 ? data.methods.label[method] : method === SMALLER ? "(smaller)" : data.samples ? "(not sampled)" : "(untraced)";

  return { OUTSIDE, SMALLER, THREAD, WHOLE, read, childLists, shownRun, timesOf, fit, methodLabel };
})();
