"""The figures that verdicts, explanations and pages are made of, computed once: medians of tests, and their parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import hypot
from typing import TypeVar

import numpy as np

from navitas.energy.analyze.names import MethodNames, same_names, simple_class
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats, weights_of_tests
from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.analyze.spread import Interval, Spread, interval_around
from navitas.energy.analyze.uncertainty import StandardError
from navitas.insight.verdict.method_figures import MethodFigures, method_figures
from navitas.insight.verdict.thread_figures import ThreadUse, thread_uses
from navitas.recording.parse.arrays import F64, I64

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class ComponentFigures:
    """The energy of a component while tests ran with its 95 % interval, and the part of it that the app's threads used."""

    name: str
    energy_j: float
    interval: Interval
    app_j: float


@dataclass(frozen=True, slots=True)
class MethodUse:
    """The self energy of a method by the index of `Figures.groups`, by the name of threads, and by both, largest first.

    `calls`: the calls of a run, by both.
    """

    tests: dict[int, float]
    threads: dict[str, float]
    parts: dict[tuple[int, str], float]
    calls: dict[tuple[int, str], float]


class Figures:
    """The figures of a profile. With repeats, those of tests are medians over the runs that count.

    Those of methods and threads are means over these runs, scaled to the medians of tests: they add up to `app_j`.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        groups = profile.classes() if profile.is_by_class else profile.repeats()
        self.groups: list[Repeats] = sorted(groups, key=lambda group: -group.app_j.median)
        """All tests that ran, largest app energy first."""
        idle: dict[tuple[str, str, str], list[TestEnergy]] = {}
        for test in () if profile.is_by_class else profile.tests:
            if test.wall_ns == 0:
                idle.setdefault((test.module, test.class_name, test.method), []).append(test)
        self.idle: list[list[TestEnergy]] = list(idle.values())
        """The runs of each test that never ran in them, such as those of ignored tests."""
        self.tests: Sequence[TestEnergy] = profile.tests
        """All runs of tests that the figures are about."""

    def only(self, numbers: Iterable[int]) -> Figures:
        """Return the figures of some tests alone (indexes of `groups`). Values of methods by repeat stay those of all tests."""
        part = Figures(self.profile)
        part.groups, part.idle = [self.groups[number] for number in numbers], []
        rows = {row for group in part.groups for test in group.tests for row in test.rows}
        part.tests = [test for test in self.tests if rows.issuperset(test.rows)]
        return part

    @cached_property
    def repeats(self) -> int:
        """The number of repeats."""
        return self.profile.totals.repeats

    @cached_property
    def names(self) -> MethodNames:
        return MethodNames(self.profile.method_table)

    @cached_property
    def methods(self) -> tuple[MethodFigures, ...]:
        """All methods, largest self energy first."""
        return method_figures(self.profile, self._weights[1])

    @cached_property
    def app_j(self) -> float:
        """App energy: the sum of the tests' medians."""
        return sum(group.app_j.median for group in self.groups)

    @cached_property
    def total_j(self) -> float:
        """The energy of all tests, with base energy, other processes and the JIT compiler, without probes."""
        return sum(group.compensated_j.median for group in self.groups)

    @cached_property
    def probed_j(self) -> float:
        """The energy of all tests with that of probes, as measured."""
        return sum(group.energy_j.median for group in self.groups)

    @cached_property
    def app_interval(self) -> Interval:
        """The 95 % interval of `app_j`."""
        return self._interval(self.app_j, [group.app_j for group in self.groups], self._app_error)

    @property
    def is_noise(self) -> bool:
        """Whether the interval of app energy does not lie above zero. If so, nothing can be ranked."""
        return self.app_interval.low <= 0

    def share_of(self, method: MethodFigures) -> tuple[float, Interval]:
        """Return a method's self energy as a share of app energy, and its 95 % interval.

        With repeats, the interval is that of the shares of runs. Errors that the method and the app share cancel in part, so the
        width is an upper bound. Without app energy, all are 0.
        """
        self_j, shared_j = method.self_j, method.total.exclusive_error.shared_j / self.repeats
        share = self_j / self.app_j if self.app_j > 0 else 0.0
        half_j = hypot(method.interval.half_width, share * self.app_interval.half_width)
        return self._share(self_j, method.repeats.exclusive_j, half_j, shared_j)

    def share_of_thread(self, thread: ThreadUse) -> tuple[float, Interval]:
        """Return a thread's energy as a share of app energy, and its 95 % interval, as `share_of`."""
        return self._share(thread.energy_j, thread.runs, thread.interval.half_width, thread.error.shared_j)

    def share_of_test(self, group: Repeats) -> tuple[float, Interval]:
        """Return a test's app energy as a share of that of all tests, and its 95 % interval."""
        error, half_j = self.profile.app_error(group.typical), self.profile.app_interval(group).half_width
        return self._share(group.app_j.median, self.runs_of_test(group), half_j, error.shared_j)

    def runs_of_test(self, group: Repeats) -> Spread:
        """Return a test's app energy in each repeat. A repeat without a run of the test does not count."""
        counted_j = {test.repeat: test.app_j for test in compress(group.tests, group.app_j.counts)}
        repeats = self._repeat_numbers
        return Spread(tuple(counted_j.get(repeat, 0.0) for repeat in repeats), tuple(repeat in counted_j for repeat in repeats))

    def _share(self, part_j: float, runs: Spread, half_j: float, shared_j: float) -> tuple[float, Interval]:
        """Return a part's share of app energy, and its 95 % interval.

        `half_j` is half of the width of the part's, for a single run; `shared_j` is the error that all runs share.
        """
        if self.app_j <= 0:
            return 0.0, Interval(0.0, 0.0)
        share = part_j / self.app_j
        counts = runs.counts or (True,) * len(runs.values)
        values = zip(runs.values, self.app_by_repeat, counts, strict=True)
        of_runs = Spread(tuple(joules / app_j for joules, app_j, is_counted in values if is_counted and app_j > 0))
        shared = hypot(shared_j, share * self._app_error.shared_j) / self.app_j
        return share, interval_around(share, [of_runs], alone=half_j / self.app_j, shared=shared)

    @staticmethod
    def _interval(energy_j: float, runs: Sequence[Spread], error: StandardError) -> Interval:
        """Return the interval of a sum over tests. `runs`: the figure of each test. `error`: that of the measurement."""
        return interval_around(energy_j, runs, alone=error.half_width_j, shared=error.shared_j)

    @cached_property
    def _repeat_numbers(self) -> tuple[int, ...]:
        return tuple(sorted({test.repeat for test in self.profile.tests}))

    @cached_property
    def app_by_repeat(self) -> tuple[float, ...]:
        """The app energy of all tests in each repeat; 0 if a test has no run there that counts."""
        repeats = self._repeat_numbers
        sums_j = dict.fromkeys(repeats, 0.0)
        tests = dict.fromkeys(repeats, 0)
        for group in self.groups:
            counts = group.app_j.counts or (True,) * len(group.tests)
            for test in compress(group.tests, counts):
                sums_j[test.repeat] += test.app_j
                tests[test.repeat] += 1
        return tuple(sums_j[repeat] if tests[repeat] == len(self.groups) else 0.0 for repeat in repeats)

    @cached_property
    def _app_error(self) -> StandardError:
        """The error of the measurement of `app_j`."""
        typical = [group.typical for group in self.groups]
        components_j = [sum(column) for column in zip(*(test.app_components for test in typical), strict=True)]
        wall_ns, probes_j = sum(test.wall_ns for test in typical), sum(test.probes_error_j or 0.0 for test in typical)
        return self.profile.uncertainty.of(
            "app", components_j or [0.0] * len(self.profile.components), wall_ns, parts=max(len(typical), 1), probes_j=probes_j
        )

    def test_name(self, group: Repeats) -> str:
        """Return `SortTest#sorts`, with the package or the module where the name is not clear without them."""
        simple, name = simple_class(group.class_name), group.class_name
        simple = name if simple in self._same_classes else simple
        test = simple if self.profile.is_by_class else f"{simple}#{group.method}"
        return f"{group.module} {test}" if self._has_modules else test

    @cached_property
    def threads(self) -> tuple[ThreadUse, ...]:
        """The threads of the app, largest energy first."""
        return tuple(use for use in self.all_threads if use.is_app)

    @cached_property
    def all_threads(self) -> tuple[ThreadUse, ...]:
        """The threads of the app, and those of the JIT compiler and of the profiler, largest energy first."""
        return self._thread_uses()

    @cached_property
    def roles(self) -> tuple[ThreadUse, ...]:
        """All threads by role, largest energy first."""
        return self._thread_uses(by_role=True)

    def _thread_uses(self, *, by_role: bool = False) -> tuple[ThreadUse, ...]:
        group, weights = self._weights
        return thread_uses(
            self.profile,
            group,
            weights,
            wall_ns=self._wall_ns,
            parts=len(self.groups),
            probes_error_j=self._app_error.probes_j,
            by_role=by_role,
        )

    @cached_property
    def components(self) -> tuple[ComponentFigures, ...]:
        """The components that used energy while tests ran, largest energy first: sums of the tests' medians."""
        uses = [self._component(number, name) for number, name in enumerate(self.profile.components)]
        return tuple(sorted((use for use in uses if use.energy_j), key=lambda use: -use.energy_j))

    def _component(self, number: int, name: str) -> ComponentFigures:
        energy_j = sum(group.components[number] for group in self.groups)
        only_j = [energy_j if other == number else 0.0 for other in range(len(self.profile.components))]
        error = self.profile.uncertainty.of("total", only_j, self._wall_ns, parts=len(self.groups))
        runs = [Spread(tuple(test.components[number] for test in group.tests), group.app_j.counts) for group in self.groups]
        app_j = sum(use.components[number] for use in self.threads)
        return ComponentFigures(name, energy_j, self._interval(energy_j, runs, error), app_j)

    def by_kind_j(self, component: int) -> list[float]:
        """Return the energy of a component while tests ran, by `OwnerKind`. It adds up to that of `components`."""
        group, _ = self._weights
        sums_j = self.profile.tables.tests_by_kind[group >= 0, :, component].sum(axis=0)
        whole_j = sum(test.components[component] for test in self.groups)
        kinds: list[float] = (sums_j * (whole_j / sums_j.sum() if sums_j.sum() else 0.0)).tolist()
        return kinds

    def use_of(self, method: int) -> MethodUse:
        """Return where a method (`MethodTotal.id`) used its self energy."""
        tables, ledger = self.profile.tables, self.profile.ledger
        group, weights = self._weights
        rows = tables.methods
        ids = np.unique(rows.method)
        at = np.flatnonzero(np.isin(rows.method, ids[first_ids(ledger.methods, ids) == method]))
        tree = rows.tree[at]
        test = tables.threads.test[tree]
        energy_j = rows.exclusive_j[at].sum(axis=1) * weights[0, test]
        calls = rows.counted[at] * weights[2, test]
        by_test: defaultdict[int, float] = defaultdict(float)
        by_thread: defaultdict[str, float] = defaultdict(float)
        parts: defaultdict[tuple[int, str], float] = defaultdict(float)
        calls_of_parts: defaultdict[tuple[int, str], float] = defaultdict(float)
        owners = tables.threads.owner[tree].tolist()
        for number, owner, joules, count in zip(group[test].tolist(), owners, energy_j.tolist(), calls.tolist(), strict=True):
            if number >= 0:
                name = ledger.owners.name[owner]
                by_test[number] += joules
                by_thread[name] += joules
                parts[number, name] += joules
                calls_of_parts[number, name] += count
        return MethodUse(_largest_first(by_test), _largest_first(by_thread), _largest_first(parts), dict(calls_of_parts))

    @cached_property
    def _weights(self) -> tuple[I64, F64]:
        return weights_of_tests(len(self.profile.ledger.tests), [[group] for group in self.groups])

    @cached_property
    def _same_classes(self) -> frozenset[str]:
        return same_names(group.class_name for group in self.groups)

    @cached_property
    def _has_modules(self) -> bool:
        return len({group.module for group in self.groups}) > 1

    @cached_property
    def _wall_ns(self) -> int:
        return sum(group.typical.wall_ns for group in self.groups)


def _largest_first(energies_j: dict[K, float]) -> dict[K, float]:
    return dict(sorted(energies_j.items(), key=lambda item: -item[1]))
