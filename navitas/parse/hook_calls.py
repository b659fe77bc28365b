"""Tables of the API hooks: what calls of the platform did (chunk type 6), and work handed to other threads (chunk type 9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from navitas.parse.arrays import I32, I64, U8, Bool

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
class HookCalls:
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

    def __len__(self) -> int:
        return len(self.thread)


@dataclass(frozen=True, slots=True)
class Handoffs:
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

    def __len__(self) -> int:
        return len(self.thread)
