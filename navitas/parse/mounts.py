"""Decode mounts of virtual threads (chunk type 11): which thread carried which virtual thread, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from navitas.parse.arrays import I64, Bool
from navitas.parse.chunks import MOUNTS, Chunk, integer_rows
from navitas.parse.serials import indexes
from navitas.parse.tables import Mounts
from navitas.parse.threads import ProbedThread

_LATEST = np.iinfo(np.int64).max


def decode_mounts(
    groups: Mapping[int, Mapping[int, Sequence[Chunk]]], probed: Sequence[ProbedThread], serials: Sequence[int]
) -> Mounts | None:
    """Return all mounts, or None if there are none.

    A carrier's record says which virtual thread it carries from then on (0: none). The end of a thread's first mount has no
    record. It is at the carrier's next record, at the thread's next mount, or at the thread's last data, whichever is first.
    """
    chunks = [chunk for by_type in groups.values() for chunk in by_type.get(MOUNTS, ())]
    if not chunks:
        return None
    counts = [chunk.count for chunk in chunks]
    t_ns, _, serial = integer_rows(chunks, 3).T
    # Serials in the payload are those of the process; the run's serials continue after those of earlier processes.
    before = np.repeat(np.array([chunk.serials_before for chunk in chunks], np.int64), counts)
    carrier = indexes(np.repeat(np.array([chunk.serial for chunk in chunks], np.int64), counts), serials)
    thread = np.where(serial > 0, indexes(serial + before, serials), -1)
    order = np.lexsort((t_ns, carrier))
    order = order[(carrier[order] >= 0) & (t_ns[order] >= 0)]
    carrier, thread, t_ns, is_end = carrier[order], thread[order], t_ns[order], serial[order] == 0
    has_next = np.append(np.diff(carrier) == 0, False)[: len(carrier)]
    next_ns = np.where(has_next, np.append(t_ns[1:], 0)[: len(t_ns)], _LATEST)
    is_seen = has_next & np.append(is_end[1:], False)[: len(is_end)]
    last_ns = _last_ns(probed, serials)
    begun = np.flatnonzero((thread >= 0) & (last_ns[thread] >= 0))
    carrier, thread, start_ns, is_seen = carrier[begun], thread[begun], t_ns[begun], is_seen[begun]
    end_ns = np.where(is_seen, next_ns[begun], np.minimum(next_ns[begun], np.maximum(last_ns[thread], start_ns)))
    end_ns = np.minimum(end_ns, _next_starts(thread, start_ns))
    kept = end_ns > start_ns
    is_open = ~is_seen & (end_ns < last_ns[thread])
    unseen_ns = _unseen_ns(carrier[kept & is_open], end_ns[kept & is_open], probed, serials)
    return Mounts(carrier[kept], thread[kept], start_ns[kept], end_ns[kept], unseen_ns)


def _last_ns(probed: Sequence[ProbedThread], serials: Sequence[int]) -> I64:
    """The time of each virtual thread's last data; -1 for others, which have a clock of their own or no probes."""
    of_serial = {thread.serial: thread.end_ns for thread in probed if not (thread.tid or len(thread.anchors.t_ns))}
    return np.array([of_serial.get(serial, -1) for serial in serials], np.int64)


def _next_starts(thread: I64, start_ns: I64) -> I64:
    """The start of each thread's next mount."""
    order = np.lexsort((start_ns, thread))
    starts = np.full(len(thread), _LATEST)
    is_followed: Bool = np.diff(thread[order]) == 0
    starts[order[:-1][is_followed]] = start_ns[order[1:][is_followed]]
    return starts


def _unseen_ns(carrier: I64, end_ns: I64, probed: Sequence[ProbedThread], serials: Sequence[int]) -> int:
    """The CPU time from the carrier's last reading in each mount to its next one."""
    clocks = {thread.serial: thread.anchors for thread in probed}
    total = 0
    for number in np.unique(carrier).tolist():
        clock = clocks[serials[number]]
        after = np.minimum(np.searchsorted(clock.t_ns, end_ns[carrier == number], "left"), len(clock.t_ns) - 1)
        total += int((clock.cpu_ns[after] - clock.cpu_ns[after - 1]).sum())
    return total
