"""The bytes that counters of network and storage count, by interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.curves import distinct, overlaps
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, Increments, IoCounters
from navitas.recording.parse.reasons import Reason

PAYLOAD_BYTES = 1448
"""The most bytes of a connection in one packet."""
MOST_HEADERS = 0.15
"""The most that headers and acknowledgements add to the bytes of calls."""
_HEADER_BYTES = 52


def grown_bytes(counter: Increments) -> F64:
    """Received and sent bytes of each interval."""
    return counter.growth[:, [RECEIVED_BYTES, SENT_BYTES]]


def lasting(surplus: F64) -> F64:
    """The part of each interval's surplus that later deficits do not make up for.

    A counter may be ahead of the calls (data waits in a buffer to be read) or behind them (it waits to be sent).
    """
    lowest = np.minimum.accumulate(np.cumsum(surplus)[::-1])[::-1]
    return np.diff(np.maximum(lowest, 0.0), prepend=0.0)


def bytes_of_others(own: Increments, device: list[Increments]) -> list[tuple[I64, F64]]:
    """What the device's counters show beyond the app's."""
    pools = []
    if device and len(own.edges_ns):
        whole = sum_of(device)
        app = _cumulative(own, whole.edges_ns)
        beyond = np.stack([lasting(column) for column in (whole.growth - np.diff(app, axis=0)).T], axis=1)
        pools.append((whole.edges_ns, beyond[:, [RECEIVED_BYTES, SENT_BYTES]]))
    return pools


def without_loopback(own: Increments, end_ns: I64, moved: F64, outside: F64) -> Increments:
    """The growth of the app's counter without bytes that stayed on the device.

    Android counts them for the app, too (its own test TrafficStatsTest.testTrafficStatsForLocalhost), as packets of 1,500 bytes
    (netd.c, bpf_traffic_account). `end_ns` and `moved` (received, sent) are of the calls that moved them. `outside` is what all
    other calls moved. A counter without loopback shows no more than that: it keeps what they moved.
    """
    interval = np.searchsorted(own.edges_ns, end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(own.growth))
    growth, counted = own.growth.copy(), grown_bytes(own)
    for column, into in enumerate((RECEIVED_BYTES, SENT_BYTES)):
        # Calls may move single bytes, so packets are those of all calls in an interval.
        stayed = np.bincount(interval[inside], moved[inside, column], len(growth))
        left = lasting(counted[:, column] - stayed - _HEADER_BYTES * np.ceil(stayed / PAYLOAD_BYTES))
        least, most = min(float(outside[column]), float(counted[:, column].sum())), float(counted[:, column].sum())
        if left.sum() < least:
            left += (counted[:, column] - left) * ((least - left.sum()) / (most - left.sum()))
        growth[:, into] = left
    return replace(own, growth=growth)


def at_most_of(own: Increments, device: list[Increments]) -> tuple[Increments, float]:
    """The growth of the app's counter without what no interface of the device carried, and its share of the app's bytes."""
    if not device or not len(own.edges_ns):
        return own, 0.0
    whole = sum_of(device)
    app = np.diff(_cumulative(own, whole.edges_ns), axis=0)
    columns = [RECEIVED_BYTES, SENT_BYTES]
    beyond = np.zeros_like(app)
    beyond[:, columns] = np.stack([lasting(column) for column in (app - whole.growth)[:, columns].T], axis=1)
    counted = float(grown_bytes(own).sum())
    share = float(beyond.sum()) / counted if counted else 0.0
    taken = np.diff(_cumulative(replace(whole, growth=beyond), own.edges_ns), axis=0)
    return replace(own, growth=np.stack([lasting(column) for column in (own.growth - taken).T], axis=1)), share


def sum_of(counters: list[Increments]) -> Increments:
    """The growth of several counters between the readings of all of them."""
    edges = distinct(np.concatenate([each.edges_ns for each in counters]))
    growth = np.zeros((max(len(edges) - 1, 0), counters[0].growth.shape[1]))
    for each in counters:
        growth += np.diff(_cumulative(each, edges), axis=0)
    return Increments(edges, growth, 0, 0)


def _cumulative(counter: Increments, t_ns: I64) -> F64:
    total = np.concatenate([np.zeros((1, counter.growth.shape[1])), np.cumsum(counter.growth, axis=0)])
    return np.stack([np.interp(t_ns - t_ns[0], counter.edges_ns - t_ns[0], column) for column in total.T], axis=1)


def restarts(counters: list[tuple[IoCounters, Increments]]) -> list[Reason]:
    """Counters that went back, by name."""
    reasons = []
    for each, found in counters:
        for count, what in ((found.wraps, "wrapped at 32 bits"), (found.resets, "restarted")):
            if count:
                reasons.append(Reason("counter_went_back", f"{each.name} {what} {count} ×: its growth counts from there"))
    return reasons


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
