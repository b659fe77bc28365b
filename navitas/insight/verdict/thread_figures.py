"""The energy of threads by name and role, or by role alone, over all tests: of one basis with tests and methods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.cpu_use import cpu_column
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import KnownFigures
from navitas.energy.analyze.spread import Interval, Spread, interval_around, repeats_that_count
from navitas.energy.analyze.uncertainty import StandardError
from navitas.energy.attribute.forest import binned, sums
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.roles import NOT_THE_TESTS

ROLE_NAMES = {
    "jit": "JIT compiler",
    "gc": "garbage collector",
    "vm": "VM operations and collections",
    "profiler": "profiler itself",
    "system": "other threads",
}
"""What reports call all threads of a role, but for the role `app`, whose threads have names of their own."""


@dataclass(frozen=True, slots=True)
class ThreadUse(KnownFigures):
    """Threads of one name and role: their energy, and that of it outside all recorded methods, both without probes.

    - `name`: for all threads of a role, that of `ROLE_NAMES`; empty for the role `app`.
    - `energy_j`, `outside_j`, `cpu_ns`, `count`: means of the runs that count, energies scaled to the medians of tests.
    - `runs`: the energy in each repeat, without scaling. It is 0 in a repeat without the threads.
    - `error`: that of the measurement of `energy_j`.
    - `components`: splits `energy_j`. `by_test` has it by the index of `Figures.groups`.
    - `probes_j`: the energy of their probes, which is no part of `energy_j`.
    - `cpu_power_w`: the CPU's energy divided by CPU time, both with probes. None without CPU time.
    - `measured`: whether the CPU time of any of them is known.
    """

    name: str
    role: str
    energy_j: float
    runs: Spread
    error: StandardError
    outside_j: float
    cpu_ns: float
    count: float
    components: tuple[float, ...]
    by_test: dict[int, float]
    probes_j: float
    cpu_power_w: float | None
    measured: bool

    @property
    def is_app(self) -> bool:
        """Whether its energy is app energy."""
        return self.role not in NOT_THE_TESTS

    @property
    def interval(self) -> Interval:
        """The 95 % interval of `energy_j`."""
        return interval_around(self.energy_j, [self.runs], alone=self.error.half_width_j, shared=self.error.shared_j)


def thread_uses(
    profile: Profile, group: I64, weights: F64, *, wall_ns: float, parts: int, probes_error_j: float, by_role: bool = False
) -> tuple[ThreadUse, ...]:
    """Return the threads by name and role, or by role alone, largest energy first.

    `group` and `weights` are those of `weights_of_tests`. The error is that of `parts` tests of `wall_ns`; `probes_error_j` is
    the error of app energy by all probes, of which threads have a part by the energy of their probes.
    """
    rows, ledger = profile.tables.threads, profile.ledger
    numbers: dict[tuple[str, str], int] = {}
    owners = zip(ledger.owners.name, ledger.owners.role, strict=True)
    names = ((ROLE_NAMES.get(role, "") if by_role else name, role) for name, role in owners)
    label = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    label, size = label[rows.owner], len(numbers)
    is_app = np.array([role not in NOT_THE_TESTS for _, role in numbers] or [True])
    of_energy, of_times = weights[np.where(is_app[label], 0, 1), rows.test], weights[2, rows.test]
    energy_j = rows.energy_j - rows.probes_j
    components_j = sums(label, energy_j * of_energy[:, None], size)
    outside_j, probes_j = (
        binned(label, column.sum(axis=1) * weight, size).tolist()
        for column, weight in ((rows.untraced_j, of_energy), (rows.probes_j, of_times))
    )
    cpu_ns, count = (binned(label, column * of_times, size).tolist() for column in (rows.cpu_ns, rows.threads))
    cpu_j = binned(label, cpu_column(ledger, rows.energy_j) * of_times, size).tolist()
    measured = (binned(label, rows.measured * (of_times > 0), size) > 0).tolist()
    in_groups = np.flatnonzero(group[rows.test] >= 0)
    cells, cell = np.unique(np.stack([label, group[rows.test]])[:, in_groups], axis=1, return_inverse=True)
    cell_j = binned(cell.reshape(-1), energy_j.sum(axis=1)[in_groups] * of_energy[in_groups], cells.shape[1])
    by_test: list[dict[int, float]] = [{} for _ in range(size)]
    for number, test, joules in zip(*cells.tolist(), cell_j.tolist(), strict=True):
        by_test[number][test] = joules
    runs = _by_repeat(profile, label, energy_j.sum(axis=1), size)
    app_probes_j = sum(joules for joules, counts in zip(probes_j, is_app.tolist(), strict=False) if counts)
    uses = [
        ThreadUse(
            name=name,
            role=role,
            energy_j=float(components_j[number].sum()),
            runs=runs[number],
            error=profile.uncertainty.of(
                "thread",
                components_j[number].tolist(),
                wall_ns,
                parts=parts,
                probes_j=probes_error_j * probes_j[number] / app_probes_j if app_probes_j > 0 else 0.0,
            ),
            outside_j=outside_j[number],
            cpu_ns=cpu_ns[number],
            count=count[number],
            components=tuple(components_j[number].tolist()),
            by_test=by_test[number],
            probes_j=probes_j[number],
            cpu_power_w=cpu_j[number] / (cpu_ns[number] / 1e9) if cpu_ns[number] > 0 else None,
            measured=measured[number],
        )
        for (name, role), number in numbers.items()
        if by_test[number]
    ]
    return tuple(sorted(uses, key=lambda use: -use.energy_j))


def _by_repeat(profile: Profile, label: I64, energy_j: F64, size: int) -> list[Spread]:
    """Return the energy of each label in each repeat. A repeat counts for a label if it counts for all of its tests."""
    rows, tests = profile.tables.threads, profile.tests_by_class if profile.is_by_class else profile.tests
    repeats = np.array(sorted({test.repeat for test in tests}), np.int64)
    at = np.flatnonzero(~profile.tables.is_baseline[rows.test])
    repeat = np.searchsorted(repeats, profile.ledger.tests.repeat[rows.test[at]])
    values = binned(label[at] * len(repeats) + repeat, energy_j[at], size * len(repeats)).reshape(size, len(repeats)).tolist()
    counts = repeats_that_count(tests, label[at], rows.test[at], size)
    counted: Iterable[tuple[bool, ...]] = [()] * size if counts is None else map(tuple, counts.tolist())
    return [Spread(tuple(of_label), of_repeats) for of_label, of_repeats in zip(values, counted, strict=True)]
