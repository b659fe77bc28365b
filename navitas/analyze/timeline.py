"""Power over time, read from the ledger's curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.ledger import Ledger
from navitas.attribute.owner_kind import OwnerKind
from navitas.attribute.run_rows import stem
from navitas.errors import UsageError
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class Timeline:
    """Energy in equal steps of one run: `energy_j[i]` was used from `edges_ns[i]` to `edges_ns[i + 1]` (CLOCK_MONOTONIC)."""

    edges_ns: I64
    energy_j: F64

    @property
    def power_w(self) -> F64:
        """Mean power of each step."""
        return np.asarray(self.energy_j / (np.diff(self.edges_ns) / 1e9), np.float64)


def timeline(ledger: Ledger, component: str | None, *, run: int | None, step_ns: int, thread: str | None) -> Timeline:
    """A component's energy (None: of all) in one run (by its id; None: the first), of all owners or of the threads of one name.

    The name of a group of threads, such as `pool-#`, stands for all threads of that name and role but for its numbers.

    Raises:
        UsageError: there is no such component, run or thread, or the step is not positive.
    """
    if component is not None and component not in ledger.components:
        raise UsageError(f"no component {component!r} in this recording", f"known are {', '.join(ledger.components)}")
    row = next((row for row, entry in enumerate(ledger.runs) if run is None or entry.id == run), None)
    if row is None:
        name = "run" if run is None else f"run {run}"
        raise UsageError(f"no {name} in this recording", "see Profile.ledger.runs for their ids")
    if step_ns <= 0:
        raise UsageError(f"a timeline needs a step above 0, not {step_ns} ns", "for example step_ns=100_000_000")
    entry, owners = ledger.runs[row], _owners(ledger, row, thread)
    edges_ns = np.append(np.arange(entry.start_ns, entry.end_ns, step_ns), entry.end_ns)
    if not owners:
        raise UsageError(f"no thread {thread!r} in run {entry.id}", "see Profile.ledger.owners for their names")
    numbers = range(len(ledger.components)) if component is None else [ledger.components.index(component)]
    energy_j = np.zeros(len(edges_ns) - 1)
    for owner in owners:
        for number in numbers:
            energy_j += np.diff(ledger.curves.curve(owner, number).at(edges_ns))
    return Timeline(edges_ns, energy_j)


def _owners(ledger: Ledger, run: int, thread: str | None) -> list[int]:
    """The rows of `Ledger.owners` that are meant; members of a group in place of the group, which has no curves."""
    owners, of_run = ledger.owners, np.flatnonzero(ledger.owners.run == run).tolist()
    if thread is None:
        return of_run
    groups = {owners.role[owner] for owner in of_run if owners.name[owner] == thread and _is_group(ledger, owner)}
    return [
        owner
        for owner in of_run
        if owners.name[owner] == thread or (stem(owners.name[owner]) == thread and owners.role[owner] in groups)
    ]


def _is_group(ledger: Ledger, owner: int) -> bool:
    return bool(ledger.owners.kind[owner] == OwnerKind.THREAD and ledger.owners.serial[owner] < 0)
