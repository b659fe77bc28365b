"use strict";
(() => {
  // Tables: a click on a heading sorts by its column, a second click reverses the order.
  const collator = new Intl.Collator("en", { numeric: true });
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.number === undefined ? cell.textContent : Number(cell.dataset.number);
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return 1;
    return typeof b === "number" ? -1 : collator.compare(a, b);
  };
  const sort = (table, heading) => {
    const isText = !heading.classList.contains("n");
    const before = heading.getAttribute("aria-sort");
    const order = before ? (before === "descending" ? "ascending" : "descending") : isText ? "ascending" : "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const keyed = Array.from(table.tBodies[0].rows, (row) => [value(row, heading.cellIndex), row]);
    keyed.sort((a, b) => sign * compare(a[0], b[0]));
    table.tBodies[0].append(...keyed.map((pair) => pair[1]));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
  }

  // Search: shows the rows that contain all words.
  for (const input of document.querySelectorAll("input[data-table]")) {
    const rows = Array.from(document.getElementById(input.dataset.table).tBodies[0].rows);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const count = document.getElementById(input.dataset.table + "-count");
    input.closest("label").hidden = false;
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, number) => {
        row.hidden = !words.every((word) => texts[number].includes(word));
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = words.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
    });
  }

  // Flame graph: the viewer runs in a frame with an opaque origin and receives the data as a message.
  const frame = document.getElementById("flame");
  if (!frame) return;
  const status = document.getElementById("flame-status");
  const states = {
    "no-webgl": "The flame graph needs WebGL, which this browser does not offer. The tables below have the same energies.",
    failed: "The flame graph viewer did not start. The tables below have the same energies.",
  };
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow) return;
    if (event.data === "ready") {
      frame.contentWindow.postMessage(document.getElementById("flame-data").textContent, "*");
    } else if (event.data === "drawn") {
      status.hidden = true;
      document.documentElement.dataset.flame = "drawn";
    } else {
      status.textContent = states[event.data] || states.failed;
      frame.hidden = true;
    }
  });
  status.textContent = "Drawing the flame graph …";
  frame.srcdoc = document.getElementById("viewer").dataset.document;
})();
