"""How running times of a client's strata overlap, and each stratum's own part of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.condition_sums import ConditionSums
from navitas.fleet.controls import ONE
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64

_LEAST = 1e-6
"""Least share of the variance of other strata's running times, for which they are separated."""


@dataclass(frozen=True, slots=True)
class StratumOverlaps:
    """h[i, j] = Σ T x̃ y of strata, with x̃ of i and the reliable deviation y of j, summed over the j of a group with i.

    `before` is Σ h[i, j], and `after` Σ h[j, i].
    """

    before: F64
    after: F64

    def of_group(self, group: I64) -> tuple[F64, F64]:
        """The sums of `before` and of `after` over each stratum's `group`."""
        return _summed(self.before, group), _summed(self.after, group)


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of a client. `slope` are those of x on the controls (rows), and `mean` is its mean over time.

    `apart` is Σ T z (y − its mean). `version` and `app` number the versions and apps of strata.
    """

    sums: ConditionSums
    slope: F64
    mean: F64
    apart: F64
    version: I64
    app: I64

    def separated(self, s: F64) -> tuple[F64, F64]:
        """s and w of each stratum, without what its running time has in common with that of the others of its app.

        Those of the same version have one effect, and those of other versions another one.
        """
        own = self._own()
        same = self._overlaps(self.version, self.sums.own, self.sums.own)
        all_of = self._overlaps(self.app, self.sums.before, self.sums.after)
        of_version, of_app = same.of_group(self.version)[0], all_of.of_group(self.app)[0]
        version_app, app_version = all_of.of_group(self.version)
        own_others = np.stack([same.before - own, all_of.before - same.before], axis=1)
        others_own = np.stack([same.after - own, all_of.after - same.after], axis=1)
        others = np.empty((len(s), 2, 2))
        others[:, 0, 0] = of_version - same.before - same.after + own
        others[:, 0, 1] = version_app - of_version - own_others[:, 1]
        others[:, 1, 0] = app_version - of_version - others_own[:, 1]
        others[:, 1, 1] = of_app - version_app - app_version + of_version
        slope = _slopes(others, own_others, np.maximum(of_app, 1.0))
        version_s, app_s = (_summed(s, group) for group in (self.version, self.app))
        others_s = np.stack([version_s - s, app_s - version_s], axis=1)
        return s - (slope * others_s).sum(axis=1), np.maximum(own - (slope * others_own).sum(axis=1), 0.0)

    def _own(self) -> F64:
        return np.asarray(self.sums.own - self.mean * self.sums.reliable[ONE] - dots(self.slope, self.apart))

    def _overlaps(self, group: I64, before: F64, after: F64) -> StratumOverlaps:
        """Sums over groups. `before` and `after` are Σ T x y with the y, and the x, of the group's strata of the same condition.

        With b the slope of x on the controls, h[i, j] = Σ T xᵢ yⱼ − meanⱼ Σ T yᵢ − bᵢ · Σ T z (yⱼ − meanⱼ).
        """
        of_group = (group[:, None] == np.arange(int(group.max(initial=-1)) + 1)).astype(np.float64)
        all_apart, all_slope = (self.apart @ of_group)[:, group], (self.slope @ of_group)[:, group]
        timed = self.sums.reliable[ONE]
        all_mean, all_timed = (_summed(amount, group) for amount in (self.mean, timed))
        return StratumOverlaps(
            before - all_mean * timed - dots(self.slope, all_apart),
            after - self.mean * all_timed - dots(all_slope, self.apart),
        )


def _slopes(others: F64, own_others: F64, scale: F64) -> F64:
    """The slopes of each stratum's running time on those of two groups of others, of which one or both may not vary."""
    diagonal = np.diagonal(others, axis1=1, axis2=2)
    varied = diagonal > _LEAST * scale[:, None]
    both = varied.all(axis=1)
    one, other = np.where(varied, (1 + _LEAST) * diagonal, 1.0).T
    one_other, other_one = (np.where(both, others[:, i, 1 - i], 0.0) for i in (0, 1))
    own_one, own_other = np.where(varied, own_others, 0.0).T
    slope = [own_one * other - own_other * other_one, own_other * one - own_one * one_other]
    return np.asarray(np.stack(slope, axis=1) / (one * other - one_other * other_one)[:, None])


def _summed(amount: F64, group: I64) -> F64:
    """The sum over each stratum's group."""
    return np.asarray(np.bincount(group, weights=amount)[group], np.float64)


def dots(one: F64, other: F64) -> F64:
    """The scalar product of columns."""
    return np.asarray(np.einsum("ik,ik->k", one, other), np.float64)
