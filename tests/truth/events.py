"""The runtime's data of a thread: its call events, and anchors at the times at which it reads the thread's clock."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from support import chunk_writer as cw
from support.thread_events import clock_reads

from truth.work import Thread

_PER_CHUNK = 8192
_IN_EVENTS = 0xFFFFFFFF
_HANDOFFS = 9


def anchors_of(thread: Thread) -> list[tuple[int, int]]:
    """Readings (time, CPU ns) of the thread's clock."""
    reads = clock_reads((t_ns, kind) for t_ns, kind, _, _ in thread.events)
    return [(thread.events[number][0], thread.events[number][3]) for number in reads]


def thread_chunks(thread: Thread, ids: Mapping[str, int], *, serial: int, map_id: int, t0_ns: int, anchored: bool) -> list[bytes]:
    """The thread's chunks. Times are offsets from `t0_ns`."""
    chunks = []
    times = np.array([event[0] for event in thread.events], np.int64) + t0_ns
    kinds = np.array([event[1] for event in thread.events], np.uint64)
    methods = np.array([ids[event[2]] for event in thread.events], np.uint64)
    for seq, low in enumerate(range(0, len(times), _PER_CHUNK)):
        part = slice(low, low + _PER_CHUNK)
        base_ns = int(times[low])
        words = kinds[part] << np.uint64(62) | methods[part] << np.uint64(40) | (times[part] - base_ns).astype(np.uint64)
        chunks.append(
            cw.chunk(
                cw.CALLS,
                words.astype("<u8").tobytes(),
                len(words),
                map_id=map_id,
                base_ns=base_ns,
                seq=seq,
                serial=serial,
                tid=thread.tid,
                name=thread.name,
            )
        )
    anchors = anchors_of(thread) if anchored else []
    if anchors:
        data = cw.anchors_payload((t_ns + t0_ns, cpu_ns) for t_ns, cpu_ns in anchors)
        chunks.append(cw.chunk(cw.ANCHORS, data, len(anchors), serial=serial, tid=thread.tid, name=thread.name))
    return chunks


def message_chunks(thread: Thread, serials: Mapping[Thread, int], *, t0_ns: int) -> list[bytes]:
    """The thread's messages between modules, and the work that others handed to it."""
    chunks: list[bytes] = []

    def add(kind: int, payload: bytes, count: int) -> None:
        chunks.append(cw.chunk(kind, payload, count, serial=serials[thread], tid=thread.tid, name=thread.name))

    if thread.messages:
        rows = [
            (t_ns + t0_ns, said.token, said.kind, said.flags, said.period_ms, _IN_EVENTS, said.module, said.target, said.action)
            for t_ns, said in thread.messages
        ]
        add(cw.COMMUNICATIONS, cw.communications_payload(rows), len(rows))
    if thread.handed:
        tasks = [(a + t0_ns, b + t0_ns, serials[origin], at + t0_ns, -1) for a, b, origin, at in thread.handed]
        add(_HANDOFFS, cw.handoffs_payload(tasks), len(tasks))
    return chunks
