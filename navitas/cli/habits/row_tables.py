"""Terminal tables of rows: a column with the text of its cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from navitas.base.untrusted_text import printable
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

R = TypeVar("R")
_LONGEST_TEXT = 10_000


def rows_table(
    title: str,
    columns: Mapping[Column, Callable[[R], Cell]],
    rows: Sequence[R],
    top: int,
    more: str = " (--top)",
    *,
    note: str = "",
) -> FittedTable:
    """The first `top` rows; `columns` maps each column to its cell. Notes count the others (see `more_rows`), and say `note`."""
    table = FittedTable(title, list(columns))
    for row in rows[:top]:
        cells = [show(row) for show in columns.values()]
        table.add(*(printable(cell, _LONGEST_TEXT) if isinstance(cell, str) else cell for cell in cells))
    table.notes += more_rows(len(rows) - top, more) + ([Paragraph(note, style="dim")] if note else [])
    return table


def more_rows(count: int, more: str = " (--top)") -> list[Paragraph]:
    """A note that counts rows that are not shown, if there are any. `more` says what they are, and which option shows them."""
    return [Paragraph(f"… {count:,} more{more}", style="dim")] if count > 0 else []
