"""The largest rows of a table, and the sum of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

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


def largest(ranked: Sequence[T], top: int, energy_j: Callable[[T], float]) -> Listing[T]:
    """List at most `top` rows with a share of at least `MIN_SHARE` of the energy of all rows, and at least one row.

    The share is not one of the measured energy: a lit screen must not hide rows. `ranked` is sorted by descending energy.
    """
    least_j = MIN_SHARE * sum(max(energy_j(row), 0.0) for row in ranked)
    large = sum(energy_j(row) >= least_j for row in ranked)
    count = max(min(large, top), 1)
    rows, others = ranked[:count], ranked[count:]
    return Listing(tuple(rows), len(others), sum(map(energy_j, others)), " (--top)" if large > count else "")
