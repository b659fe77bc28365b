"""CPU time of each run of a test, and the time that its threads waited for a CPU."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from navitas.energy.analyze.records import TestEnergy
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.arrays import F64
from navitas.recording.parse.roles import NOT_THE_TESTS

CPU = "cpu"
MIN_STARVED_SHARE = 0.2
MIN_STARVED_NS = 50_000_000


def cpu_column(ledger: Ledger, by_component: F64) -> F64:
    """Return the CPU's column of energies that have a column for each component. Zeros if the CPU is not a component."""
    if CPU not in ledger.components:
        return np.zeros(len(by_component))
    return np.asarray(by_component[:, ledger.components.index(CPU)], np.float64)


@dataclass(frozen=True, slots=True)
class CpuUse:
    """The CPU use of one run of a test, without threads of the profiler and of the JIT compiler.

    - `calls`: calls of all recorded methods.
    - `waited_ns`: the time in which threads were ready to run and had no CPU. None if the device doesn't report it.
    - `starved_ns`: the waiting time that other processes caused (`navitas.energy.attribute.dimensions`). None if `waited_ns` is.
    """

    wall_ns: int
    cpu_ns: int
    calls: int
    waited_ns: int | None = None
    starved_ns: int | None = None

    @property
    def starved_share(self) -> float | None:
        """The share of the requested CPU time that other processes used: starved_ns / (cpu_ns + starved_ns)."""
        if self.starved_ns is None:
            return None
        wanted_ns = self.cpu_ns + self.starved_ns
        return self.starved_ns / wanted_ns if wanted_ns else 0.0

    @property
    def is_starved(self) -> bool:
        """Whether the test waited long for CPUs that other work used."""
        return (self.starved_ns or 0) >= MIN_STARVED_NS and (self.starved_share or 0.0) >= MIN_STARVED_SHARE

    @property
    def cpu_per_s(self) -> float:
        """CPU seconds per second of wall time."""
        return self.cpu_ns / self.wall_ns if self.wall_ns else 0.0

    @property
    def calls_per_s(self) -> float:
        """Calls per second of wall time."""
        return self.calls * 1e9 / self.wall_ns if self.wall_ns else 0.0


class CpuUses:
    """The CPU use of all tests of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        tests, shares, size = ledger.tests, ledger.shares, len(ledger.tests)
        is_app = np.array([role not in NOT_THE_TESTS for role in ledger.owners.role] + [False])[shares.owner]
        cpu_ns = binned(shares.test[is_app].astype(np.int64), shares.cpu_ns[is_app], size)
        calls = binned(ledger.calls.test.astype(np.int64), ledger.calls.calls, size)
        # Lists, since code reads them one value at a time.
        self._uses: dict[tuple[int, ...], CpuUse] = {}
        self._columns = [column.tolist() for column in (cpu_ns, calls, tests.waited_ns, tests.starved_ns)]

    def of_test(self, test: TestEnergy) -> CpuUse:
        """Return the CPU use of a test, or of all tests that the record sums."""
        return self.of_rows(test.rows, test.wall_ns)

    def of_rows(self, rows: tuple[int, ...], wall_ns: int) -> CpuUse:
        """Return the CPU use of tests (rows of `Ledger.tests`), which took `wall_ns` together."""
        if rows not in self._uses:
            self._uses[rows] = self._of_rows(rows, wall_ns)
        return self._uses[rows]

    def _of_rows(self, rows: tuple[int, ...], wall_ns: int) -> CpuUse:
        cpu_ns, calls, waited_ns, starved_ns = (sum(map(column.__getitem__, rows)) for column in self._columns)
        known = isfinite(waited_ns) and wall_ns > 0
        return CpuUse(
            wall_ns=wall_ns,
            cpu_ns=round(cpu_ns),
            calls=round(calls),
            waited_ns=round(waited_ns) if known else None,
            starved_ns=round(starved_ns) if known else None,
        )
