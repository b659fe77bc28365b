"""Tables for terminals of any width, and the largest rows of a table. The key column always stays. Figures are never cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from navitas.base.units import UNKNOWN, counted, joules, unbroken
from navitas.report.terminal.paragraph import Paragraph, fitting, wrapped

Cell = str | Text
T = TypeVar("T")

_GAP = 2
_KEY_SHARE = 0.4
_LEAST_KEY, _LEAST_TEXT = 8, 16
"""The smallest widths of shortened texts, unless the terminal leaves less."""
_ELLIPSIS = "…"
MIN_SHARE = 0.001
"""Rows with a smaller share of the table's energy are not listed."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its rank. If columns do not fit, the one with the largest `drop` is dropped first. Rank 0 always stays.

    `text` columns are left-aligned, and their cells may be shortened in the middle. With `wrap`, a cell continues on the next
    line instead, between words. Other columns hold figures: right-aligned, or left-aligned with `left`, and never cut.
    """

    title: str
    drop: int = 0
    text: bool = False
    wrap: bool = False
    left: bool = False

    @property
    def is_figure(self) -> bool:
        """Whether its cells are never cut."""
        return not (self.text or self.wrap)


@dataclass(slots=True)
class FittedTable:
    """Rows under columns, at the width of the console that prints them. The first column is the key.

    `rows` hold a cell for each column. `notes` are printed below the table, after a line that names dropped columns. Columns are
    dropped by rank before the key gets less than `key_share` of the width. With `stacks`, if a column would be dropped or a key
    shortened, each key gets a line of its own above its row first. Without rows, only the title and notes are printed.
    """

    title: str
    columns: Sequence[Column]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    notes: list[RenderableType] = field(default_factory=list)
    key_share: float = _KEY_SHARE
    stacks: bool = False

    @classmethod
    def of(cls, title: str, columns: Mapping[Column, Callable[[T], Cell]], rows: Iterable[T]) -> Self:
        """Return a table with a row for each of `rows`, and in each column the cell that its function returns."""
        return cls(title, list(columns), [[cell(row) for cell in columns.values()] for row in rows])

    def add(self, *cells: Cell) -> None:
        """Add a row. Raises `ValueError` if the number of cells differs from that of columns."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.title:
            yield Paragraph(self.title, style="bold")
        if self.rows:
            widths = self._widths(options.max_width, self.key_share)
            keys = max(_cells(row[0]) for row in self.rows)
            if self.stacks and (len(widths) < len(self.columns) or widths[0] < keys):
                widths = self._widths(options.max_width, 0.0, key_cells=_cells(self.columns[0].title))
                yield from self._stacked(widths, options.max_width)
            else:
                yield self._table(widths, self.rows)
            titles = [unbroken(column.title) for i, column in enumerate(self.columns) if column.title and i not in widths]
            if titles:
                text = f"Not shown at this width: {', '.join(titles)} (see --json)"
                yield Paragraph(text, style="dim")
        yield from self.notes

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(_LEAST_KEY, options.max_width), options.max_width)

    def _stacked(self, widths: Mapping[int, int], width: int) -> RenderResult:
        """Yield the header, and for each row its key, shortened to the whole width, and below it the other cells."""
        yield self._table(widths, [])
        for key, *cells in self.rows:
            yield shortened(_text(key), width)
            yield self._table(widths, [["", *cells]], has_header=False)

    def _table(self, widths: Mapping[int, int], rows: Sequence[Sequence[Cell]], *, has_header: bool = True) -> Table:
        table = Table(header_style="dim", box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=has_header)
        for number, width in widths.items():
            column = self.columns[number]
            table.add_column(
                shortened(Text(column.title), width),
                justify="right" if column.is_figure and not column.left else "left",
                overflow="fold",
                no_wrap=not column.wrap,
                width=width,
            )
        for row in rows:
            table.add_row(*(self._cell(number, row[number], width) for number, width in widths.items()))
        return table

    def _cell(self, number: int, cell: Cell, width: int) -> Text:
        text = _text(cell)
        if not self.columns[number].wrap:
            return shortened(text, width)
        return Text("\n").join(wrapped(line, width) for line in text.split("\n", allow_blank=True))

    def _widths(self, width: int, key_share: float, key_cells: int | None = None) -> dict[int, int]:
        """The width of each column that is shown, by its number. `key_cells` replaces the key's natural width."""
        natural = [max(map(_cells, (column.title, *(row[i] for row in self.rows)))) for i, column in enumerate(self.columns)]
        natural[0] = natural[0] if key_cells is None else key_cells
        words = [min(self._longest_word(number), _LEAST_TEXT) for number in range(len(self.columns))]
        least = [
            size if column.is_figure else min(size, max(word if column.wrap else _LEAST_TEXT, _cells(column.title)))
            for size, word, column in zip(natural, words, self.columns, strict=True)
        ]
        least[0] = min(natural[0], max(_LEAST_KEY, int(key_share * width)))
        shown = list(range(len(self.columns)))
        for number in sorted((i for i in shown if i and self.columns[i].drop), key=lambda i: -self.columns[i].drop):
            if _total(least, shown) <= width:
                break
            shown.remove(number)
        found = {number: least[number] for number in shown}
        texts = [number for number in shown[1:] if not self.columns[number].is_figure]
        titles = [max(_cells(column.title), word) for column, word in zip(self.columns, words, strict=True)]
        steps = [(number, max(_LEAST_KEY, words[number])) for number in (0, *texts)]
        steps += [(number, titles[number]) for number in (*texts, 0)]
        for number, smallest in (*steps, (0, 1)):
            if (beyond := _total(found, shown) - width) > 0:
                found[number] = max(found[number] - beyond, min(found[number], smallest))
        spare = width - _total(found, shown)
        for number in (i for i in (0, *texts) if spare > 0):
            more = min(natural[number] - found[number], spare)
            found[number], spare = found[number] + more, spare - more
        return found

    def _longest_word(self, number: int) -> int:
        """The width of the longest word of a column that wraps, which is not broken if the width allows. 0 for other columns."""
        if not self.columns[number].wrap:
            return 0
        return max((cell_len(word) for row in self.rows for word in re.split("[ \n]", _text(row[number]).plain)), default=0)


