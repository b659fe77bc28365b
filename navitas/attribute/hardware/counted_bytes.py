"""The bytes that counters of network and storage count, by interval."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import distinct
from navitas.parse.arrays import F64, I64
from navitas.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, Increments, IoCounters
from navitas.parse.reasons import Reason


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
