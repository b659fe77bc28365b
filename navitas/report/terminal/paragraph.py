"""Paragraphs for terminals of any width. A figure and its unit stay on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from navitas.base.units import UNBROKEN

_LEAST_WIDTH = 8
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[nµm]?[JWs]|mAh?|MB|V|h|min|%(?:/h)?)(?!\w))")


def with_unbroken_figures(text: str) -> str:
    """A message in which each number and its unit are one word."""
    return _BEFORE_UNIT.sub(UNBROKEN, text)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that wraps at the width of the console. Lines after the first start with `indent`."""

    text: str | Text
    style: str = ""
    indent: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text if isinstance(self.text, Text) else Text(self.text)
        found = wrapped(text, max(options.max_width, len(self.indent) + _LEAST_WIDTH), self.indent)
        found.style = self.style
        yield found


def wrapped(text: Text, width: int, indent: str = "") -> Text:
    """The text in lines of at most `width` cells. Lines after the first start with `indent`."""
    lines = [text[begin:end] for begin, end in _lines(text.plain, width, len(indent))]
    found = Text(f"\n{indent}").join(lines)
    found.plain = found.plain.replace(UNBROKEN, " ")
    return found


def fitting(text: str, width: int) -> int:
    """The number of characters from the start that fit into `width` terminal cells. Some characters take two cells."""
    used = 0
    for count, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return count
    return len(text)


def _lines(text: str, width: int, indent: int) -> list[tuple[int, int]]:
    """Begin and end of each line of at most `width` cells, without its indentation. A word that is longer is split."""
    lines: list[tuple[int, int]] = []
    begin, end, room = 0, 0, width
    for word in re.finditer("[^ ]+", text):
        if end > begin and cell_len(text[begin : word.end()]) > room:
            lines.append((begin, end))
            begin, room = word.start(), width - indent
        while cell_len(text[begin : word.end()]) > room:
            end = begin + fitting(text[begin : word.end()], room)
            lines.append((begin, end))
            begin, room = end, width - indent
        end = word.end()
    return [*lines, (begin, end)]
