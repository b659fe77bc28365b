"""Tables of pages: rows of cells, which templates write as text, so that names cannot become markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from navitas.base.html_page.pictures import IntervalPicture
from navitas.base.units import UNKNOWN, joules, percent

T = TypeVar("T")
CellKind = Literal["text", "name", "share"]


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell: its text, the number that it sorts by, and smaller lines below. Cells without a number sort by their text.

    `code` is a line of source code, `interval` a picture instead of the text, and `link` the id of an element of the page that a
    name leads to.
    """

    text: str
    number: float | None = None
    kind: CellKind = "text"
    small: tuple[str, ...] = ()
    code: str = ""
    interval: IntervalPicture | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table with its heading and what it says. The first `texts` columns hold text, the others figures.

    The reader sees `claim` at once, and `about` on request.
    """

    id: str
    title: str
    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[PageCell, ...], ...]
    texts: int = 1
    claim: str = ""


def page_table(
    identifier: str,
    title: str,
    about: str,
    columns: Mapping[str, Callable[[T], PageCell]],
    records: Sequence[T],
    *,
    most: int,
    more_rows: Sequence[tuple[PageCell, ...]] = (),
    listed: str = "",
    texts: int = 1,
    claim: str = "",
) -> PageTable | None:
    """Return a table with a row for each of the first `most` records, and then `more_rows`. None without rows.

    `listed` is what rows are (default: the title).
    """
    rows = [tuple(cell(record) for cell in columns.values()) for record in records[:most]]
    rows += more_rows[: most - len(rows)]
    count = len(records) + len(more_rows)
    if count > len(rows):
        what = listed or title.lower()
        about += f" The page lists {len(rows):,} of {count:,} {what}, those with the most energy; the JSON report has all."
    return PageTable(identifier, title, about.strip(), tuple(columns), tuple(rows), texts, claim) if rows else None


def name_cell(name: str, *small: str, code: str | None = None) -> PageCell:
    """A name, and smaller lines below it that are not empty."""
    return PageCell(name or "(no name)", kind="name", small=tuple(filter(None, small)), code=code or "")


def share_cell(value: float | None) -> PageCell:
    """A share as a bar and in percent."""
    return PageCell(percent(value), value, "share") if value is not None else PageCell(UNKNOWN)


def joules_cell(value: float | None) -> PageCell:
    """An energy, or a dash."""
    return figure_cell(value, joules)


def count_cell(value: int) -> PageCell:
    return PageCell(f"{value:,}", value)


def figure_cell(value: float | None, shown: Callable[[float], str]) -> PageCell:
    """A figure as `shown` formats it, or a dash."""
    return PageCell(UNKNOWN) if value is None else PageCell(shown(value), value)
