"""The repeats that count in statistics: those in which a test ran to its end, and that are fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.analyze.records import TestEnergy
from navitas.parse.arrays import I64, Bool


@dataclass(frozen=True, slots=True)
class CountedRepeats:
    """The repeats that count for each test.

    - `repeats`: the numbers of the repeats, ascending.
    - `counts`: whether a repeat counts for a test. Shape: tests × repeats.
    - `test`: the test of each record, as a row of `counts`.
    - `record_counts`: whether each record counts for its test.
    """

    repeats: tuple[int, ...]
    counts: Bool
    test: I64
    record_counts: Bool

    def for_groups(self, group: I64, record: I64, size: int) -> Bool:
        """Return the repeats that count for groups of tests, such as the tests that call a method. Shape: `size` × repeats.

        A repeat counts for a group if it counts for all tests of the group. If no repeat does, all repeats count.
        `group` and `record` are parallel columns: the group includes the test of the record.
        """
        pairs = np.unique(self.test[record] * max(size, 1) + group)
        first = np.searchsorted(pairs, np.arange(len(self.counts) + 1) * max(size, 1))
        found = np.ones((size, len(self.repeats)), bool)
        for test, repeat in np.argwhere(~self.counts).tolist():
            found[pairs[first[test] : first[test + 1]] % max(size, 1), repeat] = False
        found[~found.any(axis=1)] = True
        return found


def counted_repeats(tests: Sequence[TestEnergy]) -> CountedRepeats:
    """Find the repeats that count for each test: those in which it ran, was not cut, and has no reason in `unfit`.

    If there is none, these count, the first that exist: those that are no warm-up and were not cut, those that were not cut,
    those in which the test ran. If it never ran, all repeats count.
    `tests` has one record for each run of each test, as `Profile.tests`.
    """
    repeats, column = np.unique([test.repeat for test in tests], return_inverse=True)
    keys: dict[tuple[str, str, str], int] = {}
    row = np.array([keys.setdefault((test.module, test.class_name, test.method), len(keys)) for test in tests], np.int64)
    ran = np.array([test.wall_ns > 0 for test in tests], bool)
    ended = ran & np.array([test.status != "cut" for test in tests], bool)
    fit = ended & np.array([not test.unfit for test in tests], bool)
    after_warmup = ended & np.array(["warmup" not in test.unfit for test in tests], bool)
    record_counts = _first_of(row, len(keys), (fit, after_warmup, ended, ran))
    counts = np.zeros((len(keys), len(repeats)), bool)
    counts[row[record_counts], column[record_counts]] = True
    counts[~counts.any(axis=1)] = True
    return CountedRepeats(tuple(repeats.tolist()), counts, row, record_counts)


def _first_of(row: I64, size: int, choices: Sequence[Bool]) -> Bool:
    """Return the records of the first choice that has any record of the same row."""
    found, is_open = np.zeros(len(row), bool), np.ones(size, bool)
    for chosen in choices:
        found |= chosen & is_open[row]
        is_open[row[chosen]] = False
    return found


def repeat_totals(tests: Sequence[TestEnergy]) -> dict[int, float]:
    """Return the energy of all tests in each repeat that counts for all of them; in each repeat, if there is none."""
    found = counted_repeats(tests)
    chosen = [repeat for repeat, counts in zip(found.repeats, found.counts.T.tolist(), strict=True) if all(counts)]
    sums = dict.fromkeys(chosen or found.repeats, 0.0)
    for test in tests:
        if test.repeat in sums:
            sums[test.repeat] += test.energy_j
    return sums
