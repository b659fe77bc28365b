"""Decode mounts of virtual threads (chunk type 11): which thread carried which virtual thread, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.chunks import Chunk, indexes, integer_rows, serials_by_record
from navitas.recording.parse.tables import ENTER, RESUME, Mounts
from navitas.recording.parse.threads import ProbedThread

_LATEST = np.iinfo(np.int64).max
_BLOCK = 1 << 16


def decode_mounts(
    chunks: Sequence[Chunk], probed: Sequence[ProbedThread], serials: Sequence[int], run_end_ns: int
) -> Mounts | None:
    """Return the mounts on threads with a clock from the chunks of type 11, or None if there are none.

    A carrier's record says which virtual thread it carries from then on (0: none). The end of a thread's first mount has no
    record, and others can be lost. Such a mount ends at the carrier's next record, at the thread's next mount, or at the
    thread's last data, whichever is first. A mount without any later record lasts until the run's end, unless it is the first
    one of a thread that is in no call.
    """
    chunks = [chunk for chunk in chunks if chunk.count]
    if not chunks:
        return None
    threads = _Threads.of(probed, serials)
    t_ns, cpu_ns, serial = integer_rows(chunks, 3).T
    carrier_serial, before = serials_by_record(chunks)
    carrier = indexes(carrier_serial, serials)
    thread = np.where(serial > 0, indexes(serial + before, serials), -1)
    follows = np.ones(len(t_ns), bool)
    firsts = np.cumsum([0, *(chunk.count for chunk in chunks[:-1])])
    follows[firsts[[not _follows(*pair) for pair in pairwise([None, *chunks])]]] = False
    order = np.lexsort((t_ns, carrier))
    order = order[(t_ns[order] >= 0) & (cpu_ns[order] >= 0) & threads.has_clock[carrier[order]] & (carrier[order] >= 0)]
    carrier, thread, t_ns, is_end, follows = carrier[order], thread[order], t_ns[order], serial[order] == 0, follows[order]
    has_next = np.append(np.diff(carrier) == 0, False)[: len(carrier)]
    next_ns = np.where(has_next, np.append(t_ns[1:], 0)[: len(t_ns)], _LATEST)
    is_seen = has_next & np.append((is_end & follows)[1:], False)[: len(is_end)]
    begun = np.flatnonzero((thread >= 0) & threads.is_virtual[thread])
    carrier, thread, start_ns, is_seen, next_ns = carrier[begun], thread[begun], t_ns[begun], is_seen[begun], next_ns[begun]
    is_first, next_start_ns = _in_turn(thread, start_ns)
    is_last = next_ns == _LATEST
    lasts = is_last & (~is_first | threads.in_call(np.unique(thread[is_last]))[thread])
    last_ns = np.where(lasts, run_end_ns, np.maximum(threads.last_ns[thread], start_ns))
    end_ns = np.minimum(np.where(is_seen, next_ns, np.minimum(next_ns, last_ns)), next_start_ns)
    kept = end_ns > start_ns
    is_open = kept & ~is_seen & ((end_ns < last_ns) | (lasts & is_first))
    unseen_ns = _unseen_ns(carrier[is_open], end_ns[is_open], threads)
    return Mounts(carrier[kept], thread[kept], start_ns[kept], end_ns[kept], unseen_ns) if kept.any() else None


def _follows(before: Chunk | None, chunk: Chunk | None) -> bool:
    """Whether no record is missing between two chunks."""
    assert chunk is not None
    if before is None or (before.process, before.serial) != (chunk.process, chunk.serial):
        return chunk.seq == 0 and not chunk.lost_before
    return chunk.seq == before.seq + 1 and not chunk.lost_before


@dataclass(frozen=True, slots=True)
class _Threads:
    """What mounts need of the run's threads, by index. Times are of a virtual thread's last data."""

    probed: Sequence[ProbedThread | None]
    has_clock: Bool
    is_virtual: Bool
    last_ns: I64

    @classmethod
    def of(cls, probed: Sequence[ProbedThread], serials: Sequence[int]) -> _Threads:
        """Find the probed threads with these serials."""
        by_serial = {thread.serial: thread for thread in probed}
        found = [by_serial.get(serial) for serial in serials]
        has_clock = np.array([thread is not None and len(thread.anchors.t_ns) > 0 for thread in found], bool)
        is_virtual = np.array([thread is not None and not (thread.tid or len(thread.anchors.t_ns)) for thread in found], bool)
        return cls(found, has_clock, is_virtual, np.array([0 if thread is None else thread.end_ns for thread in found], np.int64))

    def in_call(self, chosen: I64) -> Bool:
        """Whether each thread's events end inside of a call. Only the chosen ones are looked at."""
        found = np.zeros(len(self.probed), bool)
        for place in chosen.tolist():
            thread = self.probed[place]
            if thread is not None:
                begins = [np.isin(block.kind, (ENTER, RESUME)) for block in thread.calls.blocks(_BLOCK)]
                found[place] = sum(2 * int(each.sum()) - len(each) for each in begins) > 0
        return found


def _in_turn(thread: I64, start_ns: I64) -> tuple[Bool, I64]:
    """Whether each mount is the first one of its thread, and the start of the thread's next one."""
    order = np.lexsort((start_ns, thread))
    is_same: Bool = np.diff(thread[order]) == 0
    is_first = np.ones(len(thread), bool)
    is_first[order[1:][is_same]] = False
    next_start_ns = np.full(len(thread), _LATEST)
    next_start_ns[order[:-1][is_same]] = start_ns[order[1:][is_same]]
    return is_first, next_start_ns


def _unseen_ns(carrier: I64, end_ns: I64, threads: _Threads) -> int:
    """The CPU time from the carrier's last reading in each mount to its next one."""
    total = 0
    for place in np.unique(carrier).tolist():
        thread = threads.probed[place]
        assert thread is not None, "it has a clock"
        clock = thread.anchors
        after = np.searchsorted(clock.t_ns, end_ns[carrier == place], "left").clip(0, len(clock.t_ns) - 1)
        total += int((clock.cpu_ns[after] - clock.cpu_ns[np.maximum(after - 1, 0)]).sum())
    return total
