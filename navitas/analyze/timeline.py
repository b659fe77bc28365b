"""Power over time, read from the ledger's curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.ledger import Ledger
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


def timeline(ledger: Ledger, component: str, *, run: int, step_ns: int, thread: str | None) -> Timeline:
    """A component's energy in one run (a row of `Ledger.runs`), of all owners or of the threads of one name.

    Raises:
        UsageError: there is no such component, run or thread, or the step is not positive.
    """
    if component not in ledger.components:
        raise UsageError(f"no component {component!r} in this recording", f"known are {', '.join(ledger.components)}")
    if not 0 <= run < len(ledger.runs):
        raise UsageError(f"no run {run} in this recording", f"it has {len(ledger.runs)}, counted from 0")
    if step_ns <= 0:
        raise UsageError(f"a timeline needs a step above 0, not {step_ns} ns", "for example step_ns=100_000_000")
    entry, owners = ledger.runs[run], ledger.owners
    edges_ns = np.append(np.arange(entry.start_ns, entry.end_ns, step_ns), entry.end_ns)
    chosen = [owner for owner in np.flatnonzero(owners.run == run).tolist() if thread is None or owners.name[owner] == thread]
    if not chosen:
        raise UsageError(f"no thread {thread!r} in run {run}", "see Ledger.owners for their names")
    number, energy_j = ledger.components.index(component), np.zeros(len(edges_ns) - 1)
    for owner in chosen:
        energy_j += np.diff(ledger.curves.curve(owner, number).at(edges_ns))
    return Timeline(edges_ns, energy_j)
