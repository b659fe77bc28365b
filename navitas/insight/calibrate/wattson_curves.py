"""The power of running CPUs by Wattson's curves: by the chip's rule, so that power never falls as the frequency rises.

The rule is that of Perfetto's standard library (google/perfetto, src/trace_processor/perfetto_sql/stdlib/wattson): a policy whose
power depends on a second frequency has the row of the policy that votes for it. If none of those votes, as when one CPU runs, it
is the row of the lowest second frequency (`_cpu_w_dependency_default_vote`). So policies that depend on each other have values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.extra_libraries import extra_library
from navitas.base.untrusted_text import printable_line
from navitas.insight.calibrate.known_socs import SOCS, soc_of
from navitas.insight.calibrate.operating_points import LEAST_MW, OperatingPoint, PointSource
from navitas.insight.calibrate.start_model import clusters_for
from navitas.insight.calibrate.wattson_files import CPU_FILES, CurveFolder, Key, read_folder, row_name, second_name
from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.parse.arrays import F64

_SAME_MW = 1e-9


@dataclass(frozen=True, slots=True)
class PolicyCurve:
    """A policy's power of one running CPU by frequency: as measured, and so that it never falls.

    `shared_mw` is the part that the policy pays once: `static` and `interconnect`.
    """

    policy: int
    freq_khz: tuple[int, ...]
    measured_mw: F64
    shared_mw: F64
    monotone_mw: F64

    @property
    def moves(self) -> F64:
        """How far each point moved, as a share of its power."""
        return np.asarray(self.monotone_mw / self.measured_mw - 1, np.float64)

    @property
    def moved(self) -> int:
        """How many points moved."""
        return int((np.abs(self.monotone_mw - self.measured_mw) > _SAME_MW).sum())

    def note(self) -> str:
        """What was moved, and how far."""
        furthest = int(np.argmax(np.abs(self.moves)))
        example = f"{self.measured_mw[furthest]:.4g} to {self.monotone_mw[furthest]:.4g} mW at {self.freq_khz[furthest]} kHz"
        points = f"{self.moved} of {len(self.freq_khz)} points moved by up to {100 * abs(self.moves[furthest]):.1f} % ({example})"
        return f"policy {self.policy}: {points}, so that power does not fall as the frequency rises"


@dataclass(frozen=True, slots=True)
class WattsonCurves:
    """The curves of a folder. `soc`: the known system on a chip that they are of, None for others."""

    name: str
    device: str
    soc: str | None
    policies: tuple[PolicyCurve, ...]
    notes: tuple[str, ...]

    def source(self) -> PointSource:
        """Return the points of one running CPU."""
        points = (
            OperatingPoint(curve.policy, khz, float(mw))
            for curve in self.policies
            for khz, mw in zip(curve.freq_khz, curve.monotone_mw, strict=True)
        )
        return PointSource(self.name, tuple(points), names_policies=True, soc=self.soc)

    def cpu(self, cores: Sequence[int] | None, voltage_v: float) -> CpuPower:
        """Return the CPU of these curves. Without the number of cores of each cluster, those of the known SoC count.

        A cluster's current is the smallest that its cores share, so one running core has the power of the curve.
        Raises `UsageError` if the cores contradict the policies or the SoC, or are unknown.
        """
        device = printable_line(self.device, 40)
        of_soc = None if self.soc is None else tuple(count for count, _ in SOCS[self.soc])
        if cores is None and of_soc is None:
            raise UsageError(
                f"{self.name}: the cores of {device} are unknown", "Give the cores of each cluster, such as --cores 4,3,1."
            )
        counts = tuple(cores or of_soc or ())
        owner = f"--cores {','.join(map(str, counts))}" if cores else f"{device} ({','.join(map(str, counts))} cores)"
        own_cpus = [cpus for cpus, _ in clusters_for(counts, [self.source()], owner)]
        if of_soc not in (None, counts):
            shown = ",".join(map(str, of_soc or ()))
            raise UsageError(f"{owner}, but {self.name} is of {device}, which has {shown}", "Leave out --cores.")
        clusters = []
        for cpus, curve in zip(own_cpus, self.policies, strict=True):
            shared_mw = float(curve.shared_mw.min())
            core_ma = np.maximum(curve.monotone_mw - shared_mw, 0.0) / voltage_v
            clusters.append(ClusterPower(cpus, np.array(curve.freq_khz, np.int64), core_ma, shared_mw / voltage_v))
        return CpuPower(0.0, 0.0, 0.0, tuple(clusters))

    def all_cores(self, cpu: CpuPower, voltage_v: float) -> list[float]:
        """Return the largest error of each cluster if all its cores run, relative to the curves.

        A profile has one shared current for all frequencies, and the curves have one for each.
        """
        errors = []
        for cluster, curve in zip(cpu.clusters, self.policies, strict=True):
            count = len(cluster.cpus)
            predicted = (cluster.cluster_ma + count * cluster.core_ma) * voltage_v
            measured = curve.shared_mw + count * (curve.measured_mw - curve.shared_mw)
            errors.append(float(np.abs(predicted / measured - 1).max()))
        return errors


def read_curves(folder: Path, name: str) -> WattsonCurves:
    """Return the power of one running CPU, with all other CPUs in deep idle, at each frequency of each policy.

    Raises `UsageError` with the file and line of the first row of a CPU that cannot be used, if no row has power, or if SciPy is
    not installed.
    """
    curves = read_folder(folder)
    notes = list(curves.notes)
    for defect in curves.defects:
        if defect.kind == "negative" and defect.file in CPU_FILES:
            raise UsageError(defect.message, "Correct the line.")
        if defect.kind == "negative":
            notes.append(f"{defect.message}; it counts as 0")
    if others := [file for file in curves.tables if file not in CPU_FILES]:
        notes.append(f"{folder}: checked, but no part of a CPU's power profile: {', '.join(others)}")
    policies: dict[int, dict[int, tuple[float, float]]] = {}
    for file, key in _rows(curves, notes):
        table = curves.tables[file]
        static, active, *interconnect = table.figures[key]
        shared_mw = static + sum(interconnect)
        if shared_mw + active >= LEAST_MW:
            if key[1] == 0:
                raise UsageError(f"{table.where}: line {table.lines[key]}: freq_khz is 0 with power", "Remove the line.")
            policies.setdefault(key[0], {}).setdefault(key[1], (shared_mw, active))
    if not policies:
        raise UsageError(f"{folder}: no power of a CPU of at least {LEAST_MW:g} mW", "Give curves that were measured.")
    fitted = tuple(_curve(policy, rows) for policy, rows in sorted(policies.items()))
    notes += [f"{name}: {curve.note()}" for curve in fitted if curve.moved]
    return WattsonCurves(name, curves.device, soc_of(curves.device), fitted, tuple(notes))


def _rows(curves: CurveFolder, notes: list[str]) -> Iterator[tuple[str, Key]]:
    """The file and key of the row that counts of each frequency. `notes` gets frequencies without the row of the default vote."""
    for file in CPU_FILES:
        if (table := curves.tables.get(file)) is None:
            continue
        votes: dict[int, Key] = {}
        lowest: dict[Key, Key] = {}
        for key in sorted(table.lines):
            votes[key[0]] = min(votes.get(key[0], key[2:]), key[2:])
            lowest.setdefault(key[:2], key)
        for (policy, _), key in lowest.items():
            if key[2:] != (vote := votes[policy]):
                notes.append(
                    f"{table.where}: {row_name(key)} counts, since there is no row with {second_name((vote[0], vote[1]))}"
                )
            yield file, key


def _curve(policy: int, rows: dict[int, tuple[float, float]]) -> PolicyCurve:
    """The nearest curve that does not fall, by the squares of relative errors (isotonic regression)."""
    khz = tuple(sorted(rows))
    shared_mw, active_mw = np.array([rows[speed] for speed in khz], np.float64).T
    measured_mw = shared_mw + active_mw
    optimize = extra_library("scipy.optimize", "curves need", "fit")
    monotone_mw = np.asarray(optimize.isotonic_regression(measured_mw, weights=measured_mw**-2.0).x, np.float64)
    return PolicyCurve(policy, khz, measured_mw, shared_mw, monotone_mw)
