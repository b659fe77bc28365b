"""Text, tables and data in HTML: whatever a name is, it stays text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from navitas.untrusted_text import boxed

_LONGEST = 300
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its HTML, and the number that it sorts by. Cells without a number sort by their text."""

    html: str
    number: float | None = None


def text(value: str, limit: int = _LONGEST) -> str:
    """Escaped; characters that cannot be seen, or turn the direction of others, are shown as a box, and long texts are cut."""
    return html.escape(boxed(value, limit))


def name(value: str, limit: int = _LONGEST) -> str:
    """A name in a monospaced font."""
    return f"<code>{text(value, limit)}</code>"


def table(head: Iterable[str], rows: Iterable[Iterable[str | Cell]], *, texts: int = 1, attributes: str = "") -> str:
    """A table of cells that are HTML already; the first `texts` columns are texts, the others figures.

    `attributes` are written into the table's start tag as they are.
    """
    names = list(head)
    kinds = ["" if place < texts else " class=n" for place in range(len(names))]
    heads = "".join(f'<th scope="col"{kind}>{cell}</th>' for kind, cell in zip(kinds, names, strict=True))
    lines = ("<tr>" + "".join(map(_cell, kinds, row)) + "</tr>" for row in rows)
    start = f"<table {attributes}>" if attributes else "<table>"
    body = "\n".join(lines)
    # With a focus, keys scroll a wide table.
    return f"<div class=scroll tabindex=0>{start}<thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def embedded_json(parts: Iterable[str], identifier: str) -> Iterator[str]:
    """JSON text, given in parts, as an element that no script of the page runs.

    Neither `</script>` nor any other tag can occur in it: JSON holds these characters in strings only, where escapes stand for
    them.
    """
    yield f'<script type="application/json" id="{identifier}">'
    for part in parts:
        yield part.translate(_ESCAPES)
    yield "</script>\n"


def _cell(kind: str, cell: str | Cell) -> str:
    if isinstance(cell, str):
        return f"<td{kind}>{cell}</td>"
    number = "" if cell.number is None else f' data-number="{cell.number:.12g}"'
    return f"<td{kind}{number}>{cell.html}</td>"
