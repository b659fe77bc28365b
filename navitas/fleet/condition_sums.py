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
    # numpy sorts numbers of two bytes in linear time.
    order, size = np.argsort(condition.astype(np.int16), kind="stable"), len(pairs.app)
    starts = np.flatnonzero(np.diff(condition[order], prepend=-1))
    alike = (pairs.app[:, None] == pairs.app).astype(np.float64)
    weighted = pairs.seconds[:, None] * pairs.reliable
    amounts = [
        pairs.share > 0,
        pairs.drop_ppm[:, None] * pairs.share,
        pairs.left_ppm * pairs.share,
        pairs.spanned * weighted,
        pairs.spanned * (weighted @ alike),
        (pairs.spanned @ alike) * weighted,
    ]
    added = np.add.reduceat(np.concatenate(amounts, axis=1)[order], starts, axis=0)
    counts, drop, left, own, before, after = added.reshape(len(starts), -1, size).transpose(1, 0, 2).reshape(len(amounts), -1)
    timed, both = pairs.timed[order].T, np.concatenate([pairs.share, pairs.reliable], axis=1)[order]
    ends = zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True)
    moments = np.stack([timed[:, low:high] @ both[low:high] for low, high in ends], axis=1)
    moment, reliable = (moments[:, :, part].reshape(len(timed), -1) for part in (slice(size), slice(size, None)))
    number, column = np.repeat(condition[order[starts]], size), np.tile(np.arange(size), len(starts))
    whole = ConditionSums(number, column, counts, drop, left, moment, reliable, own, before, after)
    return whole.only(np.flatnonzero(counts))
