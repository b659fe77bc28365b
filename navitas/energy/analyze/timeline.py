"""Power over time, computed from the ledger's energy curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.base.errors import UsageError
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.ledger import Ledger
from navitas.energy.attribute.run_rows import stem
from navitas.recording.parse.arrays import F64, I64

MOST_STEPS = 1_000_000
"""The number of steps that a timeline can have."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The energy of one run in steps: `energy_j[i]` from `edges_ns[i]` to `edges_ns[i + 1]` (CLOCK_MONOTONIC)."""

    edges_ns: I64
    energy_j: F64

    @property
    def power_w(self) -> F64:
        """The mean power of each step."""
        return np.asarray(self.energy_j / (np.diff(self.edges_ns) / 1e9), np.float64)


@dataclass(frozen=True, slots=True)
class ComponentTimelines:
    """The energy of one run in steps, by component: the columns of `energy_j` are those of `components`.

    `run` is the run's id, `module` and `repeat` are what it ran. All steps are `step_ns` long; the last one can be shorter.
    Row i is from `edges_ns[i]` to `edges_ns[i + 1]` (CLOCK_MONOTONIC).
    """

    run: int
    module: str
    repeat: int
    step_ns: int
    edges_ns: I64
    components: tuple[str, ...]
    energy_j: F64

    @property
    def power_w(self) -> F64:
        """The mean power of each step and component."""
        return np.asarray(self.energy_j / (np.diff(self.edges_ns) / 1e9)[:, None], np.float64)

    def of(self, components: Sequence[str]) -> ComponentTimelines:
        """Return the timelines of those of its components that `components` contains."""
        columns = [place for place, name in enumerate(self.components) if name in components]
        return replace(self, components=tuple(self.components[place] for place in columns), energy_j=self.energy_j[:, columns])

    def total(self) -> Timeline:
        """Return the sum over all components."""
        return Timeline(self.edges_ns, np.asarray(self.energy_j.sum(axis=1), np.float64))


def component_timelines(
    ledger: Ledger, components: Sequence[str] | None, *, run: int | None, step_ns: int, thread: str | None
) -> ComponentTimelines:
    """Return the energy of one run in steps of equal length, by component.

    Energy of all owners counts when it flowed. Energy of a thread that belongs to a call, such as the tail of a radio, counts
    at the time of that call.

    Args:
        ledger: The ledger.
        components: The names of components. None selects all.
        run: The id of the run. None selects the first run.
        step_ns: The length of a step.
        thread: The name of threads. A group's name, such as `pool-#`, selects all its members. None selects all owners.

    Raises:
        UsageError: A component, the run or the thread doesn't exist, the step is not positive, or there are too many steps.
    """
    names = ledger.components if components is None else tuple(components)
    for name in names:
        if name not in ledger.components:
            raise UsageError(f"no component {name!r} in this recording", f"known are {', '.join(ledger.components)}")
    row = next((row for row, entry in enumerate(ledger.runs) if run is None or entry.id == run), None)
    if row is None:
        wanted = "run" if run is None else f"run {run}"
        raise UsageError(f"no {wanted} in this recording", "see Profile.ledger.runs for their ids")
    if step_ns <= 0:
        raise UsageError(f"step_ns must be positive, not {step_ns}", "for example step_ns=100_000_000")
    entry, owners = ledger.runs[row], _owners(ledger, row, thread)
    if (entry.end_ns - entry.start_ns) // step_ns >= MOST_STEPS:
        shortest_ms = round_step_ns(entry.end_ns - entry.start_ns, MOST_STEPS) / 1e6
        raise UsageError(
            f"a step of {step_ns / 1e6:g} ms gives more than {MOST_STEPS:,} steps in run {entry.id}",
            f"the shortest round step is {shortest_ms:g} ms",
        )
    edges_ns = np.append(np.arange(entry.start_ns, entry.end_ns, step_ns), entry.end_ns)
    if not owners:
        raise UsageError(f"no thread {thread!r} in run {entry.id}", "see Profile.ledger.owners for their names")
    energy_j = np.zeros((len(edges_ns) - 1, len(names)))
    for column, name in enumerate(names):
        number = ledger.components.index(name)
        flow = ledger.curves.flow(owners[0], number) if thread is None else None
        curves = [ledger.curves.curve(owner, number) for owner in owners] if flow is None else [flow]
        for curve in (curve for curve in curves if curve.t_ns.size):
            energy_j[:, column] += np.diff(curve.at(edges_ns))
    return ComponentTimelines(entry.id, entry.module, entry.repeat, step_ns, edges_ns, names, energy_j)


def round_step_ns(span_ns: int, steps: int) -> int:
    """Return the shortest step of 1, 2 or 5 times a power of ten, at least 1 µs, that gives at most `steps` steps."""
    least_ns = max(span_ns / steps, 1_000.0)
    power: int = 10 ** (len(str(int(least_ns))) - 1)
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= least_ns)


def thread_names(ledger: Ledger) -> set[str]:
    """Return the names of all threads and groups of threads."""
    return {ledger.owners.name[owner] for owner in np.flatnonzero(ledger.owners.kind == OwnerKind.THREAD).tolist()}


def runs_with(ledger: Ledger, thread: str | None) -> list[int]:
    """Return the ids of the runs that have threads of this name (None: all runs), without baseline runs."""
    runs = [(row, run.id) for row, run in enumerate(ledger.runs) if not run.baseline]
    if thread is None:
        return [id for _, id in runs]
    owners = ledger.owners
    threads = np.flatnonzero(owners.kind == OwnerKind.THREAD).tolist()
    having = {int(owners.run[owner]) for owner in threads if owners.name[owner] == thread}
    return [id for row, id in runs if row in having]


def longest_run_ns(ledger: Ledger) -> int:
    """Return the length of the longest run, without baseline runs. 0 if there is none."""
    return max((run.end_ns - run.start_ns for run in ledger.runs if not run.baseline), default=0)


def _owners(ledger: Ledger, run: int, thread: str | None) -> list[int]:
    """Return the selected rows of `Ledger.owners`. A group has no curves, so its members are returned instead."""
    owners, of_run = ledger.owners, np.flatnonzero(ledger.owners.run == run).tolist()
    if thread is None:
        return of_run
    is_group = (owners.kind == OwnerKind.THREAD) & (owners.serial < 0)
    groups = {owners.role[owner] for owner in of_run if owners.name[owner] == thread and is_group[owner]}
    return [
        owner
        for owner in of_run
        if owners.name[owner] == thread or (stem(owners.name[owner]) == thread and owners.role[owner] in groups)
    ]
