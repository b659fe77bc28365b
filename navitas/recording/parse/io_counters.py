"""Cumulative counters of network and storage traffic, and their increments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from navitas.recording.parse.arrays import F64, I64

Medium = Literal["network", "wifi", "mobile", "storage", "unknown"]
"""What the bytes crossed. `network`: any interface. `unknown`: an interface of an unknown kind."""
RECEIVED_BYTES, RECEIVED_PACKETS, SENT_BYTES, SENT_PACKETS = range(4)

_WORD = 1 << 32
_HALF = 1 << 31


@dataclass(frozen=True, slots=True)
class IoCounters:
    """Readings of one source's counters, as read: they may restart.

    - `name`: the file and the interface or disk, such as `/proc/net/dev wlan0`.
    - `scope`: whether the app's traffic is counted, or that of the whole device.
    - `value`: one row for each time. Columns: received bytes, received packets, sent bytes, sent packets; of storage: bytes
      read, reads, bytes written, writes. Columns that the source does not count are 0.
    """

    name: str
    scope: Literal["app", "device"]
    medium: Medium
    t_ns: I64
    value: I64


@dataclass(frozen=True, slots=True)
class Increments:
    """Growth of counters: row i is from `edges_ns[i]` to `edges_ns[i + 1]`. No value is negative.

    `wraps` and `resets`: how often a column went back because 32 bits were full, or because counting restarted.
    """

    edges_ns: I64
    growth: F64
    wraps: int
    resets: int


def increments(counters: IoCounters) -> Increments:
    """Return the growth between readings.

    A counter that goes back has wrapped if it went from the upper to the lower half of 32 bits. Otherwise it restarted at 0,
    so its new value is the growth. Readings at the time of an earlier one are left out.
    """
    order = np.argsort(counters.t_ns, kind="stable")
    t_ns = counters.t_ns[order]
    kept = np.append(np.diff(t_ns) > 0, True)[: len(t_ns)]  # of several readings at one time, the last
    t_ns, value = t_ns[kept], counters.value[order][kept]
    if len(t_ns) < 2:
        return Increments(t_ns, np.zeros((0, value.shape[1] if value.ndim == 2 else 4)), 0, 0)
    before, after = value[:-1], value[1:]
    growth = after - before
    back = growth < 0
    wrapped = back & (before < _WORD) & (before >= _HALF) & (after < _HALF)
    growth = np.where(wrapped, growth + _WORD, np.where(back, after, growth))
    return Increments(t_ns, np.maximum(growth, 0).astype(np.float64), int(wrapped.sum()), int((back & ~wrapped).sum()))
