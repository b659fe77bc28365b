"""Decode work that one thread hands to another (chunk type 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from navitas.parse.chunks import HANDOFFS, Chunk, integer_rows, serials_by_record
from navitas.parse.hook_calls import NO_NODE, Handoffs
from navitas.parse.serials import indexes

_LIMIT = 1 << 62
_MAX_NODE = (1 << 31) - 1


def decode_handoffs(groups: Mapping[int, Mapping[int, Sequence[Chunk]]], serials: Sequence[int]) -> tuple[Handoffs, int]:
    """Return all handoffs by start time, and the number of impossible records, which are left out.

    `groups` holds the chunks of each thread by type, and `serials` the serial of each thread of the run.
    """
    chunks = [chunk for by_type in groups.values() for chunk in by_type.get(HANDOFFS, ())]
    table = integer_rows(chunks, 5)
    serial, before = serials_by_record(chunks)
    start, end, origin, origin_ns, node = table.T
    possible = (origin > 0) & (origin < _LIMIT) & (origin_ns >= 0) & (start >= origin_ns) & (end >= start) & (end < _LIMIT)
    possible &= (node >= NO_NODE) & (node <= _MAX_NODE)
    kept = np.flatnonzero(possible)
    kept = kept[np.argsort(start[kept], kind="stable")]
    thread, by = indexes(serial[kept], serials), indexes(origin[kept] + before[kept], serials)
    handoffs = Handoffs(thread, start[kept], end[kept], by, origin_ns[kept], node[kept])
    return handoffs, len(table) - len(kept)
