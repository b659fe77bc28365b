"""Text and figures in HTML: whatever a name is, it stays text."""

from __future__ import annotations

import html
from collections.abc import Iterable

from navitas.fleet.figures import with_interval
from navitas.untrusted_text import boxed

_LONGEST = 300


def text(value: str) -> str:
    """Escaped; characters that cannot be seen, or turn the direction of others, are shown as a box, and long texts are cut."""
    return html.escape(boxed(value, _LONGEST))


def name(value: str) -> str:
    """A name in a monospaced font."""
    return f"<code>{text(value)}</code>"


def interval(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """A signed number, and its interval in a small font."""
    return with_interval(value, low, high, digits, interval_format="<small>({})</small>")


def table(head: Iterable[str], rows: Iterable[Iterable[str]], *, texts: int = 1) -> str:
    """A table of cells that are HTML already; the first `texts` columns are texts, the others figures."""
    heads = "".join(f"<th{'' if place < texts else ' class=n'}>{cell}</th>" for place, cell in enumerate(head))
    lines = (
        "<tr>" + "".join(f"<td{'' if place < texts else ' class=n'}>{cell}</td>" for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<div class=scroll><table><thead><tr>{heads}</tr></thead><tbody>\n{chr(10).join(lines)}\n</tbody></table></div>"
