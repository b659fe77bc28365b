"""The largest rows of a table, and the sum of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MIN_SHARE = 0.001
"""Rows with a smaller share of the total are not listed."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """The listed rows, and the number and energy of the others."""

    rows: tuple[T, ...]
    others: int
    others_j: float


def largest(ranked: Sequence[T], top: int, total_j: float, energy_j: Callable[[T], float]) -> Listing[T]:
    """List at most `top` rows with a share of at least `MIN_SHARE`, and at least one row.

    `ranked` is sorted by descending energy.
    """
    count = sum(energy_j(row) >= MIN_SHARE * total_j for row in ranked[:top])
    rows, others = ranked[: max(count, 1)], ranked[max(count, 1) :]
    return Listing(tuple(rows), len(others), sum(map(energy_j, others)))
