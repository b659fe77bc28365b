"""Counts that compare findings with a world. They add up over worlds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class WorldCounts:
    """Apps named as hogs, and those of them that are none; judged clean apps; large hogs, with those named and those that are
    said to be inseparable; sums for the slope; 95 % intervals of effects of large hogs and of all apps, with those that hold the
    truth; hogs with a first draining version, names of such versions, and right names; 95 % intervals of what hogs drain on
    single clients, with those that hold the truth; bugs: named, true, the first hundred, and all; what the paper's method names.

    `planted` counts claims about planted apps by role: `role: claim`.
    """

    named: float = 0
    false: float = 0
    clean: float = 0
    large: float = 0
    large_named: float = 0
    large_inseparable: float = 0
    found_true: float = 0
    true_true: float = 0
    covered: float = 0
    intervals: float = 0
    all_covered: float = 0
    all_intervals: float = 0
    since: float = 0
    since_named: float = 0
    since_right: float = 0
    client_covered: float = 0
    client_intervals: float = 0
    bugs: float = 0
    bugs_true: float = 0
    top: float = 0
    top_true: float = 0
    all_bugs: float = 0
    paper_named: float = 0
    paper_false: float = 0
    planted: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: WorldCounts) -> WorldCounts:
        return WorldCounts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})
