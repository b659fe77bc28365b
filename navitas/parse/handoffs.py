"""Work that one thread hands to another (chunk type 9) as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.parse.arrays import I64
from navitas.parse.chunks import HANDOFFS, Chunk

_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Handoffs:
    """Work of a run that was handed over, by start time.

    Thread `serial` ran it from `start_ns` to `end_ns`. Thread `origin` had handed it over at `origin_ns`.
    """

    serial: I64
    start_ns: I64
    end_ns: I64
    origin: I64
    origin_ns: I64

    def __len__(self) -> int:
        return len(self.start_ns)


def decode_handoffs(groups: Mapping[int, Mapping[int, Sequence[Chunk]]]) -> tuple[Handoffs, int]:
    """Return all handoffs, and the number of impossible records, which are left out.

    `groups` holds the chunks of each thread by type.
    """
    chunks = [chunk for by_type in groups.values() for chunk in by_type.get(HANDOFFS, ())]
    counts = [chunk.count for chunk in chunks]
    table = np.frombuffer(b"".join(chunk.payload for chunk in chunks), "<i8").astype(np.int64).reshape(-1, 4)
    serial = np.repeat(np.array([chunk.serial for chunk in chunks], np.int64), counts)
    # Serials in the payload are those of the process; the run's serials continue after those of earlier processes.
    before = np.repeat(np.array([chunk.serials_before for chunk in chunks], np.int64), counts)
    start, end, origin, origin_ns = table.T
    possible = (origin > 0) & (origin < _LIMIT) & (origin_ns >= 0) & (start >= origin_ns) & (end >= start) & (end < _LIMIT)
    kept = np.flatnonzero(possible)
    kept = kept[np.argsort(start[kept], kind="stable")]
    handoffs = Handoffs(serial[kept], start[kept], end[kept], origin[kept] + before[kept], origin_ns[kept])
    return handoffs, len(table) - len(kept)
