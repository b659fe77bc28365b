"""All measurements of a fit as rows: of operating points, and of intervals of recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.operating_points import OperatingPoint, measured_at
from navitas.calibrate.regularised_fit import F64, TOWARDS_START, Neighbours, Start, fit_scales

FOLDS = 5
_PROFILE_ERROR = 0.3
_LEAST_SIZE = 0.2
"""An interval with less power, relative to the mean, counts as if it had this much: its error is that of the meter."""


@dataclass(frozen=True, slots=True)
class IntervalSource:
    """The intervals of one recording.

    `use[i, j]` is the power of interval i from coefficient j alone, in mW at a scale of 1, and `power_mw[i]` the measured power.
    `is_continuous`: the intervals follow each other, so neighbours are alike, and whole fifths are left out to check the fit.
    """

    name: str
    use: F64
    power_mw: F64
    is_continuous: bool = True


@dataclass(frozen=True, slots=True)
class FitRows:
    """Rows of points first, then those of each recording. The columns are the coefficients, then each recording's base power.

    Errors are relative to `size`. Rows of one `fold` are left out together.
    """

    use: F64
    measured: F64
    size: F64
    fold: NDArray[np.int64]
    target: F64
    pull: F64
    neighbours: Neighbours
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, coefficients: CpuCoefficients, points: Sequence[OperatingPoint], recorded: Sequence[IntervalSource]) -> FitRows:
        """Rows of points and of recordings. Figures that the profile lacks, and that no row separates from others, stay 0."""
        uses = [coefficients.use_of(points), *(source.use for source in recorded)]
        powers = [np.array([point.power_mw for point in points], np.float64), *(source.power_mw for source in recorded)]
        folds = [_folds_of(coefficients, points), *map(_folds_of_intervals, recorded)]
        use = np.concatenate(uses) * _separable(coefficients, points, recorded)
        base = np.zeros((len(use), len(recorded)))
        ends = np.cumsum([len(each) for each in powers]).tolist()
        for number, power_mw in enumerate(powers[1:]):
            base[ends[number] : ends[number + 1], number] = power_mw.mean() if len(power_mw) else 0.0
        return cls(
            np.hstack([use, base]),
            np.concatenate(powers),
            np.concatenate([powers[0], *(np.maximum(each, _LEAST_SIZE * each.mean()) for each in powers[1:])]),
            np.concatenate(folds),
            np.append(coefficients.target, np.zeros(len(recorded))),
            np.append(coefficients.pull, np.ones(len(recorded))),
            coefficients.neighbours(),
            tuple(len(each) for each in powers),
        )

    def fit(self, kept: NDArray[np.bool_] | None = None) -> F64:
        """Return the scales of all columns, fitted to all rows or to the kept ones."""
        chosen = np.ones(len(self.measured), bool) if kept is None else kept
        start = Start(self.target, self.neighbours, self.pull)
        return fit_scales(self.use[chosen], self.measured[chosen], start, size=self.size[chosen])

    def by_noise(self) -> FitRows:
        """Return the rows with less weight for noisy recordings: their noise is the median error at held-out intervals.

        Then the fit is the most likely one for normal noise, if figures of the profile are wrong by 30 % (standard deviation).
        Points of a table keep their weight: what they differ by from each other is not noise.
        """
        ends = np.cumsum(self.lengths).tolist()
        predicted = self.held_out()
        size = self.size.copy()
        for begin, end in pairwise(ends):
            own = slice(begin, end)
            noise = float(np.median(np.abs(predicted[own] - self.measured[own]) / self.size[own]))
            size[own] *= max(1.0, noise / (_PROFILE_ERROR * TOWARDS_START))
        return replace(self, size=size)

    def before(self) -> F64:
        """Predict each row by the profile as it is. Only the base power of recordings is fitted."""
        predicted = self.use @ self.target
        ends = np.cumsum(self.lengths).tolist()
        for begin, end in pairwise(ends):
            own = slice(begin, end)
            weight = self.size[own] ** -2.0
            base_mw = float(weight @ (self.measured[own] - predicted[own]) / weight.sum())
            predicted[own] += max(base_mw, 0.0)
        return predicted

    def held_out(self) -> F64:
        """Predict each row by a fit without its fold."""
        predicted = np.full(len(self.measured), np.nan)
        for number in np.unique(self.fold):
            out = self.fold == number
            predicted[out] = self.use[out] @ self.fit(~out)
        return predicted


def _folds_of(coefficients: CpuCoefficients, points: Sequence[OperatingPoint]) -> NDArray[np.int64]:
    """Every fifth frequency of each cluster has the same fold, with all of its points. Frequencies within 1 % are the same."""
    clusters = [cluster.cpus for cluster in coefficients.cpu.clusters]
    keys = measured_at(points, clusters)
    fold_of = {key: number % FOLDS for number, key in enumerate(sorted(set(keys)))}
    return np.array([fold_of[key] for key in keys], np.int64)


def _folds_of_intervals(source: IntervalSource) -> NDArray[np.int64]:
    count = np.arange(len(source.power_mw))
    return count * FOLDS // max(len(count), 1) if source.is_continuous else count % FOLDS


def _separable(
    coefficients: CpuCoefficients, points: Sequence[OperatingPoint], recorded: Sequence[IntervalSource]
) -> NDArray[np.bool_]:
    """Whether each coefficient may change: one that the profile lacks only if the data separate it from those of cores.

    The current of a cluster shows in points with different numbers of cores. That of any running core shows only in recordings.
    """
    separable = coefficients.target > 0
    for place, cluster in zip(coefficients.firsts, coefficients.cpu.clusters, strict=True):
        separable[place] |= len({point.cores for point in points if point.cpu in cluster.cpus}) > 1
    for source in recorded:
        separable |= (source.use > 0).any(axis=0)
    return separable
