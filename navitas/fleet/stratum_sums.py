"""Extra drains of a client's apps, by the condition under which they ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.condition_sums import ConditionSums, SharePairs, condition_sums
from navitas.fleet.controls import ONE
from navitas.fleet.designs import ClientDesign, PairBlock
from navitas.fleet.pair_conditions import PairConditions
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.strata_request import StrataRequest
from navitas.fleet.within import shares_of

_LEAST = 1e-6
"""Least share of the variance of other conditions' running times, for which they are separated."""


@dataclass(frozen=True, slots=True)
class StratumSums:
    """Sums of a client's apps, by column of the design (version) and condition.

    `pairs`, `seconds` and `drop_ppm`: number of pairs, Σ T x and Σ D x. `s` / `w` is the extra drain in ppm/s, compared with the
    time in which the app did not run at all, without the drains of other hogs. `noise` is the variance of `s`.
    """

    column: I64
    condition: I64
    pairs: I64
    seconds: F64
    drop_ppm: F64
    s: F64
    w: F64
    noise: F64


def stratum_sums(  # noqa: PLR0917
    block: PairBlock,
    design: ClientDesign,
    app: NDArray[np.int32],
    conditions: PairConditions,
    request: StrataRequest,
    columns: I64,
) -> StratumSums:
    """The sums of some `columns` of a client's design, at least one.

    `app` is that of each column.
    """
    own = block.pairs.of_client(design.number)
    seconds, controls = block.pairs.seconds[own], block.pairs.controls[own]
    apps, app_of = np.unique(app, return_inverse=True)
    reliability = request.reliability(apps)[:, block.pairs.kind[own]].T
    left = block.left.left_ppm[own, None] - _of_other_hogs(block, design, app_of, reliability, request.effects(apps))
    share, place, timed = design.share[:, columns], app_of[columns], seconds[:, None] * controls
    spanned, reliable = block.pairs.spanned(design.number, share), reliability[:, place] * share
    rows = SharePairs(seconds, block.pairs.drop_ppm[own], timed, share, spanned, reliable, left[:, place], place)
    sums = condition_sums(rows, conditions.of_client(block, design.number))
    place = place[sums.column]
    slope = block.left.inverse[design.number] @ (sums.moment / 3600)
    left_s = sums.left_ppm - _dots(slope, (controls.T @ left)[:, place])
    overlaps = _overlaps(sums, slope, place, sums.moment[ONE] / seconds.sum(), timed.T @ reliability)
    s, weight = overlaps.separated(left_s, place)
    return StratumSums(
        column=columns[sums.column],
        condition=sums.condition,
        pairs=sums.pairs.astype(np.int64),
        seconds=sums.moment[ONE],
        drop_ppm=sums.drop_ppm,
        s=s,
        w=weight,
        noise=block.left.noise(design.number, s, weight),
    )


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """How running times of an app's columns overlap: h[i, j] = Σ T x̃ y, with x̃ of i and the reliable deviation y of j.

    `own` is h[i, i], `before` Σ h[i, j] and `after` Σ h[j, i] over all columns j of the app.
    """

    own: F64
    before: F64
    after: F64

    def separated(self, s: F64, place: I64) -> tuple[F64, F64]:
        """s and w of each column, without what its running time has in common with that of all other columns of its app."""
        total, all_s = (np.bincount(place, weights=amount)[place] for amount in (self.before, s))
        others = total - self.before - self.after + self.own
        varied = others > _LEAST * np.maximum(total, 1.0)
        slope = np.divide(self.before - self.own, others, out=np.zeros_like(self.own), where=varied)
        return s - slope * (all_s - s), np.maximum(self.own - slope * (self.after - self.own), 0.0)


def _overlaps(sums: ConditionSums, slope: F64, place: I64, mean: F64, level: F64) -> _Overlaps:
    """The overlaps of columns. `mean` is the mean of x, `level` is Σ T z by app (columns) as far as x is reliable.

    With b the slope of a column on the controls, h[i, j] = Σ T xᵢ yⱼ − mean ⱼ Σ T yᵢ − bᵢ · (Σ T z yⱼ − meanⱼ level).
    """
    of_app = (place[:, None] == np.arange(level.shape[1])).astype(np.float64)
    apart = sums.reliable - mean * level[:, place]
    all_apart, all_slope = (apart @ of_app)[:, place], (slope @ of_app)[:, place]
    timed = sums.reliable[ONE]
    all_mean, all_timed = ((amount @ of_app)[place] for amount in (mean, timed))
    return _Overlaps(
        sums.own - mean * timed - _dots(slope, apart),
        sums.before - all_mean * timed - _dots(slope, all_apart),
        sums.after - mean * all_timed - _dots(all_slope, apart),
    )


def _of_other_hogs(block: PairBlock, design: ClientDesign, app_of: I64, reliability: F64, effect: F64) -> F64:
    """What hogs other than each app (columns) drain in each pair, in ppm."""
    whole = np.minimum(design.share @ (app_of[:, None] == np.arange(len(effect))), 1.0)
    _, rest, _ = shares_of(block.pairs, block.left, design.number, whole)
    drains = block.pairs.seconds[block.pairs.of_client(design.number), None] * reliability * rest * effect
    return np.asarray(drains.sum(axis=1)[:, None] - drains)


def _dots(one: F64, other: F64) -> F64:
    """The scalar product of columns."""
    return np.asarray(np.einsum("ik,ik->k", one, other), np.float64)
