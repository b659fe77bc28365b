"""Decode pages of the kernel tracer's buffers, from `trace_pipe_raw` (Linux: kernel/trace/ring_buffer.c, events/header_*)."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from navitas.virtual_phone.kernel.trace_log import Leaves

_FIELD = re.compile(r"^\s+field:[^;]*?(\w+)(?:\[\d+\])?;\s*offset:(\d+);\s*size:(\d+);", re.MULTILINE)
_ID = re.compile(r"^ID: (\d+)$", re.MULTILINE)
_WORD, _TIME, _TYPE, _TID = struct.Struct("=I"), struct.Struct("=Q"), struct.Struct("=H"), struct.Struct("=i")
_PADDING, _EXTEND, _STAMP = 29, 30, 31
_DELTA_BITS, _STAMP_BITS = 27, 59
_MISSED, _SIZE_MASK = 1 << 31, (1 << 30) - 1
_DEAD_BITS, _STATE_BITS = 0x30, 0xFF
_CLONE_THREAD = 0x10000
_NAME = 16


class Ran(NamedTuple):
    """A thread used `run_ns` of CPU time up to now. The kernel reports it at each tick, and when a thread leaves its core."""

    t_ns: int
    tid: int
    run_ns: int


class Switched(NamedTuple):
    """A core of the host switched from one thread to another."""

    t_ns: int
    prev_tid: int
    prev_name: bytes
    leaves: Leaves
    next_tid: int
    next_name: bytes


class Born(NamedTuple):
    """Thread `parent` started `tid`, in its own process or as a new one."""

    t_ns: int
    tid: int
    parent: int
    is_thread: bool
    name: bytes


class MissedHostEvents(NamedTuple):
    """Events of a core of the host before `t_ns` are missing."""

    t_ns: int


HostEvent = Ran | Switched | Born | MissedHostEvents


class PageReader:
    """Decodes pages by the formats in the tracer's `events` folder. Raises OSError and ValueError for unknown formats."""

    def __init__(self, events: Path) -> None:
        header = _fields((events / "header_page").read_text())
        if header.get("timestamp") != (0, 8) or header.get("commit", (0, 0))[0] != 8 or "data" not in header:
            raise ValueError("the header of the tracer's pages has an unknown format")
        self._commit = slice(8, 8 + header["commit"][1])
        self._data = header["data"][0]
        switch = (events / "sched/sched_switch/format").read_text()
        self._switch = _Format(switch, prev_pid=4, next_pid=4, prev_comm=_NAME, next_comm=_NAME)
        self._state = slice(self._switch.offset("prev_state"), sum(_fields(switch)["prev_state"]))
        self._ran = _Format((events / "sched/sched_stat_runtime/format").read_text(), pid=4, runtime=8)
        self._born = _Format((events / "task/task_newtask/format").read_text(), common_pid=4, pid=4, comm=_NAME, clone_flags=8)

    def events(self, page: bytes) -> Iterator[HostEvent]:
        """Yield the events of a page, in order of time. Skips the rest of a damaged page, and reports it as missed."""
        (t_ns,) = _TIME.unpack_from(page)
        commit = int.from_bytes(page[self._commit], sys.byteorder)
        if commit & _MISSED:
            yield MissedHostEvents(t_ns)
        at, end = self._data, min(self._data + (commit & _SIZE_MASK), len(page))
        while at + 4 <= end:
            (head,) = _WORD.unpack_from(page, at)
            kind, delta = head & 31, head >> 5
            at += 4
            if kind == _PADDING and not delta:
                return
            word = _WORD.unpack_from(page, at)[0] if (kind == 0 or kind >= _PADDING) and at + 4 <= end else 0
            if kind == _EXTEND:
                t_ns, at = t_ns + (word << _DELTA_BITS) + delta, at + 4
                continue
            if kind == _STAMP:
                t_ns, at = (word << _DELTA_BITS) + delta | t_ns >> _STAMP_BITS << _STAMP_BITS, at + 4
                continue
            t_ns += delta
            body, at = (at, at + 4 * kind) if 0 < kind < _PADDING else (at + 4, at + word)
            if at > end or at < body:
                yield MissedHostEvents(t_ns)
                return
            number = _TYPE.unpack_from(page, body)[0] if kind != _PADDING and at - body >= _TYPE.size else 0
            if number == self._ran.number and at - body >= self._ran.size:
                record = page[body:at]
                yield Ran(t_ns, self._ran.tid(record, "pid"), self._ran.number_of(record, "runtime"))
            elif number == self._switch.number and at - body >= self._switch.size:
                yield self._switched(t_ns, page[body:at])
            elif number == self._born.number and at - body >= self._born.size:
                yield self._started(t_ns, page[body:at])

    def _switched(self, t_ns: int, record: bytes) -> Switched:
        of, state = self._switch, int.from_bytes(record[self._state], sys.byteorder)
        leaves = Leaves.DEAD if state & _DEAD_BITS else Leaves.SLEEPING if state & _STATE_BITS else Leaves.RUNNABLE
        prev = of.tid(record, "prev_pid"), of.name(record, "prev_comm")
        following = of.tid(record, "next_pid"), of.name(record, "next_comm")
        return Switched(t_ns, *prev, leaves, *following)

    def _started(self, t_ns: int, record: bytes) -> Born:
        of = self._born
        is_thread = bool(of.number_of(record, "clone_flags") & _CLONE_THREAD)
        return Born(t_ns, of.tid(record, "pid"), of.tid(record, "common_pid"), is_thread, of.name(record, "comm"))


class _Format:
    """A kind of event: its number, and the offsets of the fields, whose sizes must match."""

    def __init__(self, text: str, **sizes: int) -> None:
        number, self._fields = _ID.search(text), _fields(text)
        if number is None or any(self._fields.get(name, (0, 0))[1] != size for name, size in sizes.items()):
            raise ValueError("the tracer's events have an unknown format")
        self.number = int(number[1])
        self.size = max(sum(place) for place in self._fields.values())

    def offset(self, name: str) -> int:
        return self._fields[name][0]

    def number_of(self, record: bytes, name: str) -> int:
        number: int = _TIME.unpack_from(record, self._fields[name][0])[0]
        return number

    def tid(self, record: bytes, name: str) -> int:
        tid: int = _TID.unpack_from(record, self._fields[name][0])[0]
        return tid

    def name(self, record: bytes, name: str) -> bytes:
        at = self._fields[name][0]
        return record[at : at + _NAME].partition(b"\0")[0]


def _fields(text: str) -> dict[str, tuple[int, int]]:
    """Return offset and size of each field."""
    return {name: (int(offset), int(size)) for name, offset, size in _FIELD.findall(text)}
