"""Decode frequent events of a text trace, all lines of a block together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, U8, Bool
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace.blocks import TraceLines
from navitas.recording.parse.trace.single_lines import Switch
from navitas.recording.parse.trace.text_buffer import Places, TextBuffer
from navitas.recording.parse.trace.trace_builder import (
    CPU_LIMIT,
    DIED,
    GONE,
    NO_NAME,
    OPEN,
    SEEN,
    LastRows,
    TraceBuilder,
    state_of_numbers,
)
from navitas.recording.parse.trace.trace_tables import DEAD, LEAVES_IDLE, RUNNABLE, SLEEPS, UNKNOWN

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


_NAME_WORDS = 2
_DEAD_LETTERS = (ord("X"), ord("x"), ord("Z"))
_STATE_OF_LETTER = np.full(256, SLEEPS, np.uint8)
_STATE_OF_LETTER[ord("R")] = RUNNABLE
_STATE_OF_LETTER[list(_DEAD_LETTERS)] = DEAD


@dataclass(frozen=True, slots=True)
class _Fields:
    good: Bool
    prev_tid: I64
    next_tid: I64
    prev_state: U8
    prev_name: Places
    prev_name_length: I64
    next_name: Places
    next_name_length: I64


class SwitchLines:
    """Decodes sched_switch lines into switches and, for each thread and block, its last name and its end."""

    def __init__(self) -> None:
        self._last = LastRows()

    def decode(
        self, text: TextBuffer, lines: TraceLines, rows: Places, single: Callable[[int], Switch | None], into: TraceBuilder
    ) -> None:
        """Decode these event lines. Lines in other formats go to `single`, one by one."""
        fields = _fields(text, lines.event[rows], lines.end[lines.row[rows]])
        good = np.flatnonzero(fields.good)
        kept = rows[good]
        prev_tid, next_tid, prev_state = fields.prev_tid[good], fields.next_tid[good], fields.prev_state[good]
        cpu, t_ns = lines.cpu[kept], lines.t_ns[kept]
        others = [(row, found) for row in rows[~fields.good].tolist() if (found := single(row))]
        columns: dict[str, NDArray[Any]] = {
            "cpu": cpu,
            "t_ns": t_ns,
            "next_tid": next_tid,
            "prev_tid": prev_tid,
            "prev_state": prev_state,
        }
        if others:
            # Switches with equal times must keep the order of the file.
            place = np.searchsorted(kept, [row for row, _ in others])
            for column, values in columns.items():
                columns[column] = np.insert(values, place, [getattr(found, column) for _, found in others])
        into.switches.add(**columns)
        died = prev_state == DEAD
        chosen = np.flatnonzero((self._last.mask(prev_tid) | died) & (prev_tid > 0))
        row = good[chosen]
        into.facts.add(
            t_ns=t_ns[chosen],
            tid=prev_tid[chosen],
            kind=np.where(died[chosen], DIED, SEEN),
            tgid=_tgids(text, lines.bracket[kept[chosen]]),
            name=into.names.numbers(text.strings(fields.prev_name[row], fields.prev_name_length[row])),
            parent=UNKNOWN,
        )
        chosen = np.flatnonzero(self._last.mask(next_tid) & (next_tid > 0))
        row = good[chosen]
        name = into.names.numbers(text.strings(fields.next_name[row], fields.next_name_length[row]))
        into.facts.add(t_ns=t_ns[chosen], tid=next_tid[chosen], kind=SEEN, tgid=UNKNOWN, name=name, parent=UNKNOWN)


def _fields(text: TextBuffer, event: Places, end: Places) -> _Fields:
    """Parse `sched_switch: prev_comm=A prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=B next_pid=2 next_prio=120`."""
    good = text.has(event + 8, b"itch: pr") & text.has(event + 16, b"ev_comm=")
    prev_name = event + len("sched_switch: prev_comm=")
    prev_name_length = text.find("=", prev_name + len(" prev_pid"), _NAME_WORDS)
    at = prev_name + prev_name_length + len(" prev_pid")
    good &= text.has(at - 7, b"rev_pid=")
    prev_tid, digits = text.number_from(at + 1)
    at = at + 1 + digits
    good &= (digits > 0) & (prev_tid < TID_LIMIT)
    at = at + len(" prev_prio=")
    at = at + text.find(" ", at)
    good &= text.has(at, b" prev_st")
    at = at + len(" prev_state=")
    state, state_good = _states(text, at)
    at = at + text.find(" ", at)
    good &= state_good & text.has(at, b" ==> nex")
    next_name = at + len(" ==> next_comm=")

    at = end - text.find_back("=", end)
    at = at - len(" next_prio")
    next_tid, digits = text.number_before(at)
    at = at - digits - 1
    good &= (digits > 0) & (next_tid < TID_LIMIT) & text.has(at - 7, b"ext_pid=")
    next_name_length = at - len(" next_pid") - next_name
    good &= (next_name_length >= 0) & (next_name_length <= 8 * _NAME_WORDS)
    return _Fields(good, prev_tid, next_tid, state, prev_name, prev_name_length, next_name, next_name_length)


def _states(text: TextBuffer, at: Places) -> tuple[U8, Bool]:
    """Return states from their first letter or decimal number, and whether each is valid (hexadecimal numbers are not)."""
    letter = text.bytes[at]
    state = _STATE_OF_LETTER[letter]
    good = np.ones(len(at), bool)
    numeric = np.flatnonzero((letter - np.uint8(ord("0"))) <= 9)
    if len(numeric):
        value, digits = text.number_from(at[numeric])
        state[numeric] = state_of_numbers(value)
        good[numeric] = text.has(at[numeric] + digits, b" ")
    return state, good


def _tgids(text: TextBuffer, bracket: Places) -> I64:
    """Return the process from the optional column TGID: `( 2519) [000]`."""
    tgid, digits = text.number_before(bracket - 2)
    known = text.has(bracket - 2, b") [") & (digits > 0) & (tgid < TID_LIMIT)
    return np.where(known, tgid, UNKNOWN)
