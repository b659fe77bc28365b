"""Extra drains of a client's apps, by the condition under which they ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.controls import ONE
from navitas.fleet.designs import ClientDesign, PairBlock
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64, Bool
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
    condition: NDArray[np.intp],
    request: StrataRequest,
    is_wanted: Bool,
) -> StratumSums:
    """The sums of a client's apps that `is_wanted` (by place in `request.app`).

    `app` is that of each column, `condition` that of each sample's pair.
    """
    own = block.pairs.of_client(design.number)
    seconds, kind = block.pairs.seconds[own], block.pairs.kind[own]
    apps, first = np.unique(app, return_inverse=True)
    whole = np.minimum(design.share @ (first[:, None] == np.arange(len(apps))), 1.0)
    wanted = np.flatnonzero(is_wanted[np.searchsorted(request.app, apps)][first])
    share, column, number = _by_condition(design.share[:, wanted], condition[block.end[own]])
    column = wanted[column]
    place = first[column]
    moment, rest, apart = shares_of(block.pairs, block.left, design.number, np.concatenate([whole, share], axis=1))
    together, alone, apart = rest[:, : len(apps)], rest[:, len(apps) :], apart[:, len(apps) :]
    reliability = request.reliability(apps)[:, kind].T
    drains = seconds[:, None] * reliability * together * request.effects(apps)
    s = (block.left.left_ppm[own] - drains.sum(axis=1)) @ alone + _products(drains[:, place], alone)
    reliable = (seconds[:, None] * reliability)[:, place] * apart
    of_app = (place[:, None] == np.arange(len(apps))).astype(np.float64)
    w = _products(alone, reliable)
    before = _products(alone, (reliable @ of_app)[:, place]) - w
    after = _products((alone @ of_app)[:, place], reliable) - w
    total = ((w + before) @ of_app)[place]
    others = total - w - before - after
    # The regression of each column's running time on that of all other columns of its app.
    slope = np.divide(before, others, out=np.zeros_like(w), where=others > _LEAST * np.maximum(total, 1.0))
    weight = np.maximum(w - slope * after, 0.0)
    own_s = s - slope * ((s @ of_app)[place] - s)
    return StratumSums(
        column=column,
        condition=number,
        pairs=np.count_nonzero(share, axis=0),
        seconds=moment[ONE, len(apps) :],
        drop_ppm=block.pairs.drop_ppm[own] @ share,
        s=own_s,
        w=weight,
        noise=block.left.noise(design.number, own_s, weight),
    )


def _by_condition(share: F64, condition: I64) -> tuple[F64, I64, I64]:
    """Shares by column and condition, without empty columns, and the column and condition of each."""
    number, row = np.unique(condition, return_inverse=True)
    by_condition = np.zeros((len(share), share.shape[1], len(number)))
    by_condition[np.arange(len(share)), :, row] = share
    split = by_condition.reshape(len(share), -1)
    used = np.flatnonzero(split.any(axis=0))
    return split[:, used], used // len(number), number[used % len(number)]


def _products(one: F64, other: F64) -> F64:
    """The sum of products, by column."""
    return np.asarray(np.einsum("ik,ik->k", one, other), np.float64)
