"""HTML pages without other files: text, tables and embedded data, always escaped, and the document around them."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files

from navitas.base.untrusted_text import boxed

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


def base_style() -> str:
    """Return the style sheet that all pages share."""
    return (files("navitas.base.html_page") / "page.css").read_text("utf-8")


def source_hash(content: str) -> str:
    """Return the source expression that allows an inline script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def document(title: str, style: str, body: Iterable[str]) -> Iterator[str]:
    """Yield a page in chunks of text. Its policy allows its own style, no scripts and no connections."""
    policy = f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'; form-action 'none'"
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title><style>{style}</style></head>\n<body>\n"
    )
    yield from body
    yield "\n</body></html>\n"
