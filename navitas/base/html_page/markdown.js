"use strict";
// Copies a table as Markdown.
const markdown = (() => {
  // Backslashes keep names from ending a cell or starting markup.
  const escaped = (text) =>
    text
      .replace(/\s+/g, " ")
      .trim()
      .replace(/[\\|`*_<>[\]]/g, "\\$&");
  const table = (heads, rows) => {
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rule = heads.map((head) => (head.isFigure ? "---:" : "---"));
    const texts = rows.map((row) => line(row.map(escaped)));
    return [line(heads.map((head) => escaped(head.text))), line(rule), ...texts].join("\n") + "\n";
  };
  // The rows that a table of the document shows.
  const ofTable = (shown) => {
    const heads = Array.from(shown.tHead.rows[0].cells, (cell) => ({
      text: cell.textContent,
      isFigure: cell.classList.contains("n"),
    }));
    const rows = Array.from(shown.tBodies[0].rows).filter((row) => !row.hidden);
    return table(
      heads,
      rows.map((row) => Array.from(row.cells, (cell) => cell.textContent))
    );
  };
  // Pages from a disk may lack the clipboard's interface.
  const write = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = dom.element("textarea", { class: "away", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  // A button that copies what `text` returns, and says so.
  const copyButton = (text) => {
    const label = "Copy as Markdown";
    const made = dom.button(
      label,
      async () => {
        await write(text());
        made.textContent = "Copied";
        setTimeout(() => (made.textContent = label), 2000);
      },
      { class: "quiet", "aria-live": "polite" }
    );
    return made;
  };
  return { table, ofTable, copyButton };
})();
