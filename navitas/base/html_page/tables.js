"use strict";
// Tables that the document has: a click on a heading sorts, a field filters rows by words, a button copies them.
const tables = (() => {
  const SEARCH_FROM = 8; // rows
  const collator = new Intl.Collator("en", { numeric: true });

  // Numbers before texts; what has no number is last in both directions.
  const compare = (a, b, sign) => {
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return sign * collator.compare(a, b);
  };
  // Turns the content of each heading into a button. `sort` receives the heading and the sign.
  const sortable = (table, sort) => {
    const heads = [...table.tHead.rows[0].cells];
    const mark = (head, order) => {
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
    };
    for (const head of heads) {
      const label = [...head.childNodes];
      if (!head.textContent.trim()) continue;
      const button = dom.button("", () => {
        const before = head.getAttribute("aria-sort");
        const first = head.classList.contains("n") ? "descending" : "ascending";
        const order = before === "descending" ? "ascending" : before === "ascending" ? "descending" : first;
        mark(head, order);
        sort(head, order === "ascending" ? 1 : -1);
      });
      button.append(...label);
      head.append(button);
    }
    return mark;
  };

  // Leaves columns out until a table fits its frame: `drops` are their indexes, the first to go first. Returns the button that
  // shows all of them, and `soon`, which fits the table again. In print, all columns are there (page.css).
  const fitted = (table, frame, drops) => {
    const nameOf = (column) => `without-${column}`;
    let fittedWidth = 0;
    let isWide = false;
    let waiting = 0;
    const fit = () => {
      waiting = 0;
      const width = frame.clientWidth;
      if (!width) return;
      if (width !== fittedWidth) table.classList.remove(...drops.map(nameOf));
      fittedWidth = width;
      for (const column of isWide ? [] : drops) {
        if (table.offsetWidth <= width) break;
        table.classList.add(nameOf(column));
      }
      button.hidden = !isWide && !drops.some((column) => table.classList.contains(nameOf(column)));
      showWholeRows();
    };
    // A frame that scrolls ends below a row, not within one.
    const showWholeRows = () => {
      const most = parseFloat(getComputedStyle(frame).maxHeight); // NaN: as high as its rows
      const border = frame.offsetHeight - frame.clientHeight;
      let height = 0;
      let isCut = false;
      for (const row of most ? table.tBodies[0].rows : []) {
        const end = row.offsetTop + row.offsetHeight + border;
        isCut = end > most;
        if (isCut) break;
        height = end;
      }
      frame.style.height = isCut && height ? `${height}px` : "";
    };
    const soon = () => {
      waiting ||= requestAnimationFrame(fit);
    };
    const button = dom.button(
      "All columns",
      () => {
        isWide = !isWide;
        fittedWidth = 0;
        button.setAttribute("aria-pressed", String(isWide));
        table.closest(".table")?.classList.toggle("wide", isWide);
        soon();
      },
      { class: "quiet", "aria-pressed": "false", hidden: true }
    );
    dom.watchWidth(frame, soon);
    return { button, soon };
  };

  const enhance = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const value = (row, column) => {
      const { number } = row.cells[column].dataset;
      return number === undefined ? row.cells[column].textContent : Number(number);
    };
    sortable(table, (head, sign) => {
      const keyed = Array.from(body.rows, (row) => [value(row, head.cellIndex), row]);
      keyed.sort((a, b) => compare(a[0], b[0], sign));
      body.append(...keyed.map((pair) => pair[1]));
    });
    const tools = dom.element("div", { class: "table-tools" });
    const texts = rows.map((row) => row.textContent.toLowerCase());
    if (rows.length >= SEARCH_FROM) {
      const shown = dom.element("output", {});
      const field = dom.element("input", {
        type: "search",
        oninput: () => {
          const words = search.wordsOf(field.value);
          rows.forEach((row, index) => (row.hidden = !search.hasWords(texts[index], words)));
          const count = rows.filter((row) => !row.hidden).length;
          shown.textContent = words.length ? `${units.count(count)} of ${units.count(rows.length)}` : "";
        },
      });
      tools.append(dom.element("label", { class: "field inline" }, dom.element("span", {}, "Search this table"), field), shown);
    }
    const frame = table.closest(".scroll");
    // The name and the first figure stay.
    const heads = [...table.tHead.rows[0].cells];
    const firstFigure = heads.findIndex((head) => head.classList.contains("n"));
    const drops = heads.map((_, column) => column).filter((column) => column && column !== firstFigure);
    tools.append(fitted(table, frame, drops.reverse()).button, markdown.copyButton(() => markdown.ofTable(table)));
    frame.before(tools);
    frame.tabIndex = 0; // A frame that scrolls has to be reachable by keyboard.
  };
  const start = () => document.querySelectorAll("table.sortable").forEach(enhance);
  return { start, sortable, fitted, compare };
})();
