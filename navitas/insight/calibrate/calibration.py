"""Fit the CPU's coefficients of a power profile to measured power, with the error at measurements left out of the fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.extra_libraries import extra_library
from navitas.base.untrusted_text import printable_list
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import LEAST_TO_CHOOSE, FitRows, IntervalSource
from navitas.insight.calibrate.operating_points import (
    LEAST_POINTS,
    OperatingPoint,
    PointSource,
    check_points,
    cluster_of,
    measured_at,
    within_speeds,
)
from navitas.power.model import CpuPower
from navitas.recording.parse.arrays import F64

_LEAST_MA = 0.0005
"""Smaller currents are 0 in the written profile."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class PointErrors:
    """Absolute relative errors of one source's points in a cluster (None: in all clusters, or of intervals), as medians.

    `before`: of the profile, `fitted`: of the calibrated one, `held_out`: of fits without the point, and `held_out_p90` their
    90th percentile; None if the source is not fitted. `interpolated` and `interpolated_p90`: of plain interpolation between the
    same points as in these fits; None for intervals. Intervals have a base power, which all of them fit.
    """

    source: str
    cluster: int | None
    points: int
    before: float
    fitted: float
    held_out: float | None
    held_out_p90: float | None
    interpolated: float | None = None
    interpolated_p90: float | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How two sources differ at the points that both have: (second / first − 1), its range and median."""

    first: str
    second: str
    cluster: int
    points: int
    lowest: float
    median: float
    highest: float


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning about a calibration. Scripts go by its `code`."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibrated CPU, the errors of each source by cluster, and where sources disagree.

    `prior`: the weight of the profile's curve in each cluster (`CpuCoefficients.links`).
    """

    cpu: CpuPower
    prior: tuple[float, ...]
    errors: tuple[PointErrors, ...]
    disagreements: tuple[Disagreement, ...]
    warnings: tuple[Caution, ...]

    def as_json(self, start: CpuPower, voltage_v: float) -> Mapping[str, Any]:
        """Return the members of the report. Errors are shares: 0.05 is 5 %."""
        return {
            "voltage_v": voltage_v,
            "prior": self.prior,
            "errors": [asdict(each) for each in self.errors],
            "disagreements": [asdict(each) for each in self.disagreements],
            "before": _cpu_as_json(start),
            "after": _cpu_as_json(self.cpu),
            "warnings": [asdict(each) for each in self.warnings],
        }


def _cpu_as_json(cpu: CpuPower) -> Mapping[str, Any]:
    return {"active_ma": cpu.active_ma, "clusters": [cluster.as_json() for cluster in cpu.clusters]}


def calibrate(
    coefficients: CpuCoefficients,
    fitted: Sequence[PointSource],
    compared: Sequence[PointSource] = (),
    recorded: Sequence[IntervalSource] = (),
) -> Calibration:
    """Fit to the points of `fitted` and the intervals of `recorded`; show the errors of `compared` as well.

    Raises `UsageError` if there are too few points and intervals, or if they are of another phone.
    """
    cpu = coefficients.cpu
    notes: list[Caution] = []
    fitted, compared = ([_known_speeds(source, cpu, notes) for source in sources] for sources in (fitted, compared))
    for each in recorded:
        if len(each.power_mw) < LEAST_POINTS:
            raise UsageError(f"{each.name}: has fewer than {LEAST_POINTS} intervals", "Give a longer recording.")
    points = [point for source in fitted for point in source.points]
    measured = FitRows.of(coefficients, points, recorded)
    rows = measured.by_noise() if recorded else measured
    prior = rows.prior()
    scales = rows.fit(prior)
    own = scales[: len(coefficients.unit_ma)]
    if not (own > 0).any():
        raise UsageError("the fit leaves no current of the CPU", "Check the unit of the measured power.")
    held_out_mw = rows.held_out()
    errors = [
        *_errors_of_points(coefficients, own, fitted, (held_out_mw[rows.row], rows.interpolated(points))),
        *_errors_of_intervals(measured, scales, recorded, held_out_mw),
        *_errors_of_points(coefficients, own, compared),
    ]
    sources = [*fitted, *compared]
    pairs = [(one, two) for number, one in enumerate(sources) for two in sources[number + 1 :]]
    disagreements = tuple(each for one, two in pairs for each in _disagreements(cpu, one, two))
    warnings = (*notes, *_warnings(coefficients, points, rows), *_of_result(coefficients, own, errors))
    return Calibration(coefficients.scaled(own), prior, tuple(errors), disagreements, warnings)


def _known_speeds(source: PointSource, cpu: CpuPower, notes: list[Caution]) -> PointSource:
    """The points that the profile's speeds cover. `notes` gets how many are left out. Raises `UsageError`."""
    check_points(source, cpu)
    kept, left = within_speeds(source, cpu)
    if left:
        notes.append(Caution("points_left_out", f"{source.name}: points beyond the profile's speeds were left out: {left}"))
    return kept


