"use strict";
// Trees of calls with the energies of a selection: from the top, and the callers and callees of one method.
// A tree has parents before children, `name(node)`, `methodOf(node)`, and columns of energies (µJ).
const callTrees = (() => {
  const named = (data, method, thread) => (node) => {
    if (method[node] === pageData.WHOLE) return "all threads";
    return method[node] === pageData.THREAD ? data.threads.name[thread[node]] : pageData.methodLabel(data, method[node]);
  };

  const fromTop = (data, result) => {
    const { parent, method, thread, children } = data.paths;
    return {
      parent,
      children,
      sorted: new Map(),
      name: named(data, method, thread),
      methodOf: (node) => method[node],
      self: result.path.self,
      inclusive: result.path.inclusive,
      calls: result.path.calls,
      base: result.path.baseInclusive,
    };
  };

  // Makes nodes while energies are added: child(node, method, thread) returns the node of a call below another.
  const growing = (method) => {
    const columns = { parent: [-1], method: [method], thread: [-1], self: [0], calls: [0], base: [0], inclusive: [0] };
    const nodes = new Map();
    const child = (node, of, thread) => {
      const key = `${node} ${of} ${of === pageData.THREAD ? thread : ""}`;
      let made = nodes.get(key);
      if (made === undefined) {
        made = columns.parent.push(node) - 1;
        columns.method.push(of);
        columns.thread.push(thread);
        for (const name of ["self", "calls", "base", "inclusive"]) columns[name].push(0);
        nodes.set(key, made);
      }
      return made;
    };
    return { columns, child };
  };
  const finished = (data, columns, hasBase) => {
    const parent = Int32Array.from(columns.parent);
    return {
      parent,
      children: pageData.childLists(parent),
      sorted: new Map(),
      name: named(data, columns.method, columns.thread),
      methodOf: (node) => columns.method[node],
      self: columns.self,
      inclusive: columns.inclusive,
      calls: columns.calls,
      base: hasBase ? columns.base : null,
    };
  };

  // What a method calls, over all places that call it.
  const callees = (data, result, wanted) => {
    const { parent, method, thread, outermost } = data.paths;
    const { columns, child } = growing(wanted);
    const below = new Int32Array(parent.length).fill(-1);
    for (let path = 1; path < parent.length; path++) {
      const caller = below[parent[path]];
      if (caller >= 0) below[path] = child(caller, method[path], thread[path]);
      else if (method[path] === wanted && outermost[path]) below[path] = 0;
      else continue;
      const node = below[path];
      columns.self[node] += result.path.self[path];
      columns.calls[node] += result.path.calls[path];
      if (result.path.base) columns.base[node] += result.path.base[path];
    }
    columns.inclusive = figures.summedUp(columns.parent, columns.self);
    columns.base = figures.summedUp(columns.parent, columns.base);
    return finished(data, columns, result.path.base !== null);
  };
  // The places that call a method: its callers, their callers, and so on to the thread.
  const callers = (data, result, wanted) => {
    const { parent, method, thread, outermost } = data.paths;
    const { columns, child } = growing(wanted);
    const add = (node, path) => {
      columns.inclusive[node] += result.path.inclusive[path];
      columns.calls[node] += result.path.calls[path];
      if (result.path.base) columns.base[node] += result.path.baseInclusive[path];
    };
    for (let path = 1; path < parent.length; path++) {
      if (method[path] !== wanted || !outermost[path]) continue;
      let node = 0;
      add(node, path);
      for (let above = parent[path]; above > 0; above = parent[above]) {
        node = child(node, method[above], thread[above]);
        add(node, path);
      }
    }
    return finished(data, columns, result.path.base !== null);
  };
  const childrenOf = (tree, node) => tree.children.list.subarray(tree.children.start[node], tree.children.start[node + 1]);
  // What a call's width stands for: with a baseline, the larger of its energies, so that calls that vanished stay visible.
  const weight = (tree, node) => Math.max(tree.inclusive[node], tree.base ? tree.base[node] : 0);
  // Children with energy, now or in the baseline, the largest first. Those of a node are sorted once for all views.
  const largestFirst = (tree, node) => {
    let children = tree.sorted.get(node);
    if (children === undefined) {
      children = childrenOf(tree, node)
        .filter((child) => weight(tree, child) > 0)
        .sort((a, b) => weight(tree, b) - weight(tree, a) || a - b);
      tree.sorted.set(node, children);
    }
    return children;
  };
  const hasChildren = (tree, node) => childrenOf(tree, node).some((child) => weight(tree, child) > 0);

  // Frames of at least `least` pixels, by depth. The callers of a node that is enlarged have the whole width.
  const layout = (tree, root, width, least) => {
    const rows = [];
    const above = [];
    for (let node = root; node >= 0; node = tree.parent[node]) above.unshift(node);
    for (const node of above) rows.push([{ node, x: 0, width }]);
    if (!(weight(tree, root) > 0)) return rows;
    let last = rows.at(-1);
    while (last.length) {
      const next = [];
      for (const frame of last) {
        const children = largestFirst(tree, frame.node);
        // Corrections for probes can leave a caller with less than its callees.
        const sum = children.reduce((all, child) => all + weight(tree, child), 0);
        const scale = frame.width / Math.max(weight(tree, frame.node), sum);
        let { x } = frame;
        for (const child of children) {
          const childWidth = weight(tree, child) * scale;
          if (childWidth < least) break;
          next.push({ node: child, x, width: childWidth });
          x += childWidth;
        }
      }
      if (next.length) rows.push(next);
      last = next;
    }
    return rows;
  };
  return { fromTop, callers, callees, largestFirst, hasChildren, layout, weight };
})();
