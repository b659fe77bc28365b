"""Counts that compare findings with a world. They add up over worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from navitas.recording.parse.arrays import F64, Bool


@dataclass(frozen=True, slots=True)
class WorldCounts:
    """How many findings of each kind there are, and how many of them are right."""

    worlds: float = 0
    """Worlds that were simulated."""
    named: float = 0
    """Apps named as hogs."""
    false: float = 0
    """Apps named as hogs that are none."""
    large: float = 0
    """Hogs that drain enough on enough phones."""
    large_named: float = 0
    """Large hogs that are named."""
    large_inseparable: float = 0
    """Large hogs with a verdict that they cannot be separated from the screen or from another app."""
    large_unjudged: float = 0
    """Such hogs that are not judged, since they always run or run too briefly. They count in no other figure of large hogs."""
    found_true: float = 0
    """Sum of estimate times truth over large hogs. Divided by `true_true`, it is the slope."""
    true_true: float = 0
    """Sum of squared true drains over large hogs."""
    covered: float = 0
    """95 % intervals of large hogs that contain the truth."""
    intervals: float = 0
    """95 % intervals of large hogs."""
    all_covered: float = 0
    """95 % intervals of all apps that contain the truth."""
    all_intervals: float = 0
    """95 % intervals of all apps."""
    since: float = 0
    """Hogs that drain only from a version on."""
    since_named: float = 0
    """First draining versions that are named."""
    since_right: float = 0
    """First draining versions that are named right."""
    client_covered: float = 0
    """95 % intervals of what hogs drain on single clients that contain the truth."""
    client_intervals: float = 0
    """95 % intervals of what hogs drain on single clients."""
    bugs: float = 0
    """Bugs that are named."""
    bugs_true: float = 0
    """Bugs that are named and true."""
    all_bugs: float = 0
    """Bugs of the world."""
    bugs_covered: float = 0
    """95 % intervals of the drains of true bugs that contain the truth."""
    bug_intervals: float = 0
    """95 % intervals of the drains of true bugs."""
    paper_named: float = 0
    """Apps that the paper's method names as hogs."""
    paper_false: float = 0
    """Apps that the paper's method names as hogs and that are none."""
    width_percent_h: float = 0
    """Sum over worlds of the median width of the intervals of all apps."""
    harmless: float = 0
    """Apps that are no hogs, with enough clients."""
    harmless_clean: float = 0
    """Harmless apps with the verdict that they are clean."""
    excluded_percent_h: float = 0
    """Sum over worlds of the median upper bound of harmless apps."""
    updates: float = 0
    """Harmless versions that come with an OS upgrade, and are compared with the version before."""
    updates_named: float = 0
    """Those with the claim that they drain more."""
    versions: float = 0
    """Other versions of harmless apps that are compared with the version before."""
    versions_named: float = 0
    """Those with the claim that they drain more."""
    first: float = 0
    """First draining versions that are compared with the version before."""
    first_named: float = 0
    """Those with the claim that they drain more."""
    navigation_found: float = 0
    """Sum of estimates of planted apps for navigation."""
    navigation_true: float = 0
    """Sum of their true extra drains."""
    planted: Counter[str] = field(default_factory=Counter)
    """Claims about planted apps, by `role: claim`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "planted", Counter(self.planted))  # Read from a file, it is a dictionary.

    def __add__(self, other: WorldCounts) -> WorldCounts:
        return WorldCounts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


def app_counts(
    *, is_hog: Bool, is_large: Bool, enough: Bool, verdict: Sequence[str], covered: Bool, true: F64, found: F64,
    role: Sequence[str],
) -> WorldCounts:  # fmt: skip
    """Return the counts of apps, by columns with a row for each.

    `is_large` says which drain enough, `enough` which have enough clients, `verdict` what the fleet says, and
    `role` why they are in the world.
    """
    said = np.array(verdict, str)
    named, unjudged, inseparable = said == "hog", *(np.char.startswith(said, f"not {what}") for what in ("judged", "separable"))
    known = enough & ~unjudged & np.isfinite(found)
    large = known & is_hog & is_large
    return WorldCounts(
        named=int(named.sum()),
        false=int((named & ~is_hog).sum()),
        large=int(large.sum()),
        large_named=int((large & named).sum()),
        large_inseparable=int((large & inseparable).sum()),
        large_unjudged=int((enough & unjudged & is_hog & is_large).sum()),
        found_true=float(np.sum((true * found)[large])),
        true_true=float(np.sum((true * true)[large])),
        covered=int((covered & large).sum()),
        intervals=int(large.sum()),
        all_covered=int((covered & known).sum()),
        all_intervals=int(known.sum()),
        planted=Counter(f"{planted}: {text}" for planted, text in zip(role, verdict, strict=True) if planted),
    )


def left_out(counts: WorldCounts) -> str:
    """The numbers of large hogs that are inseparable, and of those that are not judged. The latter are no part of the recall."""
    return f"({counts.large_inseparable:.0f}; {counts.large_unjudged:.0f})"
