"""Tables for terminals of any width: the key column always stays, figures are whole or not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

Cell = str | Text

_GAP = 2
_KEY_SHARE = 0.4
"""The key column gets at least this share of the width, if its names are that long, before other columns stay."""
_LEAST_KEY, _LEAST_TEXT = 8, 16
"""Shortened texts are no narrower than this; the key is, where the terminal leaves less."""
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Column:
    """A column and when it goes: of all columns that do not fit, the one with the largest `drop` goes first; 0 stays.

    `text`: left-aligned text that may be shortened in the middle; else figures, right-aligned, which are never cut.
    """

    title: str
    drop: int = 0
    text: bool = False


@dataclass(slots=True)
class FittedTable:
    """Rows under columns of which the first is the key, shown at the width of the console that prints them.

    Columns are dropped by their rank until the rest fits. Texts that are still too long are shortened in the middle.
    `rows` hold a cell for each column; `notes` are printed below the table.
    """

    title: Cell
    columns: Sequence[Column]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    notes: list[RenderableType] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """Add a row. ValueError for another number of cells than of columns."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = self._widths(options.max_width)
        table = Table(
            title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False, padding=(0, _GAP, 0, 0)
        )
        table.title = self.title
        for number, width in widths.items():
            column = self.columns[number]
            table.add_column(
                shortened(Text(column.title), width), justify="left" if column.text else "right", no_wrap=True, width=width
            )
        for row in self.rows:
            table.add_row(*(shortened(_text(row[number]), width) for number, width in widths.items()))
        yield table
        yield from self.notes

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(_LEAST_KEY, options.max_width), options.max_width)

    def _widths(self, width: int) -> dict[int, int]:
        """The width of each column that is shown, by its number."""
        natural = [max(_wide(column.title), *(_wide(row[i]) for row in self.rows), 1) for i, column in enumerate(self.columns)]
        wanted = [min(size, _LEAST_TEXT) if column.text else size for size, column in zip(natural, self.columns, strict=True)]
        wanted[0] = min(natural[0], max(_LEAST_KEY, int(_KEY_SHARE * width)))
        shown = list(range(len(self.columns)))
        for number in sorted((i for i in shown if i and self.columns[i].drop), key=lambda i: -self.columns[i].drop):
            if _total(wanted, shown) <= width:
                break
            shown.remove(number)
        found = {number: wanted[number] for number in shown}
        if (beyond := _total(wanted, shown) - width) > 0:
            found[0] = max(found[0] - beyond, 1)
        spare = width - _total(found, shown)
        for number in shown:
            if self.columns[number].text and spare > 0:
                more = min(natural[number] - found[number], spare)
                found[number], spare = found[number] + more, spare - more
        return found


def shortened(text: Text, width: int) -> Text:
    """The text at no more than `width` cells, with an ellipsis in its middle if it is longer."""
    if _wide(text) <= width:
        return text
    head, tail = _fitting(text.plain, (width - 1) // 2), _fitting(text.plain[::-1], width - 1 - (width - 1) // 2)
    return Text.assemble(text[:head], _ELLIPSIS, text[len(text) - tail :] if tail else "")


def _fitting(text: str, width: int) -> int:
    """How many characters from the start fit into `width` cells."""
    used = 0
    for count, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return count
    return len(text)


def _total(widths: Sequence[int] | dict[int, int], shown: Sequence[int]) -> int:
    return sum(widths[number] for number in shown) + _GAP * (len(shown) - 1)


def _text(cell: Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def _wide(cell: Cell) -> int:
    return cell_len(cell if isinstance(cell, str) else cell.plain)
