"""Counts that compare findings with a world. They add up over worlds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class WorldCounts:
    """Counts of one or more worlds. All intervals are 95 % intervals."""

    named: float = 0
    """Apps that are named as hogs,"""
    false: float = 0
    """and those of them that are none."""
    large: float = 0
    """Hogs with at least a tenth of the usual drain and enough phones,"""
    large_named: float = 0
    """those of them that are named,"""
    large_inseparable: float = 0
    """and those that are said to be inseparable from the screen or from another app."""
    found_true: float = 0
    """Σ found effect · true effect of large hogs,"""
    true_true: float = 0
    """and Σ true effect²."""
    covered: float = 0
    """Intervals of effects of large hogs that hold the truth,"""
    intervals: float = 0
    """of so many."""
    all_covered: float = 0
    """Intervals of effects of all apps with enough phones that hold the truth,"""
    all_intervals: float = 0
    """of so many."""
    since: float = 0
    """Hogs that drain from a later version on,"""
    since_named: float = 0
    """apps for which such a version is named,"""
    since_right: float = 0
    """and those of them with the right version."""
    client_covered: float = 0
    """Intervals of what hogs drain on single clients that hold the truth,"""
    client_intervals: float = 0
    """of so many."""
    bugs: float = 0
    """Pairs of a client and an app that are named as bugs,"""
    bugs_true: float = 0
    """those of them that are bugs,"""
    all_bugs: float = 0
    """and all bugs."""
    bugs_covered: float = 0
    """Intervals of drains of true bugs that hold the truth,"""
    bug_intervals: float = 0
    """of so many."""
    paper_named: float = 0
    """Apps that the paper's method names,"""
    paper_false: float = 0
    """and those of them that are no hogs."""
    planted: Counter[str] = field(default_factory=Counter)
    """Claims about planted apps by role: `role: claim`."""

    def __add__(self, other: WorldCounts) -> WorldCounts:
        return WorldCounts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})
