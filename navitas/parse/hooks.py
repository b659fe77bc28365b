"""Decode calls of input, output and device APIs (chunk type 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.parse.chunks import HOOKS, Chunk
from navitas.parse.hook_calls import NO_NODE, HookCalls, HookKind
from navitas.parse.serials import indexes

_RECORD = np.dtype(
    [("start", "<i8"), ("end", "<i8"), ("amount", "<i8"), ("kind", "<u2"), ("flags", "<u2"), ("node", "<i4"), ("handle", "<i8")]
)
_STOP = 1
_NO_TIME = 1 << 62


@dataclass(frozen=True, slots=True)
class DecodedHooks:
    """The API calls of a run, and how many records were left out: impossible ones, and those of each unknown kind."""

    calls: HookCalls
    impossible: int
    unknown: Mapping[int, int]


def decode_hooks(groups: Mapping[int, Mapping[int, Sequence[Chunk]]], serials: Sequence[int]) -> DecodedHooks:
    """Return all API calls.

    `groups` holds the chunks of each thread by type, and `serials` the serial of each thread of the run. Records of other threads
    are impossible.
    """
    chunks = [chunk for by_type in groups.values() for chunk in by_type.get(HOOKS, ())]
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
    return DecodedHooks(calls, int(np.count_nonzero(~possible)), dict(zip(kinds.tolist(), times.tolist(), strict=True)))
