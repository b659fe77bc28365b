"""The standard error of a figure, and what it is made of.

The sizes are measured: on simulated phones whose energy is known (tests/accuracy/uncertainty.py), and on real SoCs and power
meters for power profiles (docs/accuracy.md#standard-errors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from operator import mul
from typing import Any, Literal, NamedTuple

import numpy as np

from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.attribute.forest import binned, sums
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.arrays import F64, I64

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
    "sched": LevelErrors(0.01, 0.01, 0.01, 0.01, 0.0, False),
    "thread-freq": LevelErrors(0.03, 0.05, 0.06, 0.071, 0.07, True),
    "thread-time": LevelErrors(0.03, 0.15, 0.3, 0.18, 0.25, True),
    "device": LevelErrors(0.04, 0.35, 1.2, 2.5, 0.3, True),
}
OTHER_COMPONENTS = 0.1
"""The relative error of components other than the CPU, apart from the power profile's."""
CPU_PROFILE = 0.2
"""The relative error of the CPU's figures in a power profile: half of the operating points of two makers' profiles differ from
measured ones by more than 15 % (tests/unit/insight/calibrate/test_calibration.py)."""
OTHER_PROFILE = 0.5
"""The relative error of other components' figures in a power profile."""


@dataclass(frozen=True, slots=True)
class StandardError:
    """Standard errors in joules, by cause.

    - `evidence_j`: work that the level of evidence cannot separate
    - `sampling_j`: counters are read at intervals
    - `counter_ticks_j`: counters advance in ticks
    - `probes_j`: subtraction of the probes' energy, and sampling of stacks or in mode `tick`
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
        return hypot(self.evidence_j, self.sampling_j, self.counter_ticks_j, self.probes_j)

    @property
    def shared_j(self) -> float:
        """The part of `standard_j` that all runs share. The rest differs from run to run, so it is in the spread of repeats."""
        return hypot(self.evidence_j, self.probes_j)

    @property
    def half_width_j(self) -> float:
        """Half of the width of the measurement's 95 % interval."""
        return COVER_95 * self.standard_j

    def is_below_zero(self, value_j: float) -> bool:
        """Return whether the probes' energy, subtracted, left a value whose whole 95 % interval is below zero."""
        return self.probes_j > 0 and value_j < -self.half_width_j


PROBES_COLUMN = 3
"""The column of `probes_j` in arrays whose columns are the fields of `StandardError`."""


def standard_j(causes: F64) -> F64:
    """Return the standard errors of the measurement, without the power profile's. Columns: the fields of `StandardError`."""
    return np.asarray(np.sqrt(np.square(causes[:, :-1]).sum(axis=1)), np.float64)


def added(error_j: F64, index: I64, size: int, source: I64 | None = None) -> F64:
    """Return the errors of sums of figures: `error_j` of figures with one `index` (0 … size − 1) are added.

    Errors from one `source` have one cause, so they add up with their signs. Those of different sources are independent, so their
    squares add up. Without `source`, each figure is a source of its own.
    """
    if source is not None:
        width = int(source.max(initial=0)) + 1
        pairs, place = np.unique(index * width + source, return_inverse=True)
        error_j, index = binned(place, error_j, len(pairs)), pairs // width
    return np.sqrt(binned(index, np.square(error_j), size))


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
        self._profile = profile
        # The last row is that of figures without a run (−1).
        self._spread, self._lost = np.array([*(run.probes_error or (0.0, 0.0) for run in ledger.runs), (0.0, 0.0)]).T

    def of(
        self, kind: FigureKind, components_j: Sequence[float], wall_ns: float, *, parts: int = 1, probes_j: float | None = None
    ) -> StandardError:
        """Return the error of a figure with these energies by component.

        `parts`: of how many tests or runs, which each have edges, it is the sum. `probes_j` is the standard error by the probes.
        """
        return StandardError(*map(float, self.of_each(kind, components_j, wall_ns, parts=parts, probes_j=probes_j or 0.0)))

    def of_each(
        self, kind: FigureKind, components_j: Sequence[Any] | F64, wall_ns: Any, *, parts: int = 1, probes_j: Any = 0.0
    ) -> tuple[Any, ...]:
        """Return the fields of `StandardError`, as `of`: those of many figures if each argument is an array, and of one else."""
        evidence_j, profile_j = self._shared(kind, components_j)
        cpu_j, time_ns = self._cpu_j(components_j), np.maximum(wall_ns, 1.0)
        # A figure of one stretch of time has two ends, each with a uniform error of one tick.
        ticks = np.minimum(TICK_NS * sqrt(parts / 6) / time_ns, 1.0) * self._level.has_ticks
        sampling_j = np.minimum(self._sampling(time_ns), 1.0) * abs(cpu_j)
        return evidence_j, sampling_j, ticks * cpu_j, probes_j, profile_j

    def of_methods(self, energy_j: F64, time_ns: I64, *, run: I64, probes_j: F64, draws_j: F64, index: I64, size: int) -> F64:
        """Return the errors of sums of methods' figures with one `index` (0 … size − 1). Columns: those of `StandardError`.

        Each row is a method on a thread in a test. `energy_j` has a column for each component, which were used for `time_ns`.
        `run` is the row of `Ledger.runs`, `probes_j` the probes' energy that was subtracted, and `draws_j` the standard error by
        ticks (`--mode tick`) or stack samples, NaN without either.
        """
        evidence_j, profile_j = self._shared("method", sums(index, energy_j, size).T)
        sampling = np.minimum(self._sampling(np.maximum(time_ns, 1.0)), 1.0)
        sampling_j = added(sampling * abs(self._cpu_j(energy_j.T)), index, size)
        errors_j = np.sqrt(
            np.square(added(self._spread[run] * probes_j, index, size, source=run))
            + np.square(added(self._lost[run] * probes_j, index, size, source=np.zeros_like(run)))
            + np.square(added(np.nan_to_num(draws_j), index, size))
        )
        return np.stack([evidence_j, sampling_j, np.zeros(size), errors_j, profile_j], axis=1)

    # These methods compute errors of one figure (floats), and of many (arrays), with a figure or an array for each component.

    def _cpu_j(self, components_j: Sequence[Any] | F64) -> Any:
        return 0.0 * sum(components_j) if self._cpu is None else components_j[self._cpu]

    def _shared(self, kind: FigureKind, components_j: Sequence[Any] | F64) -> tuple[Any, Any]:
        """Return the errors by the level of evidence and by the power profile. They are relative, so they hold for sums, too."""
        sizes_j = [abs(energy_j) for energy_j in components_j]
        cpu_j = abs(self._cpu_j(components_j))
        by_level, by_others = getattr(self._level, kind) * cpu_j, OTHER_COMPONENTS * (sum(sizes_j) - cpu_j)
        profile_j = sum(map(mul, sizes_j, self._profile))
        return (by_level**2 + by_others**2) ** 0.5, profile_j

    def _sampling(self, time_ns: Any) -> Any:
        """Return relative errors by the interval between readings of counters, independent for each stretch of time."""
        return self._level.sampling * (self._interval_ns / time_ns) ** 0.5
