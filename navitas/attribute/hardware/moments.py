"""When the bytes of calls crossed the air: a call may write into a buffer that is sent later, or read what came earlier."""

from __future__ import annotations

from typing import Literal

import numpy as np

from navitas.parse.arrays import F64, I64

_FINE_NS = 500_000_000
_QUANTILE = 0.25


def times_on_the_air(moved: F64, spans_ns: tuple[I64, I64], edges_ns: I64, grown: F64) -> tuple[I64, I64]:
    """Begin and end of each call's bytes on the air, by counters read at `edges_ns`.

    `moved` has the received and the sent bytes of each call, and `grown` those of each interval. Bytes keep their order: the
    first byte that calls sent is the first one that was counted. Calls without counted bytes, and all calls if the counters are
    too old to show when bytes crossed, keep their spans.
    """
    begin, end = spans_ns
    if not len(moved) or not _are_fine(edges_ns, grown):
        return begin, end
    order = np.argsort(end, kind="stable")
    begin, end = begin.copy(), end.copy()
    main = np.argmax(moved, axis=1)
    for column in range(2):
        total = np.concatenate([[0.0], np.cumsum(grown[:, column])])
        passed = np.cumsum(moved[order, column])
        if total[-1] <= 0 or passed[-1] <= 0:
            continue
        # Rounding, and bytes before the first reading, must not shift the rest.
        scale = total[-1] / passed[-1]
        rows = main[order] == column
        chosen = order[rows]
        last = passed[rows] * scale
        first = last - moved[chosen, column] * scale
        begin[chosen] = _reached(total, edges_ns, first, side="right")
        end[chosen] = np.maximum(_reached(total, edges_ns, last, side="left"), begin[chosen])
    return begin, end


def _are_fine(edges_ns: I64, grown: F64) -> bool:
    """Whether readings show growth soon after it: at least a quarter of them come within 500 ms after the growth before.

    A device may keep the values of its counters for a second (Android 15), so they grow in steps however often they are read. In
    a burst, fresh counters grow with each reading; pauses between bursts do not count against them.
    """
    used = np.flatnonzero(grown.any(axis=1))
    if not len(used):
        return False
    steps_ns = np.diff(edges_ns[np.append(0, used + 1)])
    return bool(np.quantile(steps_ns, _QUANTILE, method="lower") <= _FINE_NS)


def _reached(total: F64, edges_ns: I64, amount: F64, side: Literal["left", "right"]) -> I64:
    """When a counter reached amounts: before an interval without growth (`left`), or after it (`right`)."""
    place = np.searchsorted(total, amount, side=side)
    high = np.clip(place, 1, len(total) - 1)
    low = high - 1
    step = total[high] - total[low]
    share = np.divide(amount - total[low], step, out=np.zeros(len(amount)), where=step > 0)
    length = edges_ns[high] - edges_ns[low]
    return np.asarray(edges_ns[low] + np.rint(np.clip(share, 0.0, 1.0) * length).astype(np.int64))
