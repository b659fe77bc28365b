"""The pace of a test over its repeats: how much CPU time its calls took, and how much it did in a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from navitas.analyze.cpu_use import CpuUse, CpuUses
from navitas.analyze.repeats import Repeats

_SAME_CALLS = 1.02
"""Repeats whose numbers of calls differ by less than this factor did the same work."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The CPU use of a test's runs, in the order of `repeats.tests`.

    The ratios are the largest value over the smallest, over the runs that count; None for a single run or a smallest value
    of 0. `cpu_ratio` compares CPU time, `calls_ratio` calls, `rate_ratio` CPU time in a second of wall time.
    """

    repeats: Repeats
    uses: tuple[CpuUse, ...]
    whole: tuple[CpuUse, ...]
    """The runs that count in the figures of `repeats`."""

    @property
    def cpu_ratio(self) -> float | None:
        """How far CPU times lie apart."""
        return _ratio([use.cpu_ns for use in self.whole])

    @property
    def calls_ratio(self) -> float | None:
        """How far numbers of calls lie apart."""
        return _ratio([use.calls for use in self.whole])

    @property
    def rate_ratio(self) -> float | None:
        """How far CPU times in a second of wall time lie apart."""
        return _ratio([use.cpu_per_s for use in self.whole])

    @property
    def same_calls(self) -> bool:
        """Whether all runs made about as many calls, or no calls are recorded."""
        return not any(use.calls for use in self.whole) or (self.calls_ratio or float("inf")) <= _SAME_CALLS


def pace_of(repeats: Repeats, uses: CpuUses) -> Pace:
    """The pace of a test that ran."""
    found = tuple(map(uses.of, repeats.tests))
    return Pace(repeats, found, tuple(compress(found, repeats.energy_j.counts)))


def _ratio(values: Sequence[float]) -> float | None:
    return max(values) / min(values) if len(values) > 1 and min(values) > 0 else None
