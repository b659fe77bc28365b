"""The bytes that counters of network and storage count, by interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.attribute.curves import distinct
from navitas.parse.arrays import F64, I64
from navitas.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, Increments, IoCounters
from navitas.parse.reasons import Reason

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
