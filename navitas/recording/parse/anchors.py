"""Anchors (chunk type 2) and mounts (chunk type 11): readings of a thread's own CPU clock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.recording.parse.arrays import I64
from navitas.recording.parse.chunks import Chunk, integer_rows
from navitas.recording.parse.tables import CpuClock

NO_CLOCK = CpuClock(np.empty(0, np.int64), np.empty(0, np.int64))


def decode_anchors(anchors: Sequence[Chunk], mounts: Sequence[Chunk] = ()) -> CpuClock:
    """Return one thread's readings from its chunks, which must be in order. Negative readings are dropped."""
    pairs = integer_rows(anchors, 2)
    if mounts:
        pairs = np.concatenate([pairs, integer_rows(mounts, 3)[:, :2]])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    return cpu_clock(pairs[:, 0], pairs[:, 1])


def cpu_clock(t_ns: I64, cpu_ns: I64) -> CpuClock:
    """Return a clock from readings in recording order. Both columns become non-decreasing."""
    return CpuClock(np.maximum.accumulate(t_ns), np.maximum.accumulate(cpu_ns))
