"""Clock triples (chunk type 8): realtime and boottime turned into CLOCK_MONOTONIC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from navitas.parse.chunks import Chunk
from navitas.parse.tables import I64

_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Clocks:
    """Simultaneous readings of three clocks in ns, in monotonic order; boottime is -1 where it is unknown."""

    monotonic_ns: I64
    boottime_ns: I64
    realtime_ns: I64

    def from_realtime(self, t_ns: I64) -> I64 | None:
        """Monotonic times of realtimes: linear between triples, the nearest one's offset beyond; None without triples."""
        return _convert(t_ns, self.realtime_ns, self.monotonic_ns)

    def from_boottime(self, t_ns: I64) -> I64 | None:
        """Monotonic times of boottimes; None when no triple knows boottime."""
        known = self.boottime_ns != _UNKNOWN
        return _convert(t_ns, self.boottime_ns[known], self.monotonic_ns[known])


def decode_triples(chunks: Iterable[Chunk]) -> Clocks:
    """All triples of a run; impossible (negative) ones are left out."""
    triples = np.frombuffer(b"".join(chunk.payload for chunk in chunks), "<i8").astype(np.int64).reshape(-1, 3)
    triples = triples[(triples[:, 0] >= 0) & (triples[:, 1] >= _UNKNOWN) & (triples[:, 2] >= 0)]
    triples = triples[np.argsort(triples[:, 0], kind="stable")]
    return Clocks(triples[:, 0], triples[:, 1], triples[:, 2])


def _convert(t_ns: I64, source: I64, target: I64) -> I64 | None:
    """Interpolate the offset, not the time: offsets are small, so float64 loses nothing that matters."""
    if not len(source):
        return None
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    offset = target - source
    drift = np.interp((t_ns - source[0]).astype(np.float64), (source - source[0]).astype(np.float64), offset - offset[0])
    monotonic: I64 = t_ns + offset[0] + np.rint(drift).astype(np.int64)
    return monotonic
