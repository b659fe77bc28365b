"""The events of a method trace as chunks of a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.importing.art_trace import ArtThread
from navitas.importing.chunk_writer import anchor_chunks, call_chunks, marker_chunk, triple_chunk
from navitas.parse.arrays import I64
from navitas.parse.tables import ENTER

_ANCHOR_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class PlacedThread:
    """A thread, its tid (0: unknown), and the method ids of its events."""

    thread: ArtThread
    tid: int
    method: I64


def traced_chunks(threads: Sequence[PlacedThread], start_ns: int, map_id: int, *, has_triples: bool) -> Iterator[bytes]:
    """Yield the chunks of a run. The method trace began at `start_ns`. `has_triples`: boottime is monotonic time."""
    for serial, one in enumerate(threads, 1):
        thread = one.thread
        t_ns = start_ns + thread.t_ns
        yield from call_chunks(t_ns, thread.kind, one.method, map_id=map_id, serial=serial, tid=one.tid, name=thread.name)
        if thread.cpu_ns is not None:
            at = _anchors(thread)
            yield from anchor_chunks(t_ns[at], thread.cpu_ns[at], serial=serial, tid=one.tid, name=thread.name)
    first = start_ns + min(int(one.thread.t_ns[0]) for one in threads)
    last = start_ns + max(int(one.thread.t_ns[-1]) for one in threads)
    yield marker_chunk(first, last)
    if has_triples:
        yield triple_chunk([(t_ns, t_ns, 0) for t_ns in (first, last)])


def _anchors(thread: ArtThread) -> I64:
    """The events whose CPU time is kept: of outermost calls, and the first one of each millisecond."""
    depth = np.cumsum(np.where(thread.kind == ENTER, 1, -1))
    depth -= min(int(depth.min()), 0)
    outermost = (depth == 0) | ((thread.kind == ENTER) & (depth == 1))
    fresh = np.diff(thread.t_ns // _ANCHOR_NS, prepend=-1) > 0
    return np.flatnonzero(outermost | fresh)
