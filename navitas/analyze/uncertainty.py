"""The standard error of a figure, and what it is made of.

The sizes are measured: on simulated phones whose energy is known (tests/accuracy/uncertainty.py), and on real SoCs and power
meters for power profiles (docs/accuracy.md#standard-errors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from navitas.analyze.cpu_use import CPU
from navitas.attribute.ledger import Ledger
from navitas.parse.arrays import F64

FigureKind = Literal["total", "app", "thread", "method"]
"""A whole test or run; all threads of the app; one thread; one method."""

TICK_NS = 10_000_000
"""The tick of the kernel's counters of CPU time and of time at a frequency (USER_HZ, proc(5))."""
COVER_95 = 1.96
"""The half-width of a 95 % interval, in standard errors of a normal distribution."""


class LevelErrors(NamedTuple):
    """The errors of a level of evidence of the CPU: relative ones by kind of figure, and a factor for sampling.

    Sampling: `sampling` · √(interval / time), since the errors of intervals are independent.
    """

    total: float
    app: float
    thread: float
    method: float
    sampling: float
    has_ticks: bool


LEVELS = {
    "sched": LevelErrors(0.01, 0.01, 0.01, 0.01, 0.01, False),
    "thread-freq": LevelErrors(0.03, 0.05, 0.06, 0.08, 0.02, True),
    "thread-time": LevelErrors(0.03, 0.15, 0.3, 0.2, 0.25, True),
    "device": LevelErrors(0.04, 0.35, 1.2, 3.0, 0.3, True),
}
OTHER_COMPONENTS = 0.1
"""The relative error of components other than the CPU, apart from the power profile's."""
CPU_PROFILE = 0.12
"""The relative error of the CPU's figures in a power profile."""
OTHER_PROFILE = 0.5
"""The relative error of other components' figures in a power profile."""


@dataclass(frozen=True, slots=True)
class StandardError:
    """Standard errors in joules, by cause.

    - `evidence_j`: work that the level of evidence cannot separate
    - `sampling_j`: counters are read at intervals
    - `counter_ticks_j`: counters advance in ticks
    - `probes_j`: subtraction of the probes' energy, and sampling in mode `tick`
    - `profile_j`: the power profile. It is common to all figures of a device, so `standard_j` excludes it
    """

    evidence_j: float
    sampling_j: float
    counter_ticks_j: float
    probes_j: float
    profile_j: float

    @property
    def standard_j(self) -> float:
        """The standard error of the measurement."""
        return float(np.sqrt(self.evidence_j**2 + self.sampling_j**2 + self.counter_ticks_j**2 + self.probes_j**2))

    @property
    def half_width_j(self) -> float:
        """Half of the width of the measurement's 95 % interval."""
        return COVER_95 * self.standard_j


class Uncertainty:
    """Computes standard errors of a ledger's figures."""

    def __init__(self, ledger: Ledger) -> None:
        self._cpu = ledger.components.index(CPU) if CPU in ledger.components else None
        level = next((each.level for each in ledger.evidence if each.component == CPU), "")
        self._level = LEVELS.get(level, LEVELS["device"])
        self._interval_ns = max((run.sample_interval_ns for run in ledger.runs if not run.baseline), default=0)
        measured = [each.rails_j is not None for each in ledger.evidence]
        profile = [0.0 if rails else OTHER_PROFILE for rails in measured]
        if self._cpu is not None:
            profile[self._cpu] = 0.0 if measured[self._cpu] else CPU_PROFILE
        self._profile = np.array(profile, np.float64)

    def of(
        self, kind: FigureKind, components_j: Sequence[float] | F64, wall_ns: float, *, probes_j: float | None = None
    ) -> StandardError:
        """Return the error of a figure with these energies by component. `probes_j` is the standard error by the probes."""
        row = self.rows(kind, np.array([components_j], np.float64), np.array([wall_ns], np.float64))
        evidence_j, sampling_j, counter_ticks_j, profile_j = row[0].tolist()
        return StandardError(evidence_j, sampling_j, counter_ticks_j, probes_j or 0.0, profile_j)

    def rows(self, kind: FigureKind, energy_j: F64, wall_ns: F64) -> F64:
        """Return the errors of many figures, given by component. Columns: evidence, sampling, counter ticks, profile."""
        cpu = self._cpu
        cpu_j = np.abs(energy_j[:, cpu]) if cpu is not None else np.zeros(len(energy_j))
        others_j = np.abs(energy_j).sum(axis=1) - cpu_j
        time = np.maximum(wall_ns, 1.0)
        sampling = np.minimum(self._level.sampling * np.sqrt(self._interval_ns / time), 1.0)
        # A figure of one stretch of time has two ends, each with a uniform error of one tick.
        is_ticked = self._level.has_ticks and kind != "method"
        ticks = np.minimum(TICK_NS / np.sqrt(6) / time, 1.0) * is_ticked
        evidence = np.hypot(getattr(self._level, kind) * cpu_j, OTHER_COMPONENTS * others_j)
        return np.stack([evidence, sampling * cpu_j, ticks * cpu_j, np.abs(energy_j) @ self._profile], axis=1)
