"""Paragraphs for terminals of any width. A figure and its unit stay on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_UNBROKEN = "\u00a0"
_LEAST_WIDTH = 8
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[nµm]?[JWs]|mAh?|MB|V|h|min|%(?:/h)?)(?!\w))")


def unbroken(figure: str) -> str:
    """The figure as one word of a paragraph."""
    return figure.replace(" ", _UNBROKEN)


def with_unbroken_figures(text: str) -> str:
    """A message in which each number and its unit are one word."""
    return _BEFORE_UNIT.sub(_UNBROKEN, text)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that wraps at the width of the console. Lines after the first start with `indent`.

    A `label` at the start of the text is yellow.
    """

    text: str
    style: str = ""
    indent: str = ""
    label: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = _wrapped(self.text, max(options.max_width, len(self.indent) + _LEAST_WIDTH), self.indent)
        found = Text("\n".join(lines).replace(_UNBROKEN, " "), style=self.style)
        found.stylize("yellow", 0, len(self.label))
        yield found


def fitting(text: str, width: int) -> int:
    """The number of characters from the start that fit into `width` terminal cells. Some characters take two cells."""
    used = 0
    for count, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return count
    return len(text)


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """Lines of at most `width` cells. A word that is longer than a line is split."""
    lines: list[str] = []
    line = " " * (len(text) - len(text.lstrip(" ")))
    separator = ""
    for word in filter(None, text.split(" ")):
        rest = word
        if separator and cell_len(line) + 1 + cell_len(rest) > width:
            lines.append(line)
            line, separator = indent, ""
        while cell_len(line) + cell_len(separator + rest) > width:
            count = fitting(rest, width - cell_len(line))
            lines.append(line + rest[:count])
            line, rest = indent, rest[count:]
        line, separator = line + separator + rest, " "
    return [*lines, line]
