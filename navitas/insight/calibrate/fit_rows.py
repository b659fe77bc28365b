"""All measurements of a fit as rows: of operating points, and of intervals of recordings.

The fit is non-negative least squares in relative error, held near a start and smooth between neighbours. Unknowns are scales of
figures that are known roughly, such as those of a power profile: 1 leaves a figure as it is. The fit minimizes

    Σ ((predicted − measured) / size)²  +  λ² Σ pull² (scale − target)²  +  μ² Σ (link · scales)²

with scales from 0 on. The size is the measured value, or larger for small ones. A link is what differs between neighbouring
operating points of one cluster. So figures that no measurement covers follow those next to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from navitas.energy.analyze.fitting.least_squares import non_negative
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.operating_points import OperatingPoint, measured_at
from navitas.recording.parse.arrays import F64, I64, Bool

TOWARDS_START, SMOOTHNESS = 0.001, 0.003
"""λ and μ (docs/calibrating.md)."""
FOLDS = 5
LEAST_TO_CHOOSE = 2 * FOLDS
"""The fewest different frequencies of a cluster by which a prior is chosen: two for each fold."""
PRIORS = (0.0, 0.25, 0.5, 1.0)
_CLEAR = 2.0
"""A gain is clear if it is more than this many of its standard errors. With one, noise chooses one of three priors too often."""
_PROFILE_ERROR = 0.3
_LEAST_SIZE = 0.2
"""An interval with less power, relative to the mean, counts as if it had this much: its error is that of the meter."""
_LEAST_SHARE = 0.1
"""An operating point is measured if its power is this share of that of the most used one in a row."""


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

    Points of one cluster, frequency and number of busy cores have one row, which a fit cannot distinguish from them: `row` is
    the number of each point's. Errors are relative to `size`. Rows of one `fold` are left out together. `speeds` are the
    different clusters and frequencies of points, ascending, and `speed` is the number of that of each of their rows.
    """

    coefficients: CpuCoefficients
    row: I64
    speeds: Sequence[tuple[int, int]]
    speed: I64
    use: F64
    measured: F64
    size: F64
    fold: I64
    target: F64
    pull: F64
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, coefficients: CpuCoefficients, points: Sequence[OperatingPoint], recorded: Sequence[IntervalSource]) -> FitRows:
        """Rows of points and of recordings. Figures that the profile lacks, and that no row separates from others, stay 0."""
        at = measured_at(points, [cluster.cpus for cluster in coefficients.cpu.clusters])
        keys = [(*each, point.freq_khz, point.cores) for each, point in zip(at, points, strict=True)]
        distinct = dict(sorted(zip(keys, points, strict=True), key=lambda each: each[0]))
        row_of = {key: number for number, key in enumerate(distinct)}
        row = np.array([row_of[key] for key in keys], np.int64)
        # The sum of squared relative errors of a row's points is that of one power with this size, and a constant.
        inverse = 1 / np.array([point.power_mw for point in points], np.float64)
        weight = np.bincount(row, inverse**2)
        uses = [coefficients.use_of(tuple(distinct.values())), *(source.use for source in recorded)]
        powers = [np.bincount(row, inverse) / weight, *(source.power_mw for source in recorded)]
        speeds = sorted(set(at))
        number_of = {each: number for number, each in enumerate(speeds)}
        speed = np.array([number_of[key[0], key[1]] for key in distinct], np.int64)
        # Every fifth frequency of each cluster has the same fold, with all of its points.
        folds = [speed % FOLDS]
        for count, source in ((np.arange(len(source.power_mw)), source) for source in recorded):
            folds.append(count * FOLDS // max(len(count), 1) if source.is_continuous else count % FOLDS)
        use = np.concatenate(uses) * _separable(coefficients, points, recorded)
        base = np.zeros((len(use), len(recorded)))
        ends = np.cumsum([len(each) for each in powers]).tolist()
        for number, power_mw in enumerate(powers[1:]):
            base[ends[number] : ends[number + 1], number] = power_mw.mean() if len(power_mw) else 0.0
        return cls(
            coefficients,
            row,
            speeds,
            speed,
            np.hstack([use, base]),
            np.concatenate(powers),
            np.concatenate([weight**-0.5, *(np.maximum(each, _LEAST_SIZE * each.mean()) for each in powers[1:])]),
            np.concatenate(folds),
            np.append(coefficients.target, np.zeros(len(recorded))),
            np.append(coefficients.pull, np.ones(len(recorded))),
            tuple(len(each) for each in powers),
        )

    def fit(self, prior: Sequence[float], kept: Bool | None = None) -> F64:
        """Return the scales of all columns, fitted to all rows or to the kept ones. `prior`: see `CpuCoefficients.links`.

        The currents of a cluster's cores are held near the profile's times the ratio of measured powers to the profile's.
        """
        chosen = self._all() if kept is None else kept
        count, ratios = len(self.coefficients.unit_ma), self._ratios(chosen)
        use, measured, size = self.use[chosen] * ratios, self.measured[chosen], self.size[chosen]
        of_cores = use[:, :count].copy()
        of_cores[:, [0, *self.coefficients.firsts]] = 0.0
        is_measured = np.asarray((of_cores > _LEAST_SHARE * of_cores.max(axis=1, keepdims=True)).any(axis=0))
        links = np.pad(self.coefficients.links(prior, is_measured), ((0, 0), (0, len(self.target) - count)))
        # Clusters that no row uses stay as they are: nothing but links holds their currents, and these hold already.
        fitted = np.ones(len(self.target), bool)
        for place, cluster in zip(self.coefficients.firsts, self.coefficients.cpu.clusters, strict=True):
            own = slice(place, place + 1 + len(cluster.freq_khz))
            fitted[own] = (use[:, own] > 0).any()
        scales = self.target.copy()
        links = links[:, fitted][(links[:, fitted] != 0).any(axis=1)]
        scales[fitted] = _fit_scales(
            use[:, fitted] / size[:, None], measured / size, self.target[fitted], self.pull[fitted], links
        )
        return ratios * scales

    def _ratios(self, kept: Bool) -> F64:
        """How much the measured power of cores is above the profile's by cluster, for the columns of its cores. 1 without points.

        It is what is left of the measured power after the profile's shared currents, or if more, the ratio with these.
        """
        found = np.ones(len(self.target))
        cluster = np.array([number for number, _ in self.speeds], np.int64)[self.speed]
        points = slice(0, len(cluster))
        for number, (place, own) in enumerate(zip(self.coefficients.firsts, self.coefficients.cpu.clusters, strict=True)):
            cores = slice(place + 1, place + 1 + len(own.freq_khz))
            total, of_cores = self.use[points] @ self.target, self.use[points, cores] @ self.target[cores]
            rows = kept[points] & (cluster == number) & (of_cores > 0)
            if rows.any():
                measured, total, of_cores = self.measured[points][rows], total[rows], of_cores[rows]
                found[cores] = np.median(np.maximum(measured / total, (measured - total + of_cores) / of_cores))
        return found

    def prior(self, kept: Bool | None = None) -> tuple[float, ...]:
        """Choose the weight of the profile's curve in each cluster by the errors at points that are left out in turn.

        It is 0, for straight lines between measured points, unless another weight has clearly smaller errors. It is also 0 in
        clusters with too few speeds to choose, and 1 in clusters without points: recordings measure mixtures of speeds.
        """
        chosen = self._all() if kept is None else kept
        can_choose = [len(own) >= LEAST_TO_CHOOSE for own in self.speeds_of()]
        errors = {weight: self.errors_with(weight, chosen) for weight in PRIORS} if any(can_choose) else {}
        found = []
        for speeds, is_enough in zip(self.speeds_of(chosen), can_choose, strict=True):
            found.append(self._best_prior(speeds, errors) if is_enough else float(not len(speeds)))
        return tuple(found)

    def _best_prior(self, speeds: I64, errors: Mapping[float, F64]) -> float:
        gains = {weight: errors[0.0][speeds] - errors[weight][speeds] for weight in PRIORS}
        clear = [weight for weight, gain in gains.items() if gain.mean() > _CLEAR * gain.std(ddof=1) / len(gain) ** 0.5]
        return max(clear, key=lambda weight: float(gains[weight].mean()), default=0.0)

    def speeds_of(self, kept: Bool | None = None) -> list[I64]:
        """The numbers of the different speeds of each cluster's points."""
        chosen = self._all() if kept is None else kept
        of_points = np.unique(self.speed[chosen[: len(self.speed)]])
        cluster = np.array([number for number, _ in self.speeds], np.int64)
        return [of_points[cluster[of_points] == number] for number in range(len(self.coefficients.cpu.clusters))]

    def errors_with(self, weight: float, kept: Bool | None = None) -> F64:
        """The mean error at each speed, predicted by fits without its fold. NaN at those that are not kept."""
        kept, prior = self._all() if kept is None else kept, [weight] * len(self.coefficients.cpu.clusters)
        predicted = np.full(len(self.measured), np.nan)
        for number in np.unique(self.fold[kept]):
            out = kept & (self.fold == number)
            predicted[out] = self.use[out] @ self.fit(prior, kept & ~out)
        errors = np.abs(predicted / self.measured - 1)[: len(self.speed)]
        return np.bincount(self.speed, errors, len(self.speeds)) / np.bincount(self.speed, minlength=len(self.speeds))

    @property
    def recordings(self) -> list[slice]:
        """The rows of each recording."""
        return [slice(*ends) for ends in pairwise(np.cumsum(self.lengths).tolist())]

    def _all(self) -> Bool:
        return np.ones(len(self.measured), bool)

    def by_noise(self) -> FitRows:
        """Return the rows with less weight for noisy recordings: their noise is the median error at held-out intervals.

        Then the fit is the most likely one for normal noise, if figures of the profile are wrong by 30 % (standard deviation).
        Points of a table keep their weight: what they differ by from each other is not noise.
        """
        predicted, size = self.held_out(), self.size.copy()
        for own in self.recordings:
            noise = float(np.median(np.abs(predicted[own] - self.measured[own]) / self.size[own]))
            size[own] *= max(1.0, noise / (_PROFILE_ERROR * TOWARDS_START))
        return replace(self, size=size)

    def before(self) -> F64:
        """Predict each row by the profile as it is. Only the base power of recordings is fitted."""
        predicted = self.use @ self.target
        for own in self.recordings:
            weight = self.size[own] ** -2.0
            base_mw = float(weight @ (self.measured[own] - predicted[own]) / weight.sum())
            predicted[own] += max(base_mw, 0.0)
        return predicted

    def held_out(self) -> F64:
        """Predict each row by a fit without its fold, which does not see the fold in the choice of the prior either."""
        predicted = np.full(len(self.measured), np.nan)
        for number in np.unique(self.fold):
            out = self.fold == number
            predicted[out] = self.use[out] @ self.fit(self.prior(~out), ~out)
        return predicted

    def interpolated(self, points: Sequence[OperatingPoint]) -> F64:
        """Predict each point by plain interpolation: a straight line between the powers measured at the next frequencies.

        Points of its fold are left out, and only those with as many busy cores count. Beyond the ends, the nearest one counts.
        NaN if there is none.
        """
        predicted = np.full(len(points), np.nan)
        cluster = np.array([number for number, _ in self.speeds], np.int64)[self.speed[self.row]]
        measured = np.array([point.power_mw for point in points], np.float64)
        cores, khz = np.array([(point.cores, point.freq_khz) for point in points], np.int64).reshape(-1, 2).T
        for group in {*zip(cluster.tolist(), cores.tolist(), strict=True)}:
            own = (cluster == group[0]) & (cores == group[1])
            for fold in range(FOLDS):
                out = self.fold[self.row] == fold
                at, place = np.unique(khz[own & ~out], return_inverse=True)
                if len(at):
                    power_mw = np.bincount(place, measured[own & ~out]) / np.bincount(place)
                    predicted[own & out] = np.interp(khz[own & out], at, power_mw)
        return predicted


def _separable(coefficients: CpuCoefficients, points: Sequence[OperatingPoint], recorded: Sequence[IntervalSource]) -> Bool:
    """Whether each coefficient may change: one that the profile lacks only if the data separate it from those of cores.

    The current of a cluster shows in points with different numbers of cores. That of any running core shows only in recordings.
    """
    separable = coefficients.target > 0
    for place, cluster in zip(coefficients.firsts, coefficients.cpu.clusters, strict=True):
        separable[place] |= len({point.cores for point in points if point.cpu in cluster.cpus}) > 1
    for source in recorded:
        separable |= (source.use > 0).any(axis=0)
    return separable


def _fit_scales(use: F64, measured: F64, target: F64, pull: F64, links: F64) -> F64:
    """The scale of each unknown, near its target by the weight of its pull. Each row of `links` is to be 0.

    `use` has a row for each measurement and a column for each unknown: what the measurement would be from this unknown alone,
    at a scale of 1, in units of its size.
    """
    pull = TOWARDS_START * pull
    columns = np.vstack([use, np.diag(pull), SMOOTHNESS * links])
    wanted = np.concatenate([measured, pull * target, np.zeros(len(links))])
    # The pull makes the least squares unique, so a solution without negative scales is also the solution with this bound.
    unbounded = np.linalg.solve(columns.T @ columns, columns.T @ wanted)
    if (unbounded >= 0).all():
        return np.asarray(unbounded, np.float64)
    # The bounded fit takes as long as it has rows: R of a QR decomposition has the same solution in fewer.
    reduced = np.asarray(np.linalg.qr(np.column_stack([columns, wanted]), mode="r"), np.float64)
    return non_negative(reduced[:, :-1], reduced[:, -1])
