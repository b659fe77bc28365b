"""The largest rows of a table, and the note on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from navitas.counts import counted
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import UNKNOWN, joules, unbroken

T = TypeVar("T")

MIN_SHARE = 0.001
"""Rows with a smaller share of the table's energy are not listed."""


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
