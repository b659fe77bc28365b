"""Wrapped paragraphs that keep a figure and its unit on one line."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_UNBROKEN = "\u00a0"


def unbroken(figure: str) -> str:
    """Return a figure with its unit as one word, which is never wrapped."""
    return figure.replace(" ", _UNBROKEN)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that is wrapped at the console's width. Lines after the first start with `indent`."""

    text: str
    style: str = ""
    indent: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = wrap(
            self.text, max(options.max_width, len(self.indent) + 8), subsequent_indent=self.indent, break_on_hyphens=False
        )
        yield Text("\n".join(lines).replace(_UNBROKEN, " "), style=self.style)
