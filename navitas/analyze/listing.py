"""The largest of many rows, and the sum of all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

LEAST_SHARE = 0.001
"""Rows with a smaller share of the whole are not listed."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """The rows that are listed, and how many others there are with what energy."""

    rows: tuple[T, ...]
    others: int
    others_j: float


def largest(ranked: Sequence[T], top: int, whole_j: float, energy_j: Callable[[T], float]) -> Listing[T]:
    """Of rows by descending energy the first `top` that have at least `LEAST_SHARE` of the whole; at least one row, if any."""
    count = sum(energy_j(row) >= LEAST_SHARE * whole_j for row in ranked[:top])
    rows, others = ranked[: max(count, 1)], ranked[max(count, 1) :]
    return Listing(tuple(rows), len(others), sum(map(energy_j, others)))
