"""Extra drains of a client's apps, by the condition under which they ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.condition_sums import SharePairs, condition_sums
from navitas.fleet.controls import ONE
from navitas.fleet.designs import ClientDesign, PairBlock
from navitas.fleet.pair_conditions import PairConditions
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.strata_request import StrataRequest
from navitas.fleet.stratum_overlaps import Strata, dots
from navitas.fleet.within import shares_of


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
    mean = sums.moment[ONE] / seconds.sum()
    apart = sums.reliable - mean * (timed.T @ reliability)[:, place]
    strata = Strata(sums, slope, mean, apart, sums.column, place)
    s, weight = strata.separated(sums.left_ppm - dots(slope, (controls.T @ left)[:, place]))
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


def _of_other_hogs(block: PairBlock, design: ClientDesign, app_of: I64, reliability: F64, effect: F64) -> F64:
    """What hogs other than each app (columns) drain in each pair, in ppm."""
    whole = np.minimum(design.share @ (app_of[:, None] == np.arange(len(effect))), 1.0)
    _, rest, _ = shares_of(block.pairs, block.left, design.number, whole)
    drains = block.pairs.seconds[block.pairs.of_client(design.number), None] * reliability * rest * effect
    return np.asarray(drains.sum(axis=1)[:, None] - drains)