def _errors_of_points(
    coefficients: CpuCoefficients, scales: F64, sources: Sequence[PointSource], predicted: Sequence[F64] = ()
) -> Iterator[PointErrors]:
    """`predicted`: the points of all sources by fits without them, and by plain interpolation."""
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    begin = 0
    for source in sources:
        use = coefficients.use_of(source.points)
        measured = np.array([point.power_mw for point in source.points])
        number = np.array([cluster_of(point.cpu, clusters) for point in source.points])
        before = relative_errors(use @ coefficients.target, measured)
        after = relative_errors(use @ scales, measured)
        end = begin + len(measured)
        others = [relative_errors(each[begin:end], measured) for each in predicted]
        begin = end
        for cluster in (None, *sorted(set(number.tolist()))):
            own = np.ones(len(number), bool) if cluster is None else number == cluster
            of_others = [figure for each in others for figure in _median_and_90(each[own])] or [None, None]
            yield PointErrors(source.name, cluster, int(own.sum()), _median(before[own]), _median(after[own]), *of_others)


def _errors_of_intervals(
    rows: FitRows, scales: F64, recorded: Sequence[IntervalSource], held_out_mw: F64
) -> Iterator[PointErrors]:
    predicted = rows.before(), rows.use @ scales, held_out_mw
    for source, own in zip(recorded, rows.recordings, strict=True):
        before, after, out = (np.abs(each[own] - rows.measured[own]) / rows.size[own] for each in predicted)
        yield PointErrors(source.name, None, len(before), _median(before), _median(after), *_median_and_90(out))


def relative_errors(predicted: F64, measured: F64) -> F64:
    """The absolute relative errors."""
    return np.asarray(np.abs(predicted / measured - 1), np.float64)


def check_installed() -> None:
    """Raise `UsageError` if SciPy is not installed, before long work."""
    extra_library("scipy.optimize", "calibrating needs", "fit")


def _median(errors: F64) -> float:
    return float(np.median(errors))


def _median_and_90(errors: F64) -> tuple[float | None, float | None]:
    """Without unknown errors (NaN). None if there are no others."""
    known = errors[~np.isnan(errors)]
    return (_median(known), float(np.quantile(known, 0.9))) if len(known) else (None, None)


def _disagreements(cpu: CpuPower, one: PointSource, two: PointSource) -> Iterator[Disagreement]:
    clusters = [cluster.cpus for cluster in cpu.clusters]
    # One numbering for both sources: they round frequencies differently.
    at = measured_at((*one.points, *two.points), clusters)
    first, second = _powers(one, at[: len(one.points)]), _powers(two, at[len(one.points) :])
    for cluster in range(len(clusters)):
        shared = [key for key in first if key in second and key[0] == cluster]
        if shared:
            ratios = np.array([second[key] / first[key] - 1 for key in shared])
            low, high = float(ratios.min()), float(ratios.max())
            yield Disagreement(one.name, two.name, cluster, len(shared), low, _median(ratios), high)


def _powers(source: PointSource, at: Sequence[tuple[int, int]]) -> dict[tuple[int, int, int], float]:
    """The mean power by cluster, frequency and number of cores."""
    found: dict[tuple[int, int, int], list[float]] = {}
    for point, where in zip(source.points, at, strict=True):
        found.setdefault((*where, point.cores), []).append(point.power_mw)
    return {key: float(np.mean(values)) for key, values in found.items()}


def _warnings(coefficients: CpuCoefficients, points: Sequence[OperatingPoint], rows: FitRows) -> Iterator[Caution]:
    of_clusters = zip(coefficients.firsts, coefficients.cpu.clusters, rows.speeds_of(), strict=True)
    for number, (place, cluster, speeds) in enumerate(of_clusters):
        if not (rows.use[:, place : place + 1 + len(cluster.freq_khz)] > 0).any():
            yield Caution("cluster_not_measured", f"cluster {number} was not measured: its figures stay as they are")
        elif 0 < len(speeds) < LEAST_TO_CHOOSE:
            others = (
                "currents at the others follow the profile's curve"
                if len(speeds) == 1
                else "currents between them are on straight lines, whether or not the profile's curve is better"
            )
            yield Caution(
                "too_few_frequencies",
                f"cluster {number}: cross-validation needs {LEAST_TO_CHOOSE} measured frequencies, and there "
                f"{'is 1' if len(speeds) == 1 else f'are {len(speeds)}'}: {others}",
            )
    if len(rows.lengths) == 1 and all(point.cores == 1 for point in points):
        yield Caution(
            "one_busy_core",
            "all points have one busy core, so the currents of clusters and of any running core cannot be separated from those "
            "of cores: their sum is calibrated",
        )


def _of_result(coefficients: CpuCoefficients, scales: F64, errors: Sequence[PointErrors]) -> Iterator[Caution]:
    """What users should know about figures that vanished, and sources that the calibration does not improve."""
    lost = (coefficients.target > 0) & (scales * coefficients.unit_ma < _LEAST_MA)
    if lost.any():
        names = [name for name, is_lost in zip(coefficients.names, lost.tolist(), strict=True) if is_lost]
        shown = printable_list(names, _MOST_NAMED)
        yield Caution("currents_of_0", f"the measured power leaves nothing for currents that are now 0: {shown}")
    for each in errors:
        if each.held_out is not None and each.held_out >= each.before:
            where = "" if each.cluster is None else f" in cluster {each.cluster}"
            yield Caution(
                "no_improvement",
                f"{each.source}: the calibration is no improvement{where}: the held-out error is {100 * each.held_out:.1f} %, "
                f"and that of the profile {100 * each.before:.1f} %",
            )
