"""What a trace's reader finds, piece by piece, before it is put in order (`order`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from navitas.parse.arrays import I32, I64, U8, Bool
from navitas.parse.tables import TID_LIMIT
from navitas.parse.trace.growing_rows import CoreRows, GrowingRows
from navitas.parse.trace.trace_tables import DEAD, IDLE_APART_NS, RUNNABLE, SLEEPS, UNKNOWN, SkippedLine

CPU_LIMIT: Final = 4096
OPEN, SEEN, DIED, GONE, LISTED = 0, 1, 2, 3, 4
"""What a fact says of a thread: that it starts, runs or is named, ran for the last time, is leaving or gone, or was listed (a
reading of /proc, whose time is not exact)."""
NO_NAME: Final = -1

_SKIPPED_KEPT = 100
_WARNINGS_KEPT = 20
_TEXT_KEPT = 200
_NAME_BYTES = 64
# EXIT_DEAD, EXIT_ZOMBIE, and TASK_DEAD of old kernels.
_DEAD_BITS = 0x10 | 0x20 | 0x40
# Set where a runnable thread was preempted: TASK_STATE_MAX, which kernels have moved about.
_PREEMPTED = (0, 0x100, 0x400, 0x800, 0x1000)


class LastRows:
    """Finds which rows are the last ones of their threads."""

    def __init__(self) -> None:
        self._row = np.zeros(TID_LIMIT, np.int32)

    def mask(self, tid: I64) -> Bool:
        """True in rows that no later row of the same thread follows."""
        rows = np.arange(len(tid), dtype=np.int32)
        self._row[tid] = rows
        last: Bool = self._row[tid] == rows
        return last


class ThreadNames:
    """Names of threads by number."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def number(self, name: bytes) -> int:
        """The number of one name; `NO_NAME` of those that only stand for a name."""
        if name in (b"", b"<...>"):
            return NO_NAME
        return self._numbers.setdefault(name[:_NAME_BYTES], len(self._numbers))

    def numbers(self, names: NDArray[np.bytes_]) -> I32:
        """The numbers of many names."""
        unique, index = np.unique(names, return_inverse=True)
        known = np.array([self.number(name) for name in unique.tolist()], np.int32)
        return known[index] if len(known) else np.empty(0, np.int32)

    def all(self) -> NDArray[np.bytes_]:
        """All names in order of their numbers."""
        return np.array(list(self._numbers) or [b""])


class Gathered:
    """Everything found so far. Threads' states and numbers are checked by those who add them."""

    def __init__(self) -> None:
        i32, i64, u8 = np.int32, np.int64, np.uint8
        self.switches = CoreRows(next_tid=i32, prev_tid=i32, prev_state=u8)
        self.frequencies = CoreRows(khz=i64)
        self.idle = CoreRows(IDLE_APART_NS, state=i32)
        self.facts = GrowingRows(_informative, t_ns=i64, tid=i32, kind=u8, tgid=i32, name=i32, parent=i32)
        self.losses = GrowingRows(cpu=i32, from_ns=i64, to_ns=i64)
        self.offline = GrowingRows(cpu=i32, t_ns=i64)
        self.suspends = GrowingRows(t_ns=i64, begins=u8)
        self.snapshots = GrowingRows(trace_ns=i64, monotonic_ns=i64, boottime_ns=i64, realtime_ns=i64)
        self.names = ThreadNames()
        self.skipped: list[SkippedLine] = []
        self.skipped_by_reason: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.last_ns: dict[int, int] = {}
        """Where a core's events end before the trace does (a cut file)."""
        self.span_ns: tuple[int, int] | None = None
        self.clock: str | None = None
        self.cut = False
        self.packet = 0
        """Number of the packet that is being read."""
        self.overwritten = False
        """Whether new events replaced the oldest ones before the trace was read."""

    def fact(self, t_ns: int, tid: int, kind: int, *, tgid: int = UNKNOWN, name: bytes = b"", parent: int = UNKNOWN) -> None:
        """One fact of a thread."""
        if 0 < tid < TID_LIMIT:
            tgid = tgid if 0 < tgid < TID_LIMIT else UNKNOWN
            parent = parent if 0 < parent < TID_LIMIT else UNKNOWN
            self.facts.row(t_ns=t_ns, tid=tid, kind=kind, tgid=tgid, name=self.names.number(name), parent=parent)

    def warn(self, text: str) -> None:
        """Add a warning about the whole trace. Only a few are kept: a file may repeat anything any number of times."""
        if text not in self.warnings and len(self.warnings) < _WARNINGS_KEPT:
            self.warnings.append(text)

    def covers(self, first_ns: int, last_ns: int) -> None:
        """The trace has events from `first_ns` to `last_ns`."""
        low, high = self.span_ns or (first_ns, last_ns)
        self.span_ns = (min(low, first_ns), max(high, last_ns))

    def skip_packet(self, text: bytes, reason: str) -> None:
        """Something of the packet that is being read cannot be used."""
        self.skip(self.packet, text, reason)

    def skip(self, number: int, text: bytes, reason: str) -> None:
        """A line or packet that cannot be used."""
        self.skipped_by_reason[reason] += 1
        if len(self.skipped) < _SKIPPED_KEPT:
            shown = text[:_TEXT_KEPT].decode("utf-8", "replace")[:_TEXT_KEPT]
            self.skipped.append(SkippedLine(number, shown, reason))


def _informative(facts: Mapping[str, NDArray[Any]]) -> Bool:
    """True for all facts but those between two facts of the same thread with the same content."""
    order = np.lexsort((facts["t_ns"], facts["tid"]))
    middle = np.isin(facts["kind"][order], (SEEN, LISTED))
    middle[:1] = middle[-1:] = False
    for name in ("tid", "kind", "tgid", "name", "parent"):
        column = facts[name][order]
        alike = column[1:] == column[:-1]
        middle[1:-1] &= alike[:-1] & alike[1:]
    informative = np.empty(len(order), bool)
    informative[order] = ~middle
    return informative


def state_of_numbers(states: I64) -> U8:
    """`SLEEPS`, `RUNNABLE` or `DEAD` of the kernel's numbers."""
    kind = np.where(np.isin(states, _PREEMPTED), RUNNABLE, SLEEPS)
    return np.where((states > 0) & (states & _DEAD_BITS != 0), DEAD, kind).astype(np.uint8)
