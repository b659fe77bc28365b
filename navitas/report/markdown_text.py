"""Untrusted text in Markdown (CommonMark with tables), which sites of reviews show as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from navitas.base.units import UNBROKEN
from navitas.base.untrusted_text import printable

MAX_CHARACTERS = 65_000
"""The largest report: a comment on GitHub can have 65,536 characters."""
_LONGEST_NAME = 500
_LONGEST_SENTENCE = 2000
_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~]")
_LIVE = re.compile(r"@|#(?=\w)|(?<=[A-Za-z]):(?=//)|(?<=www)\.", re.IGNORECASE)
"""What makes a mention, a reference to an issue, or a link on sites that show comments. A character reference does not."""
_BLOCK_START = re.compile(r"^(\d{0,9})([-+=#.):])")


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    plain = _SPECIAL.sub(r"\\\g<0>", printable(text.replace(UNBROKEN, " "), _LONGEST_SENTENCE)).strip()
    inert = _LIVE.sub(lambda live: f"&#{ord(live[0])};", plain)
    return _BLOCK_START.sub(r"\1\\\2", inert)


def code(text: str) -> str:
    """Return a text as a code span."""
    name = printable(text, _LONGEST_NAME)
    fence = "`" * (1 + max(map(len, re.findall("`+", name)), default=0))
    return f"{fence} {name} {fence}" if name.strip(" ") != name or "`" in name or not name else f"{fence}{name}{fence}"


def code_cell(name: str) -> str:
    """Return a name as a code span in a table, where a bar needs a backslash also in code."""
    return code(name).replace("|", "\\|")


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, such as a table, below their title, which opens them. Nothing without a line below it.

    Blank lines keep them Markdown within the HTML.
    """
    title, *rows = [line for line in lines if line] or [""]
    if rows:
        yield from ("", "<details>", f"<summary>{title.lstrip('# ')}</summary>", "", *rows, "", "</details>")
