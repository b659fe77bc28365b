"""Which repeats count in medians: those in which a test ran to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.analyze.records import TestEnergy
from navitas.parse.arrays import I64, Bool


@dataclass(frozen=True, slots=True)
class CountedRepeats:
    """Which repeats count for each test.

    `repeats` are the numbers of the repeats in order. `counts` has a row for each of the given records and a column for each
    repeat: whether this repeat counts for the record's test.
    """

    repeats: tuple[int, ...]
    counts: Bool

    def of_groups(self, group: I64, record: I64, size: int) -> Bool:
        """Which repeats count for groups of tests, such as the tests that call a method: those that count for all of them.

        `group` and `record` are pairs: the group of that number includes the test of that record. Where no repeat counts for all
        tests of a group, all repeats do. The result has a row for each of `size` groups.
        """
        found = np.ones((size, len(self.repeats)), bool)
        for number, counts in enumerate(self.counts[record].T):
            found[group[~counts], number] = False
        found[~found.any(axis=1)] = True
        return found


def counted_runs(tests: Sequence[TestEnergy]) -> tuple[bool, ...]:
    """Which of one test's records count: the runs that were not cut, or all runs if every one was."""
    ended = tuple(test.wall_ns > 0 and test.status != "cut" for test in tests)
    return ended if any(ended) else tuple(test.wall_ns > 0 for test in tests)


def counted_repeats(tests: Sequence[TestEnergy]) -> CountedRepeats:
    """Which repeats count for each test: those of `counted_runs`; for a test that never ran, all.

    `tests` are records as in `Profile.tests`, one for each run of each test.
    """
    repeats = sorted({test.repeat for test in tests})
    column = {repeat: number for number, repeat in enumerate(repeats)}
    groups: dict[tuple[str, str, str], list[int]] = {}
    for number, test in enumerate(tests):
        groups.setdefault((test.module, test.class_name, test.method), []).append(number)
    counts = np.zeros((len(tests), len(repeats)), bool)
    for numbers in groups.values():
        own = [tests[number] for number in numbers]
        counted = [column[test.repeat] for test, counts_too in zip(own, counted_runs(own), strict=True) if counts_too]
        counts[np.ix_(numbers, counted or range(len(repeats)))] = True
    return CountedRepeats(tuple(repeats), counts)
