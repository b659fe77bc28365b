"""The figures that a verdict and a page are made of, computed once: tests and methods, as medians of runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt

import numpy as np

from navitas.energy.analyze.names import MethodNames
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.roll_up import ThreadTotal, first_ids
from navitas.energy.analyze.spread import MethodRepeats
from navitas.energy.analyze.uncertainty import COVER_95
from navitas.recording.parse.roles import NOT_THE_TESTS


@dataclass(frozen=True, slots=True)
class MethodUse:
    """Where a method used its self energy: the tests and threads, largest energy first. Threads have names as in the kernel."""

    tests: tuple[TestEnergy, ...]
    threads: tuple[str, ...]


class Figures:
    """The figures of a profile. With repeats, those of tests and methods are medians over the runs that count."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        self.groups: list[Repeats] = sorted(groups, key=lambda group: -group.app_j.median)
        """All tests that ran, largest app energy first."""

    @cached_property
    def repeats(self) -> int:
        """The number of repeats."""
        return self.profile.totals.repeats

    @cached_property
    def names(self) -> MethodNames:
        """The names of methods."""
        return MethodNames(self.profile.method_table)

    @cached_property
    def methods(self) -> tuple[MethodRepeats, ...]:
        """All methods, largest self energy first."""
        return tuple(sorted(self.profile.method_repeats(), key=lambda method: -method.exclusive_j.median))

    @cached_property
    def threads(self) -> tuple[ThreadTotal, ...]:
        """The threads of the app in the run of each test that is nearest to its median, largest energy first."""
        totals = self.profile.thread_totals([group.typical for group in self.groups])
        return tuple(total for total in totals if total.role not in NOT_THE_TESTS)

    @cached_property
    def app_j(self) -> float:
        """App energy: the sum of the tests' medians."""
        return sum(group.app_j.median for group in self.groups)

    @cached_property
    def total_j(self) -> float:
        """The energy of all tests, with base energy, other processes and the JIT compiler, without probes."""
        return sum(group.compensated_j.median for group in self.groups)

    @cached_property
    def app_half_width_j(self) -> float:
        """Half of the width of the 95 % interval of `app_j`. What all tests share adds up; the spread of runs does not."""
        errors = [self.profile.app_error(group.typical) for group in self.groups]
        intervals = [group.app_j.interval for group in self.groups]
        own = (
            [COVER_95 * sqrt(max(error.standard_j**2 - error.shared_j**2, 0.0)) for error in errors]
            if None in intervals
            else [(runs.high - runs.low) / 2 for runs in intervals if runs is not None]
        )
        return hypot(COVER_95 * sum(error.shared_j for error in errors), hypot(*own))

    def use_of(self, method: int) -> MethodUse:
        """Return where a method (`MethodTotal.id`) used its self energy, in the typical run of each test."""
        tables, ledger = self.profile.tables, self.profile.ledger
        rows = tables.methods
        ids = np.unique(rows.method)
        same = ids[first_ids(ledger.methods, ids) == method]
        at = np.flatnonzero(np.isin(rows.method, same))
        thread = rows.tree[at]
        energy_j = rows.exclusive_j[at].sum(axis=1)
        place_of = {row: place for place, group in enumerate(self.groups) for row in group.typical.rows}
        by_test: dict[int, float] = {}
        by_thread: dict[str, float] = {}
        for row, owner, joules in zip(
            tables.threads.test[thread].tolist(), tables.threads.owner[thread].tolist(), energy_j.tolist(), strict=True
        ):
            if (place := place_of.get(row)) is not None:
                by_test[place] = by_test.get(place, 0.0) + joules
                name = ledger.owners.name[owner]
                by_thread[name] = by_thread.get(name, 0.0) + joules
        return MethodUse(
            tuple(self.groups[place].typical for place in sorted(by_test, key=lambda place: -by_test[place])),
            tuple(sorted(by_thread, key=lambda name: -by_thread[name])),
        )
