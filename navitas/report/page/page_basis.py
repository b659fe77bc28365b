"""What the tables and the data of the page are made of, computed once: tests, methods and call trees, as medians of runs."""

from __future__ import annotations

from functools import cached_property
from math import hypot, sqrt

from navitas.base.counts import counted
from navitas.energy.analyze.bounded_tree import FullTree, full_tree
from navitas.energy.analyze.earlier_tree import earlier_methods, joined_tree
from navitas.energy.analyze.names import MethodNames
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.spread import MethodRepeats
from navitas.energy.analyze.uncertainty import COVER_95
from navitas.recording.parse.tables import MethodTable
from navitas.report.page_request import EarlierRecording, PageRequest

MAX_TESTS = 2000
"""The largest number of tests that the page lists. All others are one."""


class EarlierFigures:
    """Tests and methods of an earlier recording. Methods have the numbers of `earlier_methods`."""

    def __init__(self, earlier: EarlierRecording, methods: MethodTable) -> None:
        self.name, self.profile = earlier.name, earlier.profile
        groups = self.profile.classes() if self.profile.is_by_class else self.profile.repeats()
        self._tests = {(group.module, group.class_name, group.method): group for group in groups}
        numbers = earlier_methods(methods, self.profile.method_table)
        self.methods: dict[int, MethodRepeats] = {
            int(numbers[method.total.id]): method for method in self.profile.method_repeats()
        }

    def test(self, group: Repeats) -> Repeats | None:
        """Return the same test in the earlier recording."""
        return self._tests.get((group.module, group.class_name, group.method))


class PageBasis:
    """The figures of one profile for the page.

    With repeats, tests and methods are medians over the runs that count, and call trees are means of these runs, scaled to the
    medians of the tests. Other sums are per run.
    """

    def __init__(self, profile: Profile, request: PageRequest | None = None, max_tests: int = MAX_TESTS) -> None:
        self.profile = profile
        request = request or PageRequest()
        self.sources = request.sources
        self.before = None if request.before is None else EarlierFigures(request.before, profile.method_table)
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        ranked = sorted(groups, key=lambda group: -group.app_j.median)
        self.listed: list[Repeats] = ranked[:max_tests]
        self.smaller: list[Repeats] = ranked[max_tests:]
        self.idle: list[TestEnergy] = [test for test in profile.tests if test.wall_ns == 0 and not profile.is_by_class]

    @property
    def groups(self) -> list[Repeats]:
        """All tests that ran, largest app energy first."""
        return [*self.listed, *self.smaller]

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
    def tree(self) -> FullTree:
        """The call trees: test i is `listed[i]`, and the last one all of `smaller`, if there are any."""
        tests = [*([group] for group in self.listed), *([self.smaller] if self.smaller else [])]
        tree = full_tree(self.profile.ledger, tests)
        if self.before is None:
            return tree
        earlier = [[same for group in merged if (same := self.before.test(group)) is not None] for merged in tests]
        ledger = self.before.profile.ledger
        return joined_tree(self.profile.ledger, tree, ledger, full_tree(ledger, earlier))

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
        typical = [group.typical for group in self.groups]
        errors = [self.profile.app_error(test) for test in typical]
        intervals = [group.app_j.interval for group in self.groups]
        own = (
            [COVER_95 * sqrt(max(error.standard_j**2 - error.shared_j**2, 0.0)) for error in errors]
            if None in intervals
            else [(runs.high - runs.low) / 2 for runs in intervals if runs is not None]
        )
        return hypot(COVER_95 * sum(error.shared_j for error in errors), hypot(*own))

    @property
    def sentence(self) -> str:
        """What the figures of the page are of."""
        if not self.groups:
            return "No test ran."
        names = ("test class", "test classes") if self.profile.is_by_class else ("test",)
        what = counted(len(self.groups), *names)
        if self.repeats == 1:
            return f"{what}, one run each. ±: 95 % interval of the measurement; one run does not show how runs differ."
        return (
            f"{what}, {self.repeats} runs each. Energies are medians; ±: 95 % interval of the measurement and of the runs. Call"
            " trees split each test's median as its runs did on average. Other sums are per run."
        )
