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

    `repeats` are the numbers of the repeats in order. `counts` has a row for each test and a column for each repeat: whether the
    repeat counts for the test. `test` is the test (a row of `counts`) of each of the given records, `own` whether the record
    itself counts among those of its test.
    """

    repeats: tuple[int, ...]
    counts: Bool
    test: I64
    own: Bool

    def of_groups(self, group: I64, record: I64, size: int) -> Bool:
        """Which repeats count for groups of tests, such as the tests that call a method: those that count for all of them.

        `group` and `record` are pairs: the group of that number includes the test of that record. Where no repeat counts for all
        tests of a group, all repeats do. The result has a row for each of `size` groups.
        """
        pairs = np.unique(self.test[record] * max(size, 1) + group)
        first = np.searchsorted(pairs, np.arange(len(self.counts) + 1) * max(size, 1))
        found = np.ones((size, len(self.repeats)), bool)
        for test, repeat in np.argwhere(~self.counts).tolist():
            found[pairs[first[test] : first[test + 1]] % max(size, 1), repeat] = False
        found[~found.any(axis=1)] = True
        return found


def counted_repeats(tests: Sequence[TestEnergy]) -> CountedRepeats:
    """Which repeats count for each test: those in which it ran and was not cut, or, if there is none, those in which it ran.

    For a test that never ran all repeats count. `tests` are records as in `Profile.tests`, one for each run of each test.
    """
    repeats, column = np.unique([test.repeat for test in tests], return_inverse=True)
    keys: dict[tuple[str, str, str], int] = {}
    row = np.array([keys.setdefault((test.module, test.class_name, test.method), len(keys)) for test in tests], np.int64)
    ran = np.array([test.wall_ns > 0 for test in tests], bool)
    ended = ran & np.array([test.status != "cut" for test in tests], bool)
    ended_ever = np.zeros(len(keys), bool)
    ended_ever[row[ended]] = True
    own = np.where(ended_ever[row], ended, ran)
    counts = np.zeros((len(keys), len(repeats)), bool)
    counts[row[own], column[own]] = True
    counts[~counts.any(axis=1)] = True
    return CountedRepeats(tuple(repeats.tolist()), counts, row, own)
