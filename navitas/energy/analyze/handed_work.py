"""The energy of work that methods handed to other threads: a roll-up of the ledger's handed tasks by starter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.forest import binned, sums
from navitas.energy.attribute.ledger import NO_OWNER, HandedTasks, Ledger
from navitas.recording.parse.apis import API_SOURCE
from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.tables import Method

UNKNOWN_STARTER = -1
MAX_THREADS = 8
"""The largest number of names of threads in a record."""
_LIBRARIES = ("java.", "javax.", "kotlin.", "kotlinx.", "android.", "androidx.")
"""Packages with executors and dispatchers that hand on what the app handed to them."""


@dataclass(frozen=True, slots=True)
class HandedWork:
    """Work that one method handed to other threads, or to a later time, over all runs without baseline runs.

    - `id`: that of `MethodTotal`. `UNKNOWN_STARTER` (and no `method`) if it is unknown which method handed the work over.
    - `run_ns`, `energy_j`: those of the threads that ran the work, without handed work that ran inside of it. They are also among
      the figures of the methods that ran. `components` splits `energy_j`, which includes the energy of probes.
    - `threads`: the names of the threads that used most, at most `MAX_THREADS`. `other_threads` is the number of further names.
    - `unmeasured_tasks`: those of `tasks` on threads without probes or without a known CPU time. Their energy is unknown.
    """

    id: int
    method: Method | None
    tasks: int
    run_ns: int
    energy_j: float
    components: tuple[float, ...]
    threads: tuple[str, ...]
    other_threads: int
    unmeasured_tasks: int


def handed_work(ledger: Ledger) -> tuple[HandedWork, ...]:
    """Return the work that each method handed over, largest energy first. Work outside of tests counts."""
    handed = ledger.handed
    rows = counted_rows(ledger)
    if not len(rows):
        return ()
    starter = starting_methods(ledger, handed.path[rows].astype(np.int64))
    known = starter != UNKNOWN_STARTER
    starter[known] = first_ids(ledger.methods, starter[known])
    ids, place = np.unique(starter, return_inverse=True)
    joules = sums(place, handed.energy_j[rows], len(ids))
    is_known = (handed.owner != NO_OWNER) & ledger.owners.measured[handed.owner]
    unmeasured = np.where(is_known, 0, handed.tasks)
    counts = (binned(place, column[rows], len(ids)) for column in (handed.tasks, handed.run_ns, unmeasured))
    tasks, run_ns, without_energy = (column.astype(np.int64).tolist() for column in counts)
    names = _thread_names(ledger, handed, rows, place, len(ids))
    methods = ledger.methods.methods
    found = [
        HandedWork(
            id=id,
            method=None if id == UNKNOWN_STARTER else methods[id],
            tasks=tasks[i],
            run_ns=run_ns[i],
            energy_j=sum(by_component),
            components=tuple(by_component),
            threads=tuple(names[i][:MAX_THREADS]),
            other_threads=max(len(names[i]) - MAX_THREADS, 0),
            unmeasured_tasks=without_energy[i],
        )
        for i, (id, by_component) in enumerate(zip(ids.tolist(), joules.tolist(), strict=True))
    ]
    return tuple(sorted(found, key=lambda one: (-one.energy_j, -one.run_ns, one.id)))


def starting_methods(ledger: Ledger, path: I64) -> I64:
    """Return the method of the app that is innermost in each call path, `UNKNOWN_STARTER` if there is none.

    APIs and libraries that hand work on are skipped, unless there is no other method.
    """
    paths = ledger.paths
    innermost = _innermost(ledger, path, np.array([_is_own(method) for method in ledger.methods.methods], bool))
    missing = np.flatnonzero(innermost <= PROBES)
    is_api = np.array([method.source == API_SOURCE for method in ledger.methods.methods], bool)
    innermost[missing] = _innermost(ledger, path[missing], ~is_api)
    return np.where(innermost > PROBES, paths.method[innermost], UNKNOWN_STARTER)


def _innermost(ledger: Ledger, path: I64, accepted: Bool) -> I64:
    """Return the longest part of each path whose last method is accepted, `OUTSIDE` if there is none."""
    found, parent = path.copy(), ledger.paths.parent
    while len(going := np.flatnonzero(found > PROBES)):
        refused = going[~accepted[ledger.paths.method[found[going]]]]
        if not len(refused):
            break
        found[refused] = parent[found[refused]]
    return found


def _is_own(method: Method) -> bool:
    return method.source != API_SOURCE and not method.class_name.startswith(_LIBRARIES)


def counted_rows(ledger: Ledger) -> I64:
    """Return the rows of handed work of runs with probes. Only such runs record handed work of unknown threads."""
    handed = ledger.handed
    counted = np.array([not run.baseline for run in ledger.runs] + [True])
    run = np.append(ledger.owners.run, len(ledger.runs))
    return np.flatnonzero(counted[run[handed.owner]] & counted[run[handed.starter]])


def _thread_names(ledger: Ledger, handed: HandedTasks, rows: I64, place: I64, size: int) -> list[list[str]]:
    """Return the names of the threads that ran the work of each starter, largest energy first."""
    used: list[dict[str, float]] = [{} for _ in range(size)]
    energy_j = handed.energy_j[rows].sum(axis=1)
    pair = place * (len(ledger.owners) + 1) + handed.owner[rows] + 1
    pairs, at = np.unique(pair, return_inverse=True)
    for each, joules in zip(pairs.tolist(), binned(at, energy_j, len(pairs)).tolist(), strict=True):
        starter, owner = divmod(each, len(ledger.owners) + 1)
        if owner - 1 != NO_OWNER:
            name = ledger.owners.name[owner - 1]
            used[starter][name] = used[starter].get(name, 0.0) + joules
    return [sorted(each, key=lambda name: (-each[name], name)) for each in used]
