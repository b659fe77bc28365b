"""Fit the CPU's coefficients of a power profile to measured power, with the error at measurements left out of the fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.fit_rows import FitRows, IntervalSource
from navitas.calibrate.operating_points import (
    LEAST_POINTS,
    OperatingPoint,
    PointSource,
    check_points,
    cluster_of,
    measured_at,
    within_speeds,
)
from navitas.calibrate.regularised_fit import F64, relative_errors
from navitas.errors import UsageError
from navitas.power.model import CpuPower

_LEAST_MA = 0.0005
"""Smaller currents are 0 in the written profile."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class PointErrors:
    """Absolute relative errors of one source's points in a cluster (None: in all clusters, or of intervals), as medians.

    `before`: of the profile, `fitted`: of the calibrated one, `held_out`: of fits without the point, and `held_out_p90` their
    90th percentile; None if the source is not fitted. Intervals have a base power, which all of them fit.
    """

    source: str
    cluster: int | None
    points: int
    before: float
    fitted: float
    held_out: float | None
    held_out_p90: float | None


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
class Calibration:
    """The calibrated CPU, the errors of each source by cluster, and where sources disagree."""

    cpu: CpuPower
    errors: tuple[PointErrors, ...]
    disagreements: tuple[Disagreement, ...]
    warnings: tuple[str, ...]


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
    notes: list[str] = []
    fitted, compared = ([_known_speeds(source, cpu, notes) for source in sources] for sources in (fitted, compared))
    for each in recorded:
        if len(each.power_mw) < LEAST_POINTS:
            raise UsageError(f"{each.name}: has fewer than {LEAST_POINTS} intervals", "Give a longer recording.")
    points = [point for source in fitted for point in source.points]
    measured = FitRows.of(coefficients, points, recorded)
    rows = measured.by_noise() if recorded else measured
    scales = rows.fit()
    own = scales[: len(coefficients.unit_ma)]
    if not (own > 0).any():
        raise UsageError("the fit leaves no current of the CPU", "Check the unit of the measured power.")
    held_out_mw = rows.held_out()
    errors = [
        *_errors_of_points(coefficients, own, fitted, held_out_mw),
        *_errors_of_intervals(measured, scales, recorded, held_out_mw),
        *_errors_of_points(coefficients, own, compared, None),
    ]
    sources = [*fitted, *compared]
    pairs = [(one, two) for number, one in enumerate(sources) for two in sources[number + 1 :]]
    disagreements = tuple(each for one, two in pairs for each in _disagreements(cpu, one, two))
    warnings = (*notes, *_warnings(coefficients, points, rows), *_of_result(coefficients, own, errors))
    return Calibration(coefficients.scaled(own), tuple(errors), disagreements, warnings)


def _known_speeds(source: PointSource, cpu: CpuPower, notes: list[str]) -> PointSource:
    """The points that the profile's speeds cover. `notes` gets how many are left out. Raises `UsageError`."""
    check_points(source, cpu)
    kept, left = within_speeds(source, cpu)
    if left:
        notes.append(f"{source.name}: points beyond the profile's speeds were left out: {left}")
    return kept


def _errors_of_points(
    coefficients: CpuCoefficients, scales: F64, sources: Sequence[PointSource], held_out_mw: F64 | None
) -> Iterator[PointErrors]:
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    begin = 0
    for source in sources:
        use = coefficients.use_of(source.points)
        measured = np.array([point.power_mw for point in source.points])
        number = np.array([cluster_of(point.cpu, clusters) for point in source.points])
        before = relative_errors(use @ coefficients.target, measured)
        after = relative_errors(use @ scales, measured)
        end = begin + len(measured)
        out = None if held_out_mw is None else relative_errors(held_out_mw[begin:end], measured)
        begin = end
        for cluster in (None, *sorted(set(number.tolist()))):
            own = np.ones(len(number), bool) if cluster is None else number == cluster
            of_held_out = (None, None) if out is None else (_median(out[own]), _percentile_90(out[own]))
            yield PointErrors(source.name, cluster, int(own.sum()), _median(before[own]), _median(after[own]), *of_held_out)


def _errors_of_intervals(
    rows: FitRows, scales: F64, recorded: Sequence[IntervalSource], held_out_mw: F64
) -> Iterator[PointErrors]:
    predicted = rows.before(), rows.use @ scales, held_out_mw
    ends = np.cumsum(rows.lengths).tolist()
    for source, begin, end in zip(recorded, ends, ends[1:], strict=False):
        own = slice(begin, end)
        before, after, out = (np.abs(each[own] - rows.measured[own]) / rows.size[own] for each in predicted)
        errors = _median(before), _median(after), _median(out), _percentile_90(out)
        yield PointErrors(source.name, None, end - begin, *errors)


def _median(errors: F64) -> float:
    return float(np.median(errors))


def _percentile_90(errors: F64) -> float:
    return float(np.quantile(errors, 0.9))


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


def _warnings(coefficients: CpuCoefficients, points: Sequence[OperatingPoint], rows: FitRows) -> Iterator[str]:
    for number, (place, cluster) in enumerate(zip(coefficients.firsts, coefficients.cpu.clusters, strict=True)):
        if not (rows.use[:, place : place + 1 + len(cluster.freq_khz)] > 0).any():
            yield f"cluster {number} was not measured: its figures stay as they are"
    if len(rows.lengths) == 1 and all(point.cores == 1 for point in points):
        yield (
            "all points have one busy core, so the currents of clusters and of any running core cannot be separated from those "
            "of cores: their sum is calibrated"
        )


def _of_result(coefficients: CpuCoefficients, scales: F64, errors: Sequence[PointErrors]) -> Iterator[str]:
    """What users should know about figures that vanished, and sources that the calibration does not improve."""
    lost = (coefficients.target > 0) & (scales * coefficients.unit_ma < _LEAST_MA)
    if lost.any():
        names = [name for name, is_lost in zip(coefficients.names, lost.tolist(), strict=True) if is_lost]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"the fit set currents to 0: {', '.join(names[:_MOST_NAMED])}{more}; check the points there"
    for each in errors:
        if each.held_out is not None and each.held_out >= each.before:
            where = "" if each.cluster is None else f" in cluster {each.cluster}"
            yield (
                f"{each.source}: the calibration is no improvement{where}: the held-out error is {100 * each.held_out:.1f} %, "
                f"and that of the profile {100 * each.before:.1f} %"
            )
