"""Counts of executed basic blocks, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.parse.arrays import I32, I64


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """Records in time order. Each has what the counters of a method counted on a thread since the record before.

    `thread[i]` is a place in `RunTables.threads` (-1: a thread that is not listed), and `method[i]` a row of the method table.
    The counts of record i are `counts[start[i] : start[i + 1]]`, and were read at `t_ns[i]`. `collections[j]` garbage collections
    ended between the times `collected_ns[j - 1]` and `collected_ns[j]`.
    """

    thread: I32
    t_ns: I64
    method: I32
    start: I64
    counts: I64
    collected_ns: I64
    collections: I64

    def __len__(self) -> int:
        return len(self.t_ns)
