"""A section of an HTML report with a table, and the cells of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from navitas.html_page.elements import Cell, table
from navitas.report.units import UNKNOWN, joules, percent

MAX_ROWS = 5000
"""The maximum number of rows. Browsers sort and search this many without delay."""


def section(
    identifier: str,
    title: str,
    about: str,
    head: Iterable[str],
    rows: Sequence[Sequence[Cell]],
    *,
    count: int,
    listed: str = "",
    texts: int = 1,
    searched: bool = True,
) -> str:
    """Return a section with a table that users can sort, and search if `searched`.

    `count` is the number of rows before truncation, and `listed` what they are (default: the title). The first `texts`
    columns hold text.
    """
    listed = listed or title.lower()
    more = (
        f" The page lists {len(rows):,} of {count:,} {listed}, those with the most energy; the JSON report has all."
        if count > len(rows)
        else ""
    )
    search = (
        f'<label class=search hidden>Search <input type="search" data-table="{identifier}"> '
        f'<output id="{identifier}-count"></output></label>'
        if searched
        else ""
    )
    shown = table(head, rows, texts=texts, attributes=f'class="sortable" id="{identifier}" aria-labelledby="{identifier}-title"')
    return f'<section><h2 id="{identifier}-title">{title}</h2><p>{about}{more}</p>{search}{shown}</section>\n'


def bar_cell(value: float | None) -> Cell:
    """A share as a bar and in percent."""
    if value is None:
        return Cell(UNKNOWN)
    width = 100 * min(max(value, 0.0), 1.0)
    return Cell(f'<span class=share><i style="width:{width:.1f}%"></i></span>{percent(value)}', value)


def joules_cell(value: float | None) -> Cell:
    """An energy, or a dash."""
    return figure_cell(value, joules)


def count_cell(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value)


def figure_cell(value: float | None, shown: Callable[[float], str]) -> Cell:
    """A figure as `shown` formats it, or a dash. The cell sorts by the figure."""
    return Cell(UNKNOWN) if value is None else Cell(shown(value), value)
