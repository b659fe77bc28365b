"""The figures that verdicts, explanations and pages are made of, computed once, as medians of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import hypot

import numpy as np

from navitas.energy.analyze.names import MethodNames, same_names, simple_class
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats, weights_of_tests
from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.analyze.spread import MethodRepeats, half_width_j, interval_of
from navitas.energy.analyze.uncertainty import COVER_95, FigureKind, StandardError
from navitas.energy.attribute.forest import binned, sums
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.roles import NOT_THE_TESTS


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """The threads of one name and role: app energy, that of it outside all recorded methods, and both without probes.

    `components` splits `energy_j`, and `by_test` has it by the index of `Figures.groups`.
    """

    name: str
    role: str
    energy_j: float
    half_width_j: float
    outside_j: float
    cpu_ns: float
    components: tuple[float, ...]
    by_test: dict[int, float]


@dataclass(frozen=True, slots=True)
class ComponentFigures:
    """The energy of a component while tests ran, and the part of it that the app's threads used."""

    name: str
    energy_j: float
    half_width_j: float
    app_j: float


@dataclass(frozen=True, slots=True)
class MethodUse:
    """The self energy of a method by the index of `Figures.groups`, and by the name of threads, largest first."""

    tests: dict[int, float]
    threads: dict[str, float]


class Figures:
    """The figures of a profile. With repeats, those of tests and methods are medians over the runs that count.

    Those of threads are means over these runs, scaled to the medians of tests: they add up to `app_j`.
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
        error = self._app_error
        intervals = [runs for group in self.groups if (runs := group.app_j.interval) is not None]
        if not intervals:
            return error.half_width_j
        return hypot(COVER_95 * error.shared_j, *((runs.high - runs.low) / 2 for runs in intervals))

    def share_of(self, method: MethodRepeats) -> tuple[float, float]:
        """Return a method's self energy as a share of app energy, and half of the width of its 95 % interval.

        With repeats, the interval is that of the shares of runs. Errors that the method and the app share cancel in part, so the
        width is an upper bound. Without app energy, both are 0.
        """
        if self.app_j <= 0:
            return 0.0, 0.0
        share = method.exclusive_j.median / self.app_j
        counts = method.exclusive_j.counts or (True,) * len(self._app_by_repeat)
        values = zip(method.exclusive_j.values, self._app_by_repeat, counts, strict=True)
        runs = interval_of([self_j / app_j for self_j, app_j, is_counted in values if is_counted and app_j > 0])
        if runs is None:
            return share, hypot(method.self_half_width_j, share * self.app_half_width_j) / self.app_j
        shared_j = hypot(method.total.exclusive_error.shared_j / self.repeats, share * self._app_error.shared_j)
        return share, hypot((runs.high - runs.low) / 2, COVER_95 * shared_j / self.app_j)

    @cached_property
    def _app_by_repeat(self) -> tuple[float, ...]:
        """The app energy of all tests in each repeat; 0 if a test has no run there that counts."""
        repeats = sorted({test.repeat for test in self.profile.tests})
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
        rows, ledger = self.profile.tables.threads, self.profile.ledger
        group, weights = self._weights
        numbers: dict[tuple[str, str], int] = {}
        owners = zip(ledger.owners.name, ledger.owners.role, strict=True)
        label = np.array([numbers.setdefault(owner, len(numbers)) for owner in owners], np.int64)[rows.owner]
        weight, chosen = weights[:, rows.test], np.where(group[rows.test] >= 0, label, -1)
        energy_j = rows.energy_j - rows.probes_j
        size = len(numbers)
        components_j = sums(label, energy_j * weight[0, :, None], size)
        outside_j = binned(label, rows.untraced_j.sum(axis=1) * weight[0], size)
        cpu_ns = binned(label, rows.cpu_ns * weight[2], size)
        cells, cell = np.unique(np.stack([label, group[rows.test]]), axis=1, return_inverse=True)
        cell_j = binned(cell.reshape(-1), energy_j.sum(axis=1) * weight[0], cells.shape[1])
        by_test: list[dict[int, float]] = [{} for _ in range(size)]
        for number, test, joules in zip(*cells.tolist(), cell_j.tolist(), strict=True):
            if test >= 0:
                by_test[number][test] = joules
        uses = [
            ThreadUse(
                name,
                role,
                float(components_j[number].sum()),
                self._half_width_j("thread", components_j[number].tolist(), self._by_repeat(energy_j, np.equal(chosen, number))),
                float(outside_j[number]),
                float(cpu_ns[number]),
                tuple(components_j[number].tolist()),
                by_test[number],
            )
            for (name, role), number in numbers.items()
            if role not in NOT_THE_TESTS and by_test[number]
        ]
        return tuple(sorted(uses, key=lambda use: -use.energy_j))

    @cached_property
    def components(self) -> tuple[ComponentFigures, ...]:
        """The components that used energy while tests ran, largest energy first: sums of the tests' medians."""
        names, none = self.profile.components, (0.0,) * len(self.profile.components)
        columns = list(zip(*(group.components for group in self.groups), strict=True)) or [(energy_j,) for energy_j in none]
        app = list(zip(*(use.components for use in self.threads), strict=True)) or [(energy_j,) for energy_j in none]
        uses = [
            ComponentFigures(
                name,
                energy_j := sum(columns[number]),
                self._half_width_j("total", [energy_j if other == name else 0.0 for other in names], ()),
                sum(app[number]),
            )
            for number, name in enumerate(names)
        ]
        return tuple(sorted((use for use in uses if use.energy_j), key=lambda use: -use.energy_j))

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
        by_test: dict[int, float] = {}
        by_thread: dict[str, float] = {}
        rows_of_tests = zip(group[test].tolist(), tables.threads.owner[tree].tolist(), energy_j.tolist(), strict=True)
        for number, owner, joules in rows_of_tests:
            if number >= 0:
                by_test[number] = by_test.get(number, 0.0) + joules
                name = ledger.owners.name[owner]
                by_thread[name] = by_thread.get(name, 0.0) + joules
        return MethodUse(
            dict(sorted(by_test.items(), key=lambda item: -item[1])), dict(sorted(by_thread.items(), key=lambda item: -item[1]))
        )

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

    def _by_repeat(self, energy_j: F64, chosen: Bool) -> Sequence[float]:
        """Return the sum of the chosen rows of threads in each repeat. Empty for a single repeat."""
        if self.repeats == 1:
            return ()
        at = np.flatnonzero(chosen)
        repeat = self.profile.ledger.tests.repeat[self.profile.tables.threads.test[at]]
        _, index = np.unique(repeat, return_inverse=True)
        values: list[float] = binned(index, energy_j[at].sum(axis=1), int(index.max(initial=-1)) + 1).tolist()
        return values

    def _half_width_j(self, kind: FigureKind, components_j: Sequence[float], values_j: Sequence[float]) -> float:
        """Return half of the width of the 95 % interval of a sum over all tests. `values_j`: the sums of several repeats."""
        error = self.profile.uncertainty.of(kind, components_j, self._wall_ns, parts=len(self.groups))
        return half_width_j(interval_of(values_j), error)
