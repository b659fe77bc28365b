"use strict";
// The call tree by thread, as a table of rows that open: the text of the flame graph. Rows are made when they open.
const callTree = (() => {
  const CHILDREN = 15; // at first, of one call
  const OPEN_SHARE = 0.5; // of its caller's energy: the largest calls are open at the start
  const OPEN_DEPTH = 8;

  const start = (place, data) => {
    place.replaceChildren();
    const hasBase = data.baseline !== null && data.baseline !== undefined;
    const counted = data.samples ? ["Samples"] : ["Calls", "Per call"];
    const heads = ["Call", "Inclusive", "Share", "Self", ...counted, ...(hasBase ? ["Difference"] : [])];
    const body = dom.element("tbody", {});
    const table = dom.element(
      "table",
      { class: "calltree", role: "treegrid", "aria-label": "Call tree by thread" },
      dom.element(
        "thead",
        {},
        dom.element("tr", {}, ...heads.map((head, index) => dom.element("th", { scope: "col", class: index ? "n" : null }, head)))
      ),
      body
    );
    const frame = dom.element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Call tree" }, table);
    const fitted = tables.fitted(table, frame, [4, 3, 2, 5, 6].filter((column) => column < heads.length));
    const title = dom.element(
      "h3",
      {},
      "Call tree by thread",
      dom.element(
        "span",
        { class: "heading-tools" },
        fitted.button,
        markdown.copyButton(() => markdown.ofTable(table))
      )
    );
    place.append(title, frame);
    const view = { tree: null, state: null, open: new Set(), limit: new Map(), rows: [], active: 0, isFresh: true };

    const cells = (node) => {
      const { tree, state } = view;
      const hasCalls = tree.methodOf(node) >= 0 && state.from === null && tree.calls[node] > 0;
      const figuresOfNode = [
        units.energy(tree.inclusive[node]),
        null,
        units.energy(tree.self[node]),
        hasCalls ? units.count(tree.calls[node]) : units.UNKNOWN,
        ...(data.samples ? [] : [hasCalls ? units.energy(tree.inclusive[node] / tree.calls[node]) : units.UNKNOWN]),
        ...(hasBase ? [tree.base ? units.signed(tree.inclusive[node] - tree.base[node]) : units.UNKNOWN] : []),
      ];
      const total = data.figures.app_uj;
      return figuresOfNode.map((text) =>
        dom.element(
          "td",
          { class: "n", role: "gridcell" },
          ...(text === null ? [units.percent(tree.inclusive[node], total), dom.bar(tree.inclusive[node] / total)] : [text])
        )
      );
    };
    const children = (node) => callTrees.largestFirst(view.tree, node);
    const row = (node, level, position, size) => {
      const isParent = callTrees.hasChildren(view.tree, node);
      const isOpen = view.open.has(node);
      const name = dom.element("td", { role: "gridcell", class: "call" });
      name.style.paddingLeft = `${0.4 + Math.min(level - 1, 24) * 0.9}rem`;
      const sign = dom.element("span", { class: "sign", "aria-hidden": "true" }, isParent ? (isOpen ? "▾" : "▸") : "");
      const label =
        view.tree.methodOf(node) === pageData.THREAD
          ? dom.element("b", {}, view.tree.name(node))
          : dom.code(view.tree.name(node));
      name.append(sign, label);
      return dom.element(
        "tr",
        {
          role: "row",
          "aria-level": level,
          "aria-posinset": position,
          "aria-setsize": size,
          "aria-expanded": isParent ? String(isOpen) : null,
          "aria-selected": String(isSelected(node)),
          "data-node": node,
          tabindex: "-1",
        },
        name,
        ...cells(node)
      );
    };
    const isSelected = (node) => {
      const method = view.tree.methodOf(node);
      return method >= 0 ? data.methods.full[method] === view.state.method : view.tree.name(node) === view.state.thread;
    };
    // The rows of an open call, in order, without recursion: call trees can be deep.
    const rowsBelow = (top) => {
      const made = [];
      const level = (node) => Number(node === 0 ? 0 : levels.get(node));
      const levels = new Map([[top, Number(body.querySelector(`[data-node="${top}"]`)?.getAttribute("aria-level") ?? 0)]]);
      const stack = [];
      const push = (node) => {
        const all = children(node);
        const limit = view.limit.get(node) ?? CHILDREN;
        if (all.length > limit) stack.push({ more: all.length - limit, of: node, level: level(node) + 1 });
        for (let index = Math.min(all.length, limit) - 1; index >= 0; index--) {
          levels.set(all[index], level(node) + 1);
          stack.push({ node: all[index], position: index + 1, size: all.length });
        }
      };
      push(top);
      while (stack.length) {
        const next = stack.pop();
        if (next.node === undefined) {
          made.push(moreRow(next));
          continue;
        }
        made.push(row(next.node, levels.get(next.node), next.position, next.size));
        if (view.open.has(next.node)) push(next.node);
      }
      return made;
    };
    const moreRow = ({ more, of, level }) =>
      dom.element(
        "tr",
        { role: "row", "aria-level": level, "data-more": of, tabindex: "-1" },
        dom.element(
          "td",
          { role: "gridcell", colspan: heads.length, class: "more" },
          `${units.count(more)} smaller calls: show more`
        )
      );

    const activate = (index, takesFocus) => {
      const rows = [...body.rows];
      rows.forEach((line) => (line.tabIndex = -1));
      view.active = Math.min(Math.max(index, 0), rows.length - 1);
      if (view.active < 0) return;
      rows[view.active].tabIndex = 0;
      if (takesFocus) rows[view.active].focus();
    };
    // Rows below a line: those that follow with a higher level.
    const fold = (line) => {
      const level = Number(line.getAttribute("aria-level"));
      while (line.nextElementSibling && Number(line.nextElementSibling.getAttribute("aria-level")) > level)
        line.nextElementSibling.remove();
    };
    const setOpen = (line, isOpen) => {
      const node = Number(line.dataset.node);
      fold(line);
      if (isOpen) {
        view.open.add(node);
        line.after(...rowsBelow(node));
      } else {
        view.open.delete(node);
      }
      line.setAttribute("aria-expanded", String(isOpen));
      line.querySelector(".sign").textContent = isOpen ? "▾" : "▸";
      fitted.soon();
    };
    const showMore = (line) => {
      const of = Number(line.dataset.more);
      const index = [...body.rows].indexOf(line);
      view.limit.set(of, (view.limit.get(of) ?? CHILDREN) * 5);
      if (of === 0) {
        body.replaceChildren(...rowsBelow(0));
      } else {
        const owner = body.querySelector(`[data-node="${of}"]`);
        setOpen(owner, true);
      }
      activate(index, true);
    };
    const choose = (line) => {
      if (line.dataset.more !== undefined) return showMore(line);
      const method = view.tree.methodOf(Number(line.dataset.node));
      if (method >= 0) selection.toggle("method", data.methods.full[method]);
      else if (method === pageData.THREAD) selection.toggle("thread", view.tree.name(Number(line.dataset.node)));
      return undefined;
    };
    body.addEventListener("click", (event) => {
      const line = event.target.closest("tr");
      const isOpen = line.getAttribute("aria-expanded");
      activate([...body.rows].indexOf(line), true);
      if (line.dataset.more !== undefined) showMore(line);
      else if (event.target.closest("code, b")) choose(line);
      else if (isOpen !== null) setOpen(line, isOpen === "false");
    });
    body.addEventListener("keydown", (event) => {
      const line = event.target.closest("tr");
      if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
      const rows = [...body.rows];
      const index = rows.indexOf(line);
      const isOpen = line.getAttribute("aria-expanded");
      const level = Number(line.getAttribute("aria-level"));
      const parent = () => rows.slice(0, index).findLastIndex((other) => Number(other.getAttribute("aria-level")) < level);
      const steps = {
        ArrowDown: () => activate(index + 1, true),
        ArrowUp: () => activate(index - 1, true),
        Home: () => activate(0, true),
        End: () => activate(rows.length - 1, true),
        ArrowRight: () => (isOpen === "false" ? setOpen(line, true) : isOpen === "true" && activate(index + 1, true)),
        ArrowLeft: () => (isOpen === "true" ? setOpen(line, false) : parent() >= 0 && activate(parent(), true)),
        Enter: () => choose(line),
        " ": () => choose(line),
      };
      if (!(event.key in steps)) return;
      event.preventDefault();
      steps[event.key]();
    });

    // At first, the calls with the most energy are open.
    const openLargest = () => {
      let node = 0;
      for (let depth = 0; depth < OPEN_DEPTH; depth++) {
        const largest = children(node)[0];
        if (largest === undefined || (depth > 1 && view.tree.inclusive[largest] < OPEN_SHARE * view.tree.inclusive[node])) return;
        view.open.add(largest);
        node = largest;
      }
    };
    return (state, result) => {
      const focusedNode = body.contains(document.activeElement) ? document.activeElement.dataset.node : undefined;
      view.state = state;
      view.tree = result.tree;
      if (view.isFresh) openLargest();
      view.isFresh = false;
      body.replaceChildren(...rowsBelow(0));
      if (!body.rows.length)
        body.append(
          dom.element(
            "tr",
            { role: "row" },
            dom.element(
              "td",
              { role: "gridcell", colspan: heads.length, class: "empty" },
              "No calls have energy of this selection."
            )
          )
        );
      fitted.soon();
      const index = focusedNode === undefined ? -1 : [...body.rows].findIndex((line) => line.dataset.node === focusedNode);
      activate(Math.max(index, 0), index >= 0);
    };
  };
  return { start };
})();
