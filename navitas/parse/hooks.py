"""Calls of input, output and device APIs (chunk type 6) as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from navitas.parse.arrays import I32, I64, U16, Bool
from navitas.parse.chunks import HOOKS, Chunk

NO_NODE = -1
_RECORD = np.dtype(
    [("start", "<i8"), ("end", "<i8"), ("amount", "<i8"), ("kind", "<u2"), ("flags", "<u2"), ("node", "<i4"), ("handle", "<i8")]
)
_STOP = 1
_NO_TIME = 1 << 62

HOOK_KINDS: Mapping[int, str] = MappingProxyType(
    {
        1: "net_read",
        2: "net_write",
        3: "file_read",
        4: "file_write",
        5: "file_sync",
        6: "database",
        7: "preferences",
        16: "gnss",
        17: "camera",
        18: "flashlight",
        19: "bluetooth_scan",
        20: "bluetooth_link",
        21: "audio",
        22: "video",
        23: "sensor",
        24: "wake_lock",
        25: "wifi_lock",
        26: "wifi_scan",
    }
)
"""Names of the kinds. From 16 on, a call starts a device, or stops it."""


@dataclass(frozen=True, slots=True)
class HookCalls:
    """API calls of a run by start time.

    `serial` is the thread's. `amount` is in bytes, and for sensors in µA. `node` is the call's node in the thread's `Folded`,
    or `NO_NODE` if the call is among its events. `handle` identifies the file, connection or device within the process.
    """

    serial: I64
    start_ns: I64
    end_ns: I64
    amount: I64
    kind: U16
    stops: Bool
    node: I32
    handle: I64

    def __len__(self) -> int:
        return len(self.start_ns)


def decode_hooks(groups: Mapping[int, Mapping[int, Sequence[Chunk]]]) -> tuple[HookCalls, int, dict[int, int]]:
    """Return all API calls, the number of impossible records, and the number of records by unknown kind; both are left out.

    `groups` holds the chunks of each thread by type.
    """
    chunks = [chunk for by_type in groups.values() for chunk in by_type.get(HOOKS, ())]
    table = np.frombuffer(b"".join(chunk.payload for chunk in chunks), _RECORD)
    counts = [chunk.count for chunk in chunks]
    serial = np.repeat(np.array([chunk.serial for chunk in chunks], np.int64), counts)
    # Handles are unique within a process only.
    handle = table["handle"] + (np.repeat(np.array([chunk.process for chunk in chunks], np.int64), counts) << 48)
    start, end = table["start"], table["end"]
    possible = (start >= 0) & (end >= start) & (end < _NO_TIME) & (table["amount"] >= 0) & (table["node"] >= NO_NODE)
    known = np.isin(table["kind"], list(HOOK_KINDS))
    kinds, times = np.unique(table["kind"][possible & ~known], return_counts=True)
    kept = np.flatnonzero(possible & known)
    kept = kept[np.argsort(start[kept], kind="stable")]
    calls = HookCalls(
        serial=serial[kept],
        start_ns=start[kept].astype(np.int64),
        end_ns=end[kept].astype(np.int64),
        amount=table["amount"][kept].astype(np.int64),
        kind=table["kind"][kept].astype(np.uint16),
        stops=(table["flags"][kept] & _STOP) != 0,
        node=table["node"][kept].astype(np.int32),
        handle=handle[kept],
    )
    return calls, int(np.count_nonzero(~possible)), dict(zip(kinds.tolist(), times.tolist(), strict=True))
