"""Anchors (chunk type 2): readings of a thread's own CPU clock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.parse.arrays import I64
from navitas.parse.chunks import Chunk
from navitas.parse.tables import CpuClock

NO_CLOCK = CpuClock(np.empty(0, np.int64), np.empty(0, np.int64))


def decode_anchors(chunks: Sequence[Chunk]) -> CpuClock:
    """One thread's anchors from its chunks in order; impossible (negative) readings are left out."""
    pairs = np.frombuffer(b"".join(chunk.payload for chunk in chunks), "<i8").astype(np.int64).reshape(-1, 2)
    pairs = pairs[(pairs >= 0).all(axis=1)]
    return cpu_clock(pairs[:, 0], pairs[:, 1])


def cpu_clock(t_ns: I64, cpu_ns: I64) -> CpuClock:
    """A clock of readings in the order they were made; both columns are made non-decreasing."""
    return CpuClock(np.maximum.accumulate(t_ns), np.maximum.accumulate(cpu_ns))
