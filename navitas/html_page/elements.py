"""HTML text, tables and embedded data. Names are always escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from navitas.untrusted_text import boxed

_LONGEST = 300
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell: its HTML, and the number that it sorts by. Cells without a number sort by their text."""

    html: str
    number: float | None = None


def text(value: str, limit: int = _LONGEST) -> str:
    """Escape a text, show invisible and bidirectional control characters as boxes, and truncate it to `limit` characters."""
    return html.escape(boxed(value, limit))


def name(value: str, limit: int = _LONGEST) -> str:
    """Return a name in a monospaced font."""
    return f"<code>{text(value, limit)}</code>"


def table(head: Iterable[str], rows: Iterable[Iterable[str | Cell]], *, texts: int = 1, attributes: str = "") -> str:
    """Return a table. Cells are HTML. The first `texts` columns hold text, the others figures.

    `attributes` are copied unescaped into the table's start tag.
    """
    names = list(head)
    kinds = ["" if place < texts else " class=n" for place in range(len(names))]
    heads = "".join(f'<th scope="col"{kind}>{cell}</th>' for kind, cell in zip(kinds, names, strict=True))
    lines = ("<tr>" + "".join(map(_cell, kinds, row)) + "</tr>" for row in rows)
    start = f"<table {attributes}>" if attributes else "<table>"
    body = "\n".join(lines)
    # The focus lets the keyboard scroll a wide table.
    return f"<div class=scroll tabindex=0>{start}<thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def embedded_json(parts: Iterable[str], identifier: str) -> Iterator[str]:
    """Yield an element that holds JSON text, which arrives in chunks. The browser doesn't run it as a script.

    `</script>` and other tags can't occur in it: in JSON, `<`, `>` and `&` occur only in strings, and they are escaped there.
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
