"""Share what was counted in intervals among the calls that were open in them (paper 4, equation 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import overlaps
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class Shared:
    """Shares of amounts: `amount[k]` of the interval `interval[k]` belongs to the call `call[k]`.

    `begin_ns` and `end_ns`: when the call was open in the interval. `rest` is the amount of each interval that no call has.
    Amounts may have columns.
    """

    call: I64
    interval: I64
    begin_ns: I64
    end_ns: I64
    amount: F64
    rest: F64


def shared_by_weight(begin_ns: I64, end_ns: I64, weight: F64, edges_ns: I64, amount: F64) -> Shared:
    """Share `amount[i]`, counted from `edges_ns[i]` to `edges_ns[i + 1]`, among the calls open in the interval.

    The share of call A is A' = w(A) / sum of w(x), where w(x) is the part of the weight of x that falls into the interval. With
    the calls' time as weight, this is equation 2 of paper 4. Amounts of intervals without a call are in `rest`.
    """
    counted = np.flatnonzero(amount.reshape(len(amount), -1).any(axis=1)) if len(amount) else np.empty(0, np.int64)
    low, high = edges_ns[:-1][counted], edges_ns[1:][counted]
    # A call belongs to the intervals that it overlaps. A call without length belongs to the one that it ends.
    first = np.searchsorted(high, np.minimum(begin_ns, end_ns - 1), side="right")
    last = np.searchsorted(low, end_ns, side="left") - 1
    call, place = overlaps(first, last)
    begin, end = np.maximum(begin_ns[call], low[place]), np.minimum(end_ns[call], high[place])
    length = np.maximum(end_ns - begin_ns, 1)[call]
    part = weight[call] * np.clip(np.maximum(end - begin, end_ns[call] <= begin_ns[call]), 0, None) / length
    sums = np.bincount(place, part, len(counted))
    share = np.divide(part, sums[place], out=np.zeros(len(part)), where=sums[place] > 0)
    rest = np.zeros_like(amount, np.float64)
    rest[counted[sums <= 0]] = amount[counted[sums <= 0]]
    taken = amount[counted[place]] * (share[:, None] if amount.ndim == 2 else share)
    return Shared(call, counted[place], begin, np.maximum(begin, end), taken, rest)
