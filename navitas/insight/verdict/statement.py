"""One sentence of a verdict, and how its shares are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from navitas.base.units import is_uneven, joules_within, unbroken
from navitas.energy.analyze.spread import Interval

SubjectKind = Literal["", "test", "method", "thread", "component", "app"]
UsageCode = Literal[
    "no_tests",
    "no_app_energy",
    "changed",
    "largest_method",
    "when",
    "next_methods",
    "outside_methods",
    "largest_test",
    "largest_thread",
    "largest_component",
    "base_energy",
]
LimitCode = Literal[
    "noise",
    "probes_seen",
    "failed",
    "starved",
    "hot",
    "lost",
    "partial",
    "rails",
    "evidence",
    "probe_cost",
    "probes",
    "unrecorded",
    "same_size",
    "same_size_tests",
    "same_size_threads",
    "one_run",
    "power_profile",
]
SubjectCode = Literal["method", "test", "thread", "component"]
"""What each code means: docs/verdict.md."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the verdict.

    - `rule`: the code of the rule that made it, for scripts; for a subject that the user chose, its kind.
    - `text`: the sentence. Names in it are as in the recording: who shows it escapes them.
    - `kind`, `name`: what it is about, with its full name. Empty if it is about the whole recording.
    - `energy_j`, `share`: its figures, with their 95 % intervals. None if it has none.
    """

    rule: UsageCode | LimitCode | SubjectCode
    text: str
    kind: SubjectKind = ""
    name: str = ""
    energy_j: float | None = None
    energy_interval: Interval | None = None
    share: float | None = None
    share_interval: Interval | None = None


def energy_of(energy_j: float, interval: Interval) -> str:
    """Return `1.57 ± 0.06 J`, or `18.0 J [6.40–50.0 J]` if the interval is uneven, as a word."""
    return unbroken(joules_within(energy_j, interval.low, interval.high))


def percent_of(share: float, interval: Interval | None = None) -> str:
    """Return `21 ± 1 %`, and `21 %` without an interval.

    A share cannot be below 0 or above 100 %. If its interval passes one of these, this is a range that ends there,
    `92 %, 38–100 %`. If it passes both, it is `share not known`. An uneven interval is a range, too.
    """
    digits = 0 if share >= 0.0995 else 1
    percent = f"{100 * share:.{digits}f}"
    if interval is None:
        return unbroken(f"{percent} %")
    low, high, half = interval.low, interval.high, interval.half_width
    if low < 0 and high > 1:
        return "share not known"
    if low < 0 or high > 1 or is_uneven(share, low, high):
        ends = [f"{100 * end:.{digits if 0 < end < 1 else 0}f}" for end in (max(low, 0.0), min(high, 1.0))]
        return unbroken(f"{percent} %, {'–'.join(ends)} %")
    if not float(f"{100 * half:.{digits}f}"):
        return unbroken(f"{100 * share:.1f} ± {max(100 * half, 0.1):.1f} %")
    return unbroken(f"{percent} ± {100 * half:.{digits}f} %")
