"""Sums over a client's pairs under each condition."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64


@dataclass(frozen=True, slots=True)
class ConditionSums:
    """Sums by condition and column of the shares, in this order. T are the seconds of a pair, *x* its share, *z* its controls.

    *y* is *x* as far as it is reliable.

    - `pairs`, `drop_ppm` and `left_ppm`: the number of pairs with *x* > 0, Σ D x, and Σ L x with a column's left drop L
    - `moment` and `reliable`: Σ T z x and Σ T z y (rows are controls)
    - `own`: Σ T x y, with the mean of *x* over spans
    - `before` and `after`: the same with the *y* of all columns of the app, and with the *x* of all of them
    """

    condition: I64
    column: I64
    pairs: F64
    drop_ppm: F64
    left_ppm: F64
    moment: F64
    reliable: F64
    own: F64
    before: F64
    after: F64

    def only(self, kept: I64) -> ConditionSums:
        """These entries."""
        return replace(self, **{field.name: getattr(self, field.name)[..., kept] for field in fields(self)})


@dataclass(frozen=True, slots=True)
class SharePairs:
    """A client's pairs (rows): their time, drop and time times controls, and for each column, shares and the left drop.

    `spanned` are the shares as means over spans, and `app` is the app of each column.
    """

    seconds: F64
    drop_ppm: F64
    timed: F64
    share: F64
    spanned: F64
    reliable: F64
    left_ppm: F64
    app: I64


def condition_sums(pairs: SharePairs, condition: I64) -> ConditionSums:
    """The sums of conditions and columns that have a pair. `condition` is that of each pair, and the same in a whole span."""
    order = np.argsort(condition, kind="stable")
    condition = condition[order]
    starts = np.flatnonzero(np.diff(condition, prepend=-1))
    added = np.stack([pairs.share > 0, pairs.drop_ppm[:, None] * pairs.share, pairs.left_ppm * pairs.share], axis=1)[order]
    counts, drop, left = np.add.reduceat(added, starts, axis=0).transpose(1, 0, 2).reshape(3, -1)
    timed, share, spanned, reliable = (one[order] for one in (pairs.timed, pairs.share, pairs.spanned, pairs.reliable))
    weighted, alike = pairs.seconds[order, None] * reliable, pairs.app[:, None] == pairs.app
    moments, products = [], []
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        z, x = timed[low:high].T, share[low:high]
        moments.append((z @ x, z @ reliable[low:high]))
        product = spanned[low:high].T @ weighted[low:high] * alike
        products.append((product.diagonal(), product.sum(axis=1), product.sum(axis=0)))
    moment, reliable_moment = (np.hstack(parts) for parts in zip(*moments, strict=True))
    own, before, after = (np.concatenate(parts) for parts in zip(*products, strict=True))
    number, column = np.repeat(condition[starts], len(pairs.app)), np.tile(np.arange(len(pairs.app)), len(starts))
    whole = ConditionSums(number, column, counts, drop, left, moment, reliable_moment, own, before, after)
    return whole.only(np.flatnonzero(counts))
