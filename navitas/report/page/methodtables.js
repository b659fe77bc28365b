"use strict";
// The tables of tests and of methods. They follow the selection, select by a click or Enter, and make rows when these scroll
// into view.
const methodTables = (() => {
  const CHUNK = 20;

  const withInterval = (uj, interval) => [units.energy(uj), ...(interval ? [" ", dom.element("small", {}, interval)] : [])];

  const percent = (value) => `${value > 0 ? "+" : ""}${value.toFixed(1)}`;

  // A table of lazily made rows. `rows` has: key, count, name(row), isShown(row), isSelected(row), canSelect(row) (default: all
  // can), columns {key: {head, value(row), parts(row), isText}}, of which the first is that of the name, and `drops`: the columns
  // that a narrow table goes without, the first of them first.
  const start = (table, rows) => {
    if (!table) return () => {}; // a recording without tests has no table of them
    const keys = Object.keys(rows.columns);
    const isFigure = (key) => !rows.columns[key].isText;
    const heads = keys.map((key) =>
      dom.element("th", { scope: "col", class: isFigure(key) ? "n" : null }, rows.columns[key].head)
    );
    table.tHead.rows[0].replaceChildren(...heads);
    const frame = table.closest(".scroll");
    const body = table.tBodies[0];
    const caption = dom.element("output", {});
    let order = Int32Array.from({ length: rows.count }, (_, row) => row);
    let sorted = { key: rows.sortedBy, sign: -1 };
    let shown = [];
    let made = 0;
    let focused = 0; // the row that Tab reaches
    let isScrolled = false;
    const drops = rows.drops.filter((key) => key in rows.columns).map((key) => keys.indexOf(key));
    const fitted = tables.fitted(table, frame, drops);

    const column = (key) => rows.columns[key];
    const sort = () => {
      const { value } = column(sorted.key);
      const values = Array.from({ length: rows.count }, (_, row) => value(row));
      order = Int32Array.from({ length: rows.count }, (_, row) => row).sort(
        (a, b) => tables.compare(values[a], values[b], sorted.sign) || a - b
      );
    };
    const cell = (key, row) => dom.element("td", { class: isFigure(key) ? "n" : null }, ...column(key).parts(row));
    const pick = (row, index) =>
      dom.element(
        "button",
        {
          type: "button",
          class: "pick",
          "aria-pressed": String(rows.isSelected(row)),
          tabindex: index === focused ? "0" : "-1",
          "aria-disabled": rows.canSelect?.(row) === false ? "true" : null,
          onclick: () => rows.canSelect?.(row) !== false && selection.toggle(rows.key, rows.name(row)),
          onkeydown: (event) => move(event, index),
        },
        ...column(keys[0]).parts(row)
      );
    const more = () => {
      const end = Math.min(made + CHUNK, shown.length);
      const added = document.createDocumentFragment();
      for (; made < end; made++) {
        const row = shown[made];
        const line = dom.element("tr", { class: rows.isSelected(row) ? "selected-row" : null });
        for (const key of keys) {
          if (key === keys[0]) line.append(dom.element("th", { scope: "row" }, pick(row, made), ...(rows.details?.(row) ?? [])));
          else line.append(cell(key, row));
        }
        added.append(line);
      }
      body.append(added);
    };
    const focusRow = (index) => {
      const next = Math.min(Math.max(index, 0), shown.length - 1);
      while (made <= next) more();
      const buttons = body.querySelectorAll(".pick");
      if (buttons[focused]) buttons[focused].tabIndex = -1;
      focused = next;
      buttons[focused].tabIndex = 0;
      buttons[focused].focus();
    };
    const move = (event, index) => {
      const steps = {
        ArrowDown: index + 1,
        ArrowUp: index - 1,
        PageDown: index + 10,
        PageUp: index - 10,
        Home: 0,
        End: shown.length - 1,
      };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      focusRow(steps[event.key]);
    };
    const draw = () => {
      const hadFocus = body.contains(document.activeElement);
      const previous = hadFocus ? shown[focused] : null;
      sort();
      shown = Array.from(order).filter(rows.isShown);
      focused = Math.max(previous === null ? shown.findIndex(rows.isSelected) : shown.indexOf(previous), 0);
      made = 0;
      body.replaceChildren();
      more();
      if (!shown.length) {
        body.append(dom.element("tr", {}, dom.element("td", { colspan: keys.length, class: "empty" }, rows.nothing)));
      }
      if (hadFocus && shown.length) focusRow(focused);
      else if (isScrolled) frame.scrollTop = 0;
      fitted.soon();
      caption.textContent =
        shown.length === rows.count ? units.count(rows.count) : `${units.count(shown.length)} of ${units.count(rows.count)}`;
    };
    const mark = tables.sortable(table, (head, sign) => {
      sorted = { key: keys[head.cellIndex], sign };
      draw();
    });
    mark(heads[keys.indexOf(sorted.key)], "descending");
    frame.addEventListener("scroll", () => {
      isScrolled = frame.scrollTop > 0;
      if (frame.scrollTop + frame.clientHeight > frame.scrollHeight - 200) more();
    });
    const text = (parts) => parts.map((part) => part.textContent ?? part).join("");
    const copied = () =>
      markdown.table(
        keys.map((key) => ({ text: column(key).head, isFigure: isFigure(key) })),
        shown.map((row) => keys.map((key) => text(column(key).parts(row))))
      );
    document
      .getElementById(`${table.id}-title`)
      .append(dom.element("span", { class: "heading-tools" }, caption, fitted.button, markdown.copyButton(copied)));
    return draw;
  };

  // Both tables. Returns what redraws them.
  const startBoth = (data) => {
    let state = selection.state;
    let result = null;
    const { tests, methods } = data;
    const share = (uj) => uj === null ? [units.UNKNOWN] : [units.percent(uj, data.figures.app_uj), dom.bar(uj / data.figures.app_uj)];
    const number = (head, value, write) => ({ head, value, parts: (row) => [write(value(row))] });

    const hasRun = (row) => tests.app_uj[row] !== null;
    const testEnergy = (row) => (onlyTest() ? tests.app_uj[row] : result.test[row]);
    // The choice of a test doesn't change the figures of tests.
    const onlyTest = () =>
      [state.thread, state.component, state.from, state.module, state.method].every((value) => value === null) && !state.text;
    const inTime = (row) =>
      state.from === null || data.bins !== null || (tests.end_ms[row] > state.from && tests.start_ms[row] < state.to);
    const whole = (column) => (row) => (onlyTest() ? tests[column][row] : null);
    const testsBefore = data.baseline?.tests?.app_uj;
    const testDifference = (row) => {
      const before = testsBefore?.[row] ?? null;
      return before === null || !hasRun(row) || !onlyTest() ? null : tests.app_uj[row] - before;
    };
    // A difference with the 95 % interval of its runs, in percent of the energy before.
    const change = (value, { low_percent: low, high_percent: high }) => ({
      head: "Difference",
      value,
      parts: (row) => {
        const uj = value(row);
        if (uj === null) return [units.UNKNOWN];
        const said = low[row] === null ? "interval not known" : `${percent(low[row])} to ${percent(high[row])} %`;
        return [units.signed(uj), " ", dom.element("small", {}, said)];
      },
    });
    // Each status, such as `2 passed` or `starved`, in the color of all but `passed`.
    const statuses = (row) =>
      tests.status[row]
        .split(/(?<=, )/)
        .map((text) => dom.element("span", { class: /\bpassed\b/.test(text) ? null : "bad" }, text));
    const drawTests = start(document.getElementById("tests"), {
      key: "test",
      count: data.count.tests,
      sortedBy: "energy",
      nothing: "No test has energy of this selection.",
      name: (row) => tests.label[row],
      isSelected: (row) => tests.label[row] === state.test && hasRun(row),
      canSelect: hasRun,
      drops: ["power", "wall", "status", "share", "difference"],
      isShown: (row) =>
        onlyTest() || (data.testOf[row] === row && result.test[row] !== 0 && inTime(row)) || tests.label[row] === state.test,
      details: (row) => [
        ...(tests.class[row] ? [dom.element("small", { title: tests.class[row] }, tests.class[row].split(".").at(-1))] : []),
        // Shown where the column of the status is not.
        ...(["", "passed"].includes(tests.status[row]) ? [] : [dom.element("small", { class: "status-note" }, ...statuses(row))]),
        ...(tests.failure?.[row] ? [dom.element("small", { class: "note" }, tests.failure[row])] : []),
      ],
      columns: {
        label: {
          head: "Test",
          isText: true,
          value: (row) => tests.label[row],
          parts: (row) => [dom.code(tests.name[row] || tests.label[row])],
        },
        energy: {
          head: "App energy",
          value: testEnergy,
          parts: (row) => withInterval(testEnergy(row), onlyTest() ? tests.interval[row] : null),
        },
        share: { head: "Share", value: testEnergy, parts: (row) => share(testEnergy(row)) },
        power: number("Mean power", whole("mean_mw"), units.power),
        wall: number("Wall time", (row) => tests.wall_ms[row], units.time),
        status: { head: "Status", isText: true, value: (row) => tests.status[row], parts: statuses },
        ...(testsBefore && { difference: change(testDifference, data.baseline.tests) }),
      },
    });

    const ofMethod = (key) => (row) => (result.isWhole && !state.text ? methods[`${key}_uj`][row] : result.method[key][row]);
    const self = ofMethod("self");
    const inclusive = ofMethod("inclusive");
    const hasTimes = () => state.from === null;
    const calls = (row) => (!hasTimes() ? null : result.isWhole && !state.text ? methods.calls[row] : result.method.calls[row]);
    // The interval and the self power are those of all tests: they hold where the selection has all of a method's energy.
    const isAll = (row) => Math.abs(self(row) - methods.self_uj[row]) <= 1e-3 * Math.abs(methods.self_uj[row]);
    const perCall = (row) => (calls(row) ? inclusive(row) / calls(row) : null);
    const selfPower = (row) => (isAll(row) ? methods.self_mw[row] : null);
    const module = (row) => data.modules[methods.module[row]];
    const baseline = data.baseline?.methods;
    const difference = (row) => (baseline && result.isWhole && !state.text ? self(row) - baseline.self_uj[row] : null);
    const drawMethods = start(document.getElementById("methods"), {
      key: "method",
      count: data.count.methods,
      drops: ["module", "power", "perCall", "calls", "inclusive", "share", "difference"],
      sortedBy: "energy",
      nothing: "No method has energy of this selection.",
      name: (row) => methods.full[row],
      isSelected: (row) => methods.full[row] === state.method,
      isShown: (row) =>
        (result.isWhole && !state.text && state.module === null) || result.rows[row] === 1 || methods.full[row] === state.method,
      details: (row) => [
        ...(methods.source[row] ? [dom.element("small", { class: "source" }, methods.source[row])] : []),
        ...(methods.code?.[row] ? [dom.element("code", { class: "line" }, methods.code[row])] : []),
        ...(methods.note[row] ? [dom.element("small", { class: "note" }, methods.note[row])] : []),
      ],
      columns: {
        label: {
          head: "Method",
          isText: true,
          value: (row) => methods.label[row],
          parts: (row) => [dom.code(methods.label[row])],
        },
        energy: { head: "Self", value: self, parts: (row) => withInterval(self(row), isAll(row) ? methods.interval[row] : null) },
        share: { head: "Share", value: self, parts: (row) => share(self(row)) },
        power: number("Self power", selfPower, units.power),
        inclusive: number("Inclusive", inclusive, units.energy),
        calls: number(data.samples ? "Samples" : "Calls", calls, units.count),
        ...(!data.samples && { perCall: number("Per call", perCall, units.energy) }),
        ...(data.modules.length > 1 && { module: { ...number("Module", module, String), isText: true } }),
        ...(baseline && { difference: change(difference, baseline) }),
      },
    });
    return (newState, newResult) => {
      state = newState;
      result = newResult;
      drawTests();
      drawMethods();
    };
  };
  return { start: startBoth };
})();
