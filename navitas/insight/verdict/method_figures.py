"""The energy of methods over all tests, of one basis with tests, threads and call trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.roll_up import MethodTotal, grouped_methods
from navitas.energy.analyze.spread import Interval, MethodRepeats, interval_around
from navitas.energy.attribute.forest import binned, sums
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.roles import NOT_THE_TESTS


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """A method in one run of all tests: its part of the medians of tests. Self energies of methods are parts of app energy.

    - `repeats`: the method in each repeat, without scaling.
    - `self_j`, `inclusive_j`: split by `components` and `inclusive_components`.
    - `calls` (or stack samples), `wall_ns`, `cpu_ns`: means of the runs that count.
    - `per_call_j`, `self_power_w`: inclusive energy of a call, and the mean of self energy by self time. None if unknown.
    - `alternative_j`: self energy by another formula.
    """

    repeats: MethodRepeats
    self_j: float
    inclusive_j: float
    calls: float
    wall_ns: float
    cpu_ns: float
    per_call_j: float | None
    self_power_w: float | None
    alternative_j: float
    components: tuple[float, ...]
    inclusive_components: tuple[float, ...]

    @property
    def total(self) -> MethodTotal:
        """The sums over all runs."""
        return self.repeats.total

    @property
    def interval(self) -> Interval:
        """The 95 % interval of `self_j`."""
        error, runs = self.total.exclusive_error, self.repeats.exclusive_j
        size = len(runs.values)
        return interval_around(self.self_j, [runs], alone=error.half_width_j / size, shared=error.shared_j / size)


def method_figures(profile: Profile, weights: F64) -> tuple[MethodFigures, ...]:
    """Return all methods, largest self energy first. `weights` are those of `weights_of_tests`."""
    tables, owners = profile.tables, profile.ledger.owners
    rows, (chosen, methods, index) = tables.methods, grouped_methods(tables, profile.tests)
    tree, size = rows.tree[chosen], len(methods)
    test = tables.threads.test[tree]
    is_app = np.array([role not in NOT_THE_TESTS for role in owners.role] + [True])[tables.threads.owner[tree]]
    energy, times = weights[np.where(is_app, 0, 1), test], weights[2, test]
    measured = tables.threads.measured[tree]
    self_by, inclusive_by = (column[chosen] * energy[:, None] for column in (rows.exclusive_j, rows.inclusive_j))

    def total(column: F64 | I64) -> F64:
        return binned(index, column, size)

    def ratio(above: F64, below: F64) -> list[float | None]:
        return [part / whole if whole > 0 else None for part, whole in zip(total(above * measured), total(below), strict=True)]

    calls = rows.counted[chosen] * times
    self_components, inclusive_components = (sums(index, column, size) for column in (self_by, inclusive_by))
    alternative_j = np.zeros(len(tree)) if rows.alternative_j is None else rows.alternative_j[chosen]
    columns = (
        self_components.sum(axis=1).tolist(),
        inclusive_components.sum(axis=1).tolist(),
        *(total(column).tolist() for column in (calls, rows.wall_ns[chosen] * times, rows.cpu_ns[chosen] * times)),
        ratio(inclusive_by.sum(axis=1), calls * measured if rows.samples is None else np.zeros(len(tree))),
        ratio(self_by.sum(axis=1), rows.self_ns[chosen] * energy * measured / 1e9),  # a median is no part of power
        total(alternative_j * times).tolist(),
        map(tuple, self_components.tolist()),
        map(tuple, inclusive_components.tolist()),
    )
    by_id = dict(zip(methods.tolist(), zip(*columns, strict=True), strict=True))
    figures = (MethodFigures(repeats, *by_id[repeats.total.id]) for repeats in profile.method_repeats())
    return tuple(sorted(figures, key=lambda method: -method.self_j))
