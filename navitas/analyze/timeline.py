"""Power over time, computed from the ledger's energy curves."""

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
    """The energy of one run in steps: `energy_j[i]` from `edges_ns[i]` to `edges_ns[i + 1]` (CLOCK_MONOTONIC)."""

    edges_ns: I64
    energy_j: F64

    @property
    def power_w(self) -> F64:
        """The mean power of each step."""
        return np.asarray(self.energy_j / (np.diff(self.edges_ns) / 1e9), np.float64)


def timeline(ledger: Ledger, component: str | None, *, run: int | None, step_ns: int, thread: str | None) -> Timeline:
    """Return the energy of one run in steps of equal length.

    Energy of all owners counts when it flowed. Energy of a thread that belongs to a call, such as the tail of a radio, counts
    at the time of that call.

    Args:
        ledger: The ledger.
        component: None sums over all components.
        run: The id of the run. None selects the first run.
        step_ns: The length of a step.
        thread: The name of threads. A group's name, such as `pool-#`, selects all its members. None selects all owners.

    Raises:
        UsageError: The component, run or thread doesn't exist, or the step is not positive.
    """
    if component is not None and component not in ledger.components:
        raise UsageError(f"no component {component!r} in this recording", f"known are {', '.join(ledger.components)}")
    row = next((row for row, entry in enumerate(ledger.runs) if run is None or entry.id == run), None)
    if row is None:
        name = "run" if run is None else f"run {run}"
        raise UsageError(f"no {name} in this recording", "see Profile.ledger.runs for their ids")
    if step_ns <= 0:
        raise UsageError(f"step_ns must be positive, not {step_ns}", "for example step_ns=100_000_000")
    entry, owners = ledger.runs[row], _owners(ledger, row, thread)
    edges_ns = np.append(np.arange(entry.start_ns, entry.end_ns, step_ns), entry.end_ns)
    if not owners:
        raise UsageError(f"no thread {thread!r} in run {entry.id}", "see Profile.ledger.owners for their names")
    numbers = range(len(ledger.components)) if component is None else [ledger.components.index(component)]
    energy_j = np.zeros(len(edges_ns) - 1)
    for number in numbers:
        flow = ledger.curves.flow(owners[0], number) if thread is None else None
        curves = [ledger.curves.curve(owner, number) for owner in owners] if flow is None else [flow]
        for curve in curves:
            energy_j += np.diff(curve.at(edges_ns))
    return Timeline(edges_ns, energy_j)


def _owners(ledger: Ledger, run: int, thread: str | None) -> list[int]:
    """Return the selected rows of `Ledger.owners`. A group has no curves, so its members are returned instead."""
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
