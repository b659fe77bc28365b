"""Paragraphs for terminals of any width, in which no figure parts from its unit."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_UNBROKEN = "\u00a0"


def unbroken(figure: str) -> str:
    """The figure as one word of a paragraph."""
    return figure.replace(" ", _UNBROKEN)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that is wrapped at the width of the console that prints it; later lines start with `indent`."""

    text: str
    style: str = ""
    indent: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = wrap(
            self.text, max(options.max_width, len(self.indent) + 8), subsequent_indent=self.indent, break_on_hyphens=False
        )
        yield Text("\n".join(lines).replace(_UNBROKEN, " "), style=self.style)
