"""The JIT compiler's energy in each repeat, which shows the warm-up of its process."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from navitas.analyze.ledger_tables import LedgerTables
from navitas.attribute.forest import binned

_JIT = "jit"


@dataclass(frozen=True, slots=True)
class JitShare:
    """The JIT compiler's share of the energy of the threads of all tests in one repeat."""

    repeat: int
    jit_j: float
    threads_j: float

    @property
    def share(self) -> float:
        """The share; 0 without energy."""
        return self.jit_j / self.threads_j if self.threads_j > 0 else 0.0


def jit_shares(tables: LedgerTables) -> tuple[JitShare, ...]:
    """Return the share in each repeat, without baseline runs."""
    ledger = tables.ledger
    shares, size = ledger.shares, len(ledger.tests)
    is_jit = np.array([role == _JIT for role in ledger.owners.role] + [False])[shares.owner]
    energy_j, test = shares.energy_j.sum(axis=1), shares.test.astype(np.int64)
    by_test = zip(
        ledger.tests.repeat.tolist(),
        binned(test[is_jit], energy_j[is_jit], size).tolist(),
        binned(test, energy_j, size).tolist(),
        tables.is_baseline.tolist(),
        strict=True,
    )
    sums: defaultdict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for repeat, jit_j, threads_j, is_baseline in by_test:
        if not is_baseline:
            sums[repeat][0] += jit_j
            sums[repeat][1] += threads_j
    return tuple(JitShare(repeat, *found) for repeat, found in sorted(sums.items()))
