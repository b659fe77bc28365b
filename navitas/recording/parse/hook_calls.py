"""Tables of the API hooks: what calls of the platform did (chunk type 6), and work handed to other threads (chunk type 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from navitas.recording.parse.arrays import I32, I64, U8, Bool, ColumnTable
from navitas.recording.parse.chunks import Chunk, indexes, integer_rows, serials_by_record

NO_NODE = -1
"""The `node` of a call that was recorded as events."""


class HookKind(IntEnum):
    """What an API call used. From `GNSS` on, kinds are started and stopped."""

    NET_READ = 1
    NET_WRITE = 2
    FILE_READ = 3
    FILE_WRITE = 4
    FILE_SYNC = 5
    DATABASE = 6
    PREFERENCES = 7
    LOOPBACK_READ = 8
    LOOPBACK_WRITE = 9
    GNSS = 16
    CAMERA = 17
    FLASHLIGHT = 18
    BLUETOOTH_SCAN = 19
    BLUETOOTH_LINK = 20
    AUDIO = 21
    VIDEO = 22
    SENSOR = 23
    WAKE_LOCK = 24
    WIFI_LOCK = 25
    WIFI_SCAN = 26


NETWORK = (HookKind.NET_READ, HookKind.NET_WRITE)
LOOPBACK = (HookKind.LOOPBACK_READ, HookKind.LOOPBACK_WRITE)
"""Bytes of connections within the device. They cross no radio."""
STORAGE = (HookKind.FILE_READ, HookKind.FILE_WRITE, HookKind.FILE_SYNC, HookKind.DATABASE, HookKind.PREFERENCES)
WITHOUT_BYTES = (HookKind.FILE_SYNC, HookKind.DATABASE, HookKind.PREFERENCES)
"""Kinds of calls that use storage and record no bytes."""


@dataclass(frozen=True, slots=True)
class HookCalls(ColumnTable):
    """One row for each hooked call of a run, sorted by `start_ns`.

    - `thread`: index in `RunTables.threads`.
    - `amount`: bytes; for sensors their current in µA; else 0.
    - `kind`: `HookKind`. Other values are of newer versions and are ignored.
    - `is_stop`: whether the call stops what a call with the same `kind` and `handle` started.
    - `node`: the call's node in the thread's fold table, `NO_NODE` with events.
    - `handle`: the object used (a socket, a file, a device), unique in the process.
    """

    thread: I64
    start_ns: I64
    end_ns: I64
    amount: I64
    kind: U8
    is_stop: Bool
    node: I32
    handle: I64


@dataclass(frozen=True, slots=True)
class Handoffs(ColumnTable):
    """Work that one thread handed to another: it ran on `thread` from `run_start_ns` to `run_end_ns`.

    The thread `origin` handed it over at `origin_ns`, in the call `origin_node` of its fold table (`NO_NODE` with events).
    Threads are indexes in `RunTables.threads`; -1 is an unknown thread. Rows are sorted by `run_start_ns`; of rows of one thread
    with the same start, inner work precedes the work that contains it.
    """

    thread: I64
    run_start_ns: I64
    run_end_ns: I64
    origin: I64
    origin_ns: I64
    origin_node: I64


_RECORD = np.dtype(
    [("start", "<i8"), ("end", "<i8"), ("amount", "<i8"), ("kind", "<u2"), ("flags", "<u2"), ("node", "<i4"), ("handle", "<i8")]
)
_STOP = 1
_NO_TIME = 1 << 62
_MAX_NODE = (1 << 31) - 1


def decode_hooks(chunks: Sequence[Chunk], serials: Sequence[int]) -> tuple[HookCalls, int, dict[int, int]]:
    """Return all API calls, and how many records were left out: impossible ones, and those of each unknown kind.

    `chunks` are those of type 6, and `serials` the serial of each thread of the run. Records of other threads are impossible.
    """
    table = np.frombuffer(b"".join(chunk.payload for chunk in chunks), _RECORD)
    counts = [chunk.count for chunk in chunks]
    thread = indexes(np.repeat(np.array([chunk.serial for chunk in chunks], np.int64), counts), serials)
    # Handles are unique within a process only.
    handle = table["handle"] + (np.repeat(np.array([chunk.process for chunk in chunks], np.int64), counts) << 48)
    start, end = table["start"], table["end"]
    possible = (start >= 0) & (end >= start) & (end < _NO_TIME) & (table["amount"] >= 0) & (table["node"] >= NO_NODE)
    possible &= thread >= 0
    known = np.isin(table["kind"], [int(kind) for kind in HookKind])
    kinds, times = np.unique(table["kind"][possible & ~known], return_counts=True)
    kept = np.flatnonzero(possible & known)
    kept = kept[np.argsort(start[kept], kind="stable")]
    calls = HookCalls(
        thread=thread[kept],
        start_ns=start[kept].astype(np.int64),
        end_ns=end[kept].astype(np.int64),
        amount=table["amount"][kept].astype(np.int64),
        kind=table["kind"][kept].astype(np.uint8),
        is_stop=(table["flags"][kept] & _STOP) != 0,
        node=table["node"][kept].astype(np.int32),
        handle=handle[kept],
    )
    return calls, int(np.count_nonzero(~possible)), dict(zip(kinds.tolist(), times.tolist(), strict=True))


def decode_handoffs(chunks: Sequence[Chunk], serials: Sequence[int]) -> tuple[Handoffs, int]:
    """Return all handoffs by start time, and the number of impossible records, which are left out.

    `chunks` are those of type 9, and `serials` the serial of each thread of the run.
    """
    table = integer_rows(chunks, 5)
    serial, before = serials_by_record(chunks)
    start, end, origin, origin_ns, node = table.T
    possible = (origin > 0) & (origin < _NO_TIME) & (origin_ns >= 0) & (start >= origin_ns) & (end >= start) & (end < _NO_TIME)
    possible &= (node >= NO_NODE) & (node <= _MAX_NODE)
    kept = np.flatnonzero(possible)
    kept = kept[np.argsort(start[kept], kind="stable")]
    thread, by = indexes(serial[kept], serials), indexes(origin[kept] + before[kept], serials)
    handoffs = Handoffs(thread, start[kept], end[kept], by, origin_ns[kept], node[kept])
    return handoffs, len(table) - len(kept)
