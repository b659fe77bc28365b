"""Decode frequent events of a text trace other than sched_switch, all lines of a block together."""

from __future__ import annotations

import numpy as np

from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace.lines import TraceLines
from navitas.recording.parse.trace.text_buffer import Places, TextBuffer
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, GONE, NO_NAME, OPEN, TraceBuilder
from navitas.recording.parse.trace.trace_tables import LEAVES_IDLE, UNKNOWN

_NAME_WIDTH = 16
_KHZ_LIMIT = 1 << 32
_IDLE_EXIT = 4_294_967_295
_IDLE_LIMIT = 1 << 16
_CLONE_THREAD_DIGIT = 5
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


def decode_power(text: TextBuffer, lines: TraceLines, rows: Places, is_idle: bool, into: TraceBuilder) -> Places:
    """Decode `cpu_frequency: state=1800000 cpu_id=0` or `cpu_idle: state=4294967295 cpu_id=2`. Returns lines in other formats."""
    end = lines.end[lines.row[rows]]
    at = end - text.find_back("=", end)
    good = text.has(at - len(" cpu_id"), b" cpu_id")
    cpu, digits = text.number_from(at + 1)
    good &= (digits > 0) & (cpu < CPU_LIMIT)
    at = at - len(" cpu_id")
    value, digits = text.number_before(at)
    at = at - digits
    good &= (digits > 0) & text.has(at - len("state="), b"state=")
    if is_idle:
        good &= (value < _IDLE_LIMIT) | (value == _IDLE_EXIT)
        state = np.where(value == _IDLE_EXIT, LEAVES_IDLE, value)
        into.idle.add(cpu=cpu[good], t_ns=lines.t_ns[rows[good]], state=state[good])
    else:
        good &= value < _KHZ_LIMIT
        into.frequencies.add(cpu=cpu[good], t_ns=lines.t_ns[rows[good]], khz=value[good])
    return rows[~good]


def decode_starts(text: TextBuffer, lines: TraceLines, rows: Places, into: TraceBuilder) -> Places:
    """Decode `task_newtask: pid=1234 comm=foo clone_flags=3d0f00 oom_score_adj=0`. Returns lines in other formats.

    The flag CLONE_THREAD marks a new thread of its parent's process (the thread in the line's head). Without it, the event
    starts a new process.
    """
    line, event, end = lines.start[lines.row[rows]], lines.event[rows], lines.end[lines.row[rows]]
    good = text.has(event + 8, b"task: pi") & text.has(line + _NAME_WIDTH, b"-")
    tid, digits = text.number_from(event + len("task_newtask: pid="))
    name = event + len("task_newtask: pid=") + digits + len(" comm=")
    good &= (digits > 0) & (tid > 0) & (tid < TID_LIMIT) & text.has(name - len(" comm="), b" comm=")
    parent, parent_digits = text.number_from(line + _NAME_WIDTH + 1)
    good &= (parent_digits > 0) & (parent < TID_LIMIT)
    at = end - text.find_back("=", end)
    good &= text.has(at - 8, b"core_adj")
    flags_end = at - len(" oom_score_adj")
    length = text.find("=", name + len(" clone_flags"), 2)
    good &= (length < _NAME_WIDTH) & text.has(name + length, b" clone_f")
    flags = name + length + len(" clone_flags=")
    letter = np.searchsorted(_HEX, text.bytes[flags_end - _CLONE_THREAD_DIGIT])
    is_thread = (flags_end - flags >= _CLONE_THREAD_DIGIT) & (letter % 2 == 1)
    kept = np.flatnonzero(good)
    into.facts.add(
        t_ns=lines.t_ns[rows[kept]],
        tid=tid[kept],
        kind=OPEN,
        tgid=np.where(is_thread, UNKNOWN, tid)[kept],
        name=into.names.numbers(text.strings(name[kept], length[kept])),
        parent=np.where(is_thread, parent, UNKNOWN)[kept],
    )
    return rows[~good]


def decode_ends(text: TextBuffer, lines: TraceLines, rows: Places, into: TraceBuilder) -> Places:
    """Decode `sched_process_exit: comm=foo pid=1234 prio=120` and `sched_process_free`. Returns lines in other formats."""
    name = lines.event[rows] + len("sched_process_exit: comm=")
    good = text.has(name - 5, b"comm=")
    at = name + len(" pid") + text.find("=", name + len(" pid"), 2)
    good &= text.has(at - len(" pid"), b" pid=")
    tid, digits = text.number_from(at + 1)
    good &= (digits > 0) & (tid > 0) & (tid < TID_LIMIT) & text.has(at + 1 + digits, b" prio=")
    tid = tid[good]
    into.facts.add(t_ns=lines.t_ns[rows[good]], tid=tid, kind=GONE, tgid=UNKNOWN, name=NO_NAME, parent=UNKNOWN)
    return rows[~good]