def _text(cell: Cell) -> Text:
    return cell.copy() if isinstance(cell, Text) else Text(cell)


def shortened(text: Text, width: int) -> Text:
    """The text in at most `width` cells, with an ellipsis in its middle if it is longer."""
    if cell_len(text.plain) <= width:
        return text
    head, tail = fitting(text.plain, (width - 1) // 2), fitting(text.plain[::-1], width - 1 - (width - 1) // 2)
    return Text.assemble(text[:head], _ELLIPSIS, text[len(text) - tail :] if tail else "")


def _total(widths: Sequence[int] | dict[int, int], shown: Sequence[int]) -> int:
    return sum(widths[number] for number in shown) + _GAP * (len(shown) - 1)


def _cells(cell: Cell) -> int:
    """The width of the longest line."""
    text = cell if isinstance(cell, str) else cell.plain
    return max(map(cell_len, text.split("\n")))


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """The listed rows, and the number and energy of the others."""

    rows: tuple[T, ...]
    others: int
    others_j: float
    hint: str
    """The option that lists more rows, for a note: empty if the others are too small for any."""
    others_are_known: bool = True
    """Whether the energy of any of the others is known."""

    def notes(self, what: str, *figures: str) -> list[Paragraph]:
        """Return a note with the number and the energy of the others, and more figures; none if all rows are listed."""
        if not self.others:
            return []
        parts = map(unbroken, (joules(self.others_j), *figures) if self.others_are_known else (UNKNOWN,))
        return [Paragraph(f"… {counted(self.others, f'more {what}')}: {', '.join(parts)}{self.hint}", style="dim")]


def largest(ranked: Sequence[T], top: int, energy_j: Callable[[T], float | None]) -> Listing[T]:
    """List at most `top` rows with a share of at least `MIN_SHARE` of the energy of all rows, and at least one row.

    The share is not one of the measured energy: a lit screen must not hide rows. `ranked` is sorted by descending energy. Rows
    whose energy is unknown (None) follow.
    """
    known = [(row, value_j) for row in ranked if (value_j := energy_j(row)) is not None]
    unknown = [row for row in ranked if energy_j(row) is None]
    least_j = MIN_SHARE * sum(max(value_j, 0.0) for _, value_j in known)
    large = sum(value_j >= least_j for _, value_j in known)
    count = max(min(large, top), 0 if unknown else 1)
    rows = (*(row for row, _ in known[:count]), *unknown[: max(top - count, 0)])
    others_j = sum(value_j for _, value_j in known[count:])
    is_cut = large > count or len(unknown) > top - count
    return Listing(rows, len(ranked) - len(rows), others_j, " (--top)" if is_cut else "", len(known) > count)
