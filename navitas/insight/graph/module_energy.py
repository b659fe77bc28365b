"""The energy of each module: a group-by over the ledger.

A module has the energy below its callbacks, and that of work which its callbacks handed to other threads. No energy counts
twice: on each thread in each test, handed work has at most the energy that no module's own callbacks used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.handed_work import counted_rows
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import NO_OWNER, Ledger, counted_runs
from navitas.insight.graph.module_paths import NO_MODULE, ModulePaths
from navitas.recording.parse.arrays import F64, I32, I64, Bool


@dataclass(frozen=True, slots=True)
class ModuleEnergies:
    """Joules by module (rows) and component (columns), of which `handed_j` in handed work, and the time of the same work.

    `outside_j` is the energy of the app's threads that no module ran, by component. `total_j` is that of all threads.
    """

    energy_j: F64
    handed_j: F64
    busy_ns: F64
    outside_j: F64
    total_j: F64


def module_energies(ledger: Ledger, paths: ModulePaths) -> ModuleEnergies:
    """Split the energy of all threads among the modules. Runs without probes do not count."""
    energy, components, count = ledger.energy, len(ledger.components), len(paths.modules)
    counted = counted_runs(ledger)[ledger.owners.run]
    rows = np.flatnonzero(counted[energy.owner] & (ledger.owners.kind[energy.owner] == OwnerKind.THREAD))
    component, joules = energy.component[rows].astype(np.int64), energy.exclusive_j[rows]
    module, open_task = paths.module[energy.path[rows]], paths.may_be_task[energy.path[rows]]
    is_own = (module != NO_MODULE) & ~open_task
    total_j = binned(component, joules, components)
    own_j = _table(module[is_own], component[is_own], joules[is_own], count, components)
    places = _Places.of(ledger, energy.test[rows], energy.owner[rows], component)
    task = np.flatnonzero((module != NO_MODULE) & open_task)
    of_base = np.isin(paths.entry[energy.path[rows]], list(paths.heirs)) & ~open_task
    is_left = ~is_own & ~of_base
    left_j = np.maximum(binned(places.of_row[is_left], joules[is_left], places.count), 0.0)
    task_j = binned(places.of_row[task], joules[task], places.count)
    claims = _claims(ledger, paths, places)
    claimed_j = binned(claims.place, claims.joules, places.count)
    granted = np.divide(left_j, claimed_j, out=np.ones(places.count), where=claimed_j > left_j)
    handed_j = _table(claims.module, claims.component, claims.joules * granted[claims.place], count, components)
    # Handed work first explains the outermost calls that can be tasks. What it does not explain belongs to their own class.
    unexplained_j = np.clip(task_j - claimed_j * granted, 0.0, np.maximum(left_j - claimed_j * granted, 0.0))
    share = np.divide(unexplained_j, task_j, out=np.zeros(places.count), where=task_j > 0)
    own_j += _table(module[task], component[task], joules[task] * share[places.of_row[task]], count, components)
    energy_j = own_j + handed_j
    return ModuleEnergies(energy_j, handed_j, _busy_ns(ledger, paths, counted), total_j - energy_j.sum(axis=0), total_j)


def _table(module: I64, component: I64, joules: F64, count: int, components: int) -> F64:
    return binned(module * components + component, joules, count * components).reshape(count, components)


@dataclass(frozen=True, slots=True)
class _Places:
    """Numbers of the combinations of test, owner and component with energy."""

    keys: I64
    of_row: I64
    owners: int
    components: int

    @classmethod
    def of(cls, ledger: Ledger, test: I32, owner: I32, component: I64) -> _Places:
        owners, components = len(ledger.owners), len(ledger.components)
        keys, of_row = np.unique(_key(test, owner, component, owners, components), return_inverse=True)
        return cls(keys, of_row, owners, components)

    @property
    def count(self) -> int:
        return len(self.keys)

    def find(self, test: I32, owner: I32, component: I64) -> I64:
        """The number of each combination, -1 if it has no energy."""
        key = _key(test, owner, component, self.owners, self.components)
        if not self.count:
            return np.full(len(key), -1)
        at = np.minimum(np.searchsorted(self.keys, key), self.count - 1)
        return np.where(self.keys[at] == key, at, -1)


def _key(test: I32, owner: I32, component: I64, owners: int, components: int) -> I64:
    return ((test.astype(np.int64) + 1) * owners + owner) * components + component


@dataclass(frozen=True, slots=True)
class _Claims:
    """Joules of handed work of each module, by place."""

    place: I64
    module: I64
    component: I64
    joules: F64


def starting_modules(paths: ModulePaths, path: I64, root: I64) -> I64:
    """The module that started handed work: by the call that handed it over, else by the call that started the chain."""
    direct, first = paths.module[path], paths.module[root]
    is_certain = (direct != NO_MODULE) & ~paths.may_be_task[path]
    return np.where(is_certain | (first == NO_MODULE), direct, first)


def _claims(ledger: Ledger, paths: ModulePaths, places: _Places) -> _Claims:
    handed, rows = ledger.handed, counted_rows(ledger)
    rows = rows[handed.owner[rows] != NO_OWNER]
    module = starting_modules(paths, handed.path[rows].astype(np.int64), handed.root[rows].astype(np.int64))
    rows, module = rows[module != NO_MODULE], module[module != NO_MODULE]
    components = len(ledger.components)
    component = np.tile(np.arange(components), len(rows))
    test, owner = np.repeat(handed.test[rows], components), np.repeat(handed.owner[rows], components)
    place, joules = places.find(test, owner, component), handed.energy_j[rows].ravel()
    used = (place >= 0) & (joules > 0)
    return _Claims(place[used], np.repeat(module, components)[used], component[used], joules[used])


def _busy_ns(ledger: Ledger, paths: ModulePaths, counted: Bool) -> F64:
    """The time in calls below the modules' callbacks, and of their handed work."""
    calls, handed, count = ledger.calls, ledger.handed, len(paths.modules)
    module = paths.module[calls.path]
    own = counted[calls.owner] & (module != NO_MODULE) & ~paths.may_be_task[calls.path]
    busy_ns = binned(module[own], calls.self_ns[own], count)
    rows = counted_rows(ledger)
    starter = starting_modules(paths, handed.path[rows].astype(np.int64), handed.root[rows].astype(np.int64))
    return busy_ns + binned(starter[starter != NO_MODULE], handed.run_ns[rows][starter != NO_MODULE], count)
