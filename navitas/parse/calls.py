"""Full call events (chunk type 1) as columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.parse.chunks import Chunk
from navitas.parse.methodmap import Span
from navitas.parse.tables import Calls

_DELTA_BITS, _KIND_SHIFT = 40, 62
_DELTA_MASK = np.uint64((1 << _DELTA_BITS) - 1)
_METHOD_MASK = np.uint64((1 << (_KIND_SHIFT - _DELTA_BITS)) - 1)

NO_CALLS = Calls(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.int32))


def decode_calls(chunks: Sequence[Chunk], known: dict[int, Span]) -> tuple[Calls, int]:
    """One thread's events from its chunks in order, and how many were dropped for a method id that is in no map.

    Times are made non-decreasing. Every chunk's map must be in `known` (`methodmap.check_maps`).
    """
    if not chunks:
        return NO_CALLS, 0
    total = sum(chunk.count for chunk in chunks)
    t_ns = np.empty(total, np.int64)
    kind = np.empty(total, np.uint8)
    method = np.empty(total, np.int32)
    bad: list[tuple[int, int]] = []
    at = 0
    for chunk in chunks:
        to = at + chunk.count
        words = np.frombuffer(chunk.payload, "<u8")
        span = known[chunk.map_id]
        t_ns[at:to] = words & _DELTA_MASK
        t_ns[at:to] += chunk.base_ns
        kind[at:to] = words >> np.uint64(_KIND_SHIFT)
        method[at:to] = (words >> np.uint64(_DELTA_BITS)) & _METHOD_MASK
        if to > at and method[at:to].max() >= span.size:
            bad.append((at, to))
            # Out of every map's range, so that the rows are found again below.
            method[at:to][method[at:to] >= span.size] = -1 - span.base
        method[at:to] += span.base
        at = to
    if bad:
        keep = method >= 0
        t_ns, kind, method = t_ns[keep], kind[keep], method[keep]
    if (t_ns[1:] < t_ns[:-1]).any():
        np.maximum.accumulate(t_ns, out=t_ns)
    return Calls(t_ns, kind, method), total - len(t_ns)
