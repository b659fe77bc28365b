"""The pace of a test in each repeat: its CPU time and calls, in total and per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from navitas.analyze.cpu_use import CpuUse, CpuUses
from navitas.analyze.repeats import Repeats

_SAME_CALLS = 1.02
"""Repeats did the same work if the ratio of their numbers of calls is at most this factor."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The CPU use of a test's runs, in the order of `repeats.tests`.

    Each ratio is the largest value divided by the smallest value of the runs in `whole`. It is None for a single run, and if the
    smallest value is 0.
    """

    repeats: Repeats
    uses: tuple[CpuUse, ...]
    whole: tuple[CpuUse, ...]
    """The CPU use of the runs that ended, also of starved ones, but not of warm-ups. If there is none, of the runs that count."""

    @property
    def cpu_ratio(self) -> float | None:
        """The ratio of CPU times."""
        return _ratio([use.cpu_ns for use in self.whole])

    @property
    def calls_ratio(self) -> float | None:
        """The ratio of numbers of calls."""
        return _ratio([use.calls for use in self.whole])

    @property
    def rate_ratio(self) -> float | None:
        """The ratio of CPU times per second of wall time."""
        return _ratio([use.cpu_per_s for use in self.whole])

    @property
    def same_calls(self) -> bool:
        """Whether all runs made about the same number of calls, or no calls were recorded."""
        return not any(use.calls for use in self.whole) or (self.calls_ratio or float("inf")) <= _SAME_CALLS


def repeat_pace(repeats: Repeats, uses: CpuUses) -> Pace:
    """Return the pace of a test that ran."""
    all_uses = tuple(map(uses.of_test, repeats.tests))
    ended = [test.status != "cut" and "warmup" not in test.unfit for test in repeats.tests]
    return Pace(repeats, all_uses, tuple(compress(all_uses, ended if any(ended) else repeats.energy_j.counts)))


def _ratio(values: Sequence[float]) -> float | None:
    return max(values) / min(values) if len(values) > 1 and min(values) > 0 else None
