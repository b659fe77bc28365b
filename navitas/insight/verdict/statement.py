"""One sentence of a verdict, and how its shares are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from navitas.base.units import unbroken

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
    - `energy_j`, `share`, `share_half_width`: its figures. None if it has none.
    """

    rule: UsageCode | LimitCode | SubjectCode
    text: str
    kind: SubjectKind = ""
    name: str = ""
    energy_j: float | None = None
    share: float | None = None
    share_half_width: float | None = None


def percent_of(share: float, half: float | None = None) -> str:
    """Return `21 ± 1 %`, and `21 %` without an interval.

    A share cannot be below 0 or above 100 %. If its interval passes one of these, this is a range that ends there,
    `92 %, 38–100 %`. If it passes both, it is `share not known`.
    """
    digits = 0 if share >= 0.0995 else 1
    percent = f"{100 * share:.{digits}f}"
    if half is None:
        return unbroken(f"{percent} %")
    low, high = share - half, share + half
    if low < 0 and high > 1:
        return "share not known"
    if low < 0 or high > 1:
        return unbroken(f"{percent} %, {100 * max(low, 0.0):.0f}–{100 * min(high, 1.0):.{digits if high < 1 else 0}f} %")
    if not float(f"{100 * half:.{digits}f}"):
        return unbroken(f"{100 * share:.1f} ± {max(100 * half, 0.1):.1f} %")
    return unbroken(f"{percent} ± {100 * half:.{digits}f} %")
