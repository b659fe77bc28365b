"""Fit the CPU's coefficients of a power profile to measured operating points, with the error at points left out of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.operating_points import OperatingPoint, PointSource, check_points, cluster_of
from navitas.calibrate.regularised_fit import F64, fit_scales, relative_errors
from navitas.errors import UsageError
from navitas.power.model import CpuPower

FOLDS = 5


@dataclass(frozen=True, slots=True)
class PointErrors:
    """Median absolute relative errors of one source's points in a cluster (None: in all clusters).

    `before`: of the profile, `after`: of the calibrated one, `held_out`: of fits without the point. The last is None if the source
    is not fitted.
    """

    source: str
    cluster: int | None
    points: int
    before: float
    after: float
    held_out: float | None


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


def calibrate(cpu: CpuPower, voltage_v: float, fitted: Sequence[PointSource], compared: Sequence[PointSource] = ()) -> Calibration:
    """Fit to the points of `fitted`; show the errors of `compared` as well.

    Points that depend on a second frequency count as if they did not: see `coupled_fit`.
    Raises `UsageError` if points are too few, or of another phone.
    """
    for source in (*fitted, *compared):
        check_points(source, cpu)
    coefficients = CpuCoefficients.of(cpu, voltage_v)
    points = [point for source in fitted for point in source.points]
    scales = fit_points(coefficients, points)
    held_out_mw = held_out(coefficients, points)
    errors: list[PointErrors] = []
    begin = 0
    for source in fitted:
        end = begin + len(source.points)
        errors += _errors(coefficients, scales, source, held_out_mw[begin:end])
        begin = end
    for source in compared:
        errors += _errors(coefficients, scales, source, None)
    sources = [*fitted, *compared]
    pairs = [(one, two) for number, one in enumerate(sources) for two in sources[number + 1 :]]
    disagreements = tuple(each for one, two in pairs for each in _disagreements(cpu, one, two))
    return Calibration(coefficients.scaled(scales), tuple(errors), disagreements, tuple(_warnings(coefficients, points)))


def fit_points(coefficients: CpuCoefficients, points: Sequence[OperatingPoint]) -> F64:
    """Return the scales of all coefficients."""
    use = coefficients.use_of(points) * _separable(coefficients, points)
    return fit_scales(use, _measured(points), coefficients.target, coefficients.neighbours())


def _separable(coefficients: CpuCoefficients, points: Sequence[OperatingPoint]) -> NDArray[np.bool_]:
    """Whether each coefficient may change: one that the profile lacks only if points tell it from the currents of cores.

    The current of a cluster shows in points with different numbers of cores. That of any running core never does.
    """
    separable = coefficients.target > 0
    for place, cluster in zip(coefficients.firsts, coefficients.cpu.clusters, strict=True):
        separable[place] |= len({point.cores for point in points if point.cpu in cluster.cpus}) > 1
    return separable


def held_out(coefficients: CpuCoefficients, points: Sequence[OperatingPoint]) -> F64:
    """Predict each point by a fit without it: every fifth frequency of each cluster is left out in turn, with all its points."""
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    keys = [(cluster_of(point.cpu, clusters), point.freq_khz) for point in points]
    fold_of = {key: number % FOLDS for number, key in enumerate(sorted(set(keys), key=lambda key: (key[0] or 0, key[1])))}
    fold = np.array([fold_of[key] for key in keys])
    predicted = np.full(len(points), np.nan)
    for number in np.unique(fold):
        kept = [point for point, own in zip(points, fold, strict=True) if own != number]
        predicted[fold == number] = coefficients.use_of(points)[fold == number] @ fit_points(coefficients, kept)
    return predicted


def _measured(points: Sequence[OperatingPoint]) -> F64:
    return np.array([point.power_mw for point in points], np.float64)


def _errors(coefficients: CpuCoefficients, scales: F64, source: PointSource, held_out_mw: F64 | None) -> list[PointErrors]:
    use, measured = coefficients.use_of(source.points), _measured(source.points)
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    number = np.array([cluster_of(point.cpu, clusters) for point in source.points])
    before = relative_errors(use @ coefficients.target, measured)
    after = relative_errors(use @ scales, measured)
    out = None if held_out_mw is None else relative_errors(held_out_mw, measured)
    found = []
    for cluster in (None, *sorted(set(number.tolist()))):
        own = np.ones(len(number), bool) if cluster is None else number == cluster
        found.append(
            PointErrors(
                source.name,
                cluster,
                int(own.sum()),
                float(np.median(before[own])),
                float(np.median(after[own])),
                None if out is None else float(np.median(out[own])),
            )
        )
    return found


def _disagreements(cpu: CpuPower, one: PointSource, two: PointSource) -> list[Disagreement]:
    clusters = [cluster.cpus for cluster in cpu.clusters]

    def powers(source: PointSource) -> dict[tuple[int | None, int, int], float]:
        """The mean power by cluster, frequency and number of cores."""
        found: dict[tuple[int | None, int, int], list[float]] = {}
        for point in source.points:
            found.setdefault((cluster_of(point.cpu, clusters), point.freq_khz, point.cores), []).append(point.power_mw)
        return {key: float(np.mean(values)) for key, values in found.items()}

    first, second = powers(one), powers(two)
    found = []
    for cluster in range(len(clusters)):
        shared = [key for key in first if key in second and key[0] == cluster]
        if shared:
            ratios = np.array([second[key] / first[key] - 1 for key in shared])
            low, middle, high = float(ratios.min()), float(np.median(ratios)), float(ratios.max())
            found.append(Disagreement(one.name, two.name, cluster, len(shared), low, middle, high))
    return found


def _warnings(coefficients: CpuCoefficients, points: Sequence[OperatingPoint]) -> list[str]:
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    covered = {cluster_of(point.cpu, clusters) for point in points}
    found = [
        f"cluster {number} has no points: its figures stay as they are"
        for number in range(len(clusters))
        if number not in covered
    ]
    if all(point.cores == 1 for point in points):
        found.append(
            "all points have one busy core, so the currents of clusters and of any running core cannot be told from those of "
            "cores: their ratios follow the profile"
        )
    return found


def check_calibrated(cpu: CpuPower) -> None:
    """Raise `UsageError` if no current is left, which a profile cannot say."""
    if not any((cluster.core_ma > 0).any() for cluster in cpu.clusters):
        raise UsageError("the fit leaves no current of any core", "Check the unit of the measured power.")
