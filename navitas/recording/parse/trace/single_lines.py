"""Decode lines one by one: rare events, other tools' formats of frequent events, comments, and lines that are not events."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple

import numpy as np

from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, DIED, GONE, LISTED, OPEN, SEEN, TraceBuilder, state_of_numbers
from navitas.recording.parse.trace.trace_tables import DEAD, LEAVES_IDLE, RUNNABLE, SLEEPS, UNKNOWN

CLOCK_SYNC: Final = b"trace_event_clock_sync"
_HEAD = re.compile(
    rb"\s*+(?P<comm>.*?)-(?P<pid>\d{1,7})\s+(?:\(\s*(?P<tgid>[\d-]{1,7})\)\s+)?\[(?P<cpu>\d{1,4})\]\s+(?:[^\s:]{1,12}\s+)?"
    rb"(?P<s>\d{1,9})\.(?P<fraction>\d{6}(?:\d{3})?): +(?P<event>[^\s:]{1,64}):\s*(?P<fields>.*)",
    re.DOTALL,
)
_SWITCH = re.compile(
    rb"prev_comm=(.*) prev_pid=(\d{1,7}) prev_prio=-?\d+ prev_state=(\S+) (?:==> )?"
    rb"next_comm=(.*) next_pid=(\d{1,7}) next_prio=-?\d+",
    re.DOTALL,
)
_SWITCH_SHORT = re.compile(rb"(.*):(\d{1,7}) \[-?\d+\] (\S+) ==> (.*):(\d{1,7}) \[-?\d+\]", re.DOTALL)
_POWER = re.compile(rb"state=(\d{1,10}) cpu_id=(\d{1,4})\b")
_NEW = re.compile(rb"pid=(\d{1,7}) comm=(.*) clone_flags=(?:0x)?([0-9a-f]{1,16})\b", re.DOTALL)
_FORK = re.compile(rb"(?:parent_)?comm=.* (?:parent_)?pid=\d{1,7} child_comm=(.*) child_pid=(\d{1,7})\s*$", re.DOTALL)
_RENAME = re.compile(rb"pid=(\d{1,7}) oldcomm=.* newcomm=(.*) oom_score_adj=", re.DOTALL)
_END = re.compile(rb"comm=(?:.*) pid=(\d{1,7}) prio=", re.DOTALL)
_SUSPEND = re.compile(rb"(machine_suspend|timekeeping_freeze)\[\d+\] (begin|end)")
# Of a text, `trace-cmd report -R` prints only its address in the kernel.
_SUSPEND_RAW = re.compile(rb"action=0x[0-9a-f]+ val=")
_OFFLINE = re.compile(
    rb"cpu (\d{1,4}) offline error=0|cpu: (\d{1,4}) target: +0 step:"
    rb"|affected_cpu=(\d{1,4}) error= ?0 status= ?0\b|cpu=(\d{1,4}) target= ?0 idx="
)
_SYNC = re.compile(rb"trace_event_clock_sync: ?(parent|realtime)_ts=(\d{1,13})\b(?:\.(\d{1,9}))?")
_PROC = re.compile(rb"/?proc/(\d{1,7})/task/(\d{1,7})/?\s*$")
_LOST = re.compile(rb"CPU:(\d{1,4}) \[(?:LOST (?:\d+ )?EVENTS|(?:\d+ )?EVENTS DROPPED)\]")
_KNOWN = re.compile(
    rb"(?:version = \d+|CPU \d+ is empty|cpus=\d+|capturing trace\.\.\.(?: done)?| done|TRACE:|overriding event .*"
    rb"|trace-cmd: .*|\x22;)\s*$"
)
_ENTRIES = re.compile(rb"# entries-in-buffer/entries-written: (\d{1,18})/(\d{1,18})\b")
_CLOCK = re.compile(rb"# *(?:trace[_ ])?clock: *(?:.*\[(\w+)\]|(\w+))")
_CLOCKS = {b"boot": "boottime", b"mono": "monotonic", b"local": "global", b"global": "global"}
_CLONE_THREAD = 0x10000
_MAX_IDLE = 0xFFFF
_IDLE_EXIT = 4_294_967_295
_NS_PER_S, _NS_PER_MS = 1_000_000_000, 1_000_000
_MAX_S = 1 << 32


class Switch(NamedTuple):
    """A row of the table of switches."""

    cpu: int
    t_ns: int
    next_tid: int
    prev_tid: int
    prev_state: int


class SingleLines:
    """Decodes lines into the collected data. Skipped lines are reported by line number."""

    def __init__(self, into: TraceBuilder) -> None:
        self._into = into

    def comment(self, line: bytes) -> None:
        """Decode a line that begins with `#`. It may name the clock, or the number of events that the kernel overwrote."""
        if entries := _ENTRIES.match(line):
            overwritten = int(entries[2]) - int(entries[1])
            if overwritten > 0:
                self._into.overwritten = True
                self._into.warn(f"{overwritten} events had been overwritten when the trace was read: it begins late")
        elif clock := _CLOCK.match(line):
            self._into.clock = _CLOCKS.get(clock[1] or clock[2], self._into.clock)

    def other(self, number: int, line: bytes) -> int | None:
        """Decode a line that is not an event. Returns the core if the line reports lost events of a core."""
        if lost := _LOST.match(line):
            return int(lost[1])
        if listed := _PROC.match(line):
            self._into.add_fact(UNKNOWN, int(listed[2]), LISTED, tgid=int(listed[1]))
        elif _HEAD.match(line):
            self.event(number, line)
        elif not _KNOWN.match(line):
            self._into.skip(number, line, "not an event")
        return None

    def event(self, number: int, line: bytes) -> None:
        """Decode an event line in any format."""
        head = _HEAD.match(line)
        if head is None or int(head["cpu"]) >= CPU_LIMIT:
            self._into.skip(number, line, "not an event")
            return
        t_ns = _time_ns(head)
        self._into.extend_span(t_ns, t_ns)
        if CLOCK_SYNC in head["fields"]:
            self._clock_sync(t_ns, head["fields"])
        elif (decode := self._decoders.get(head["event"])) and not decode(self, t_ns, head):
            self._into.skip(number, line, f"{head['event'].decode()} without its fields")

    def switch(self, number: int, line: bytes) -> Switch | None:
        """Decode a sched_switch line in any format. Returns None if the line is skipped."""
        head = _HEAD.match(line)
        found = head and int(head["cpu"]) < CPU_LIMIT and self._read_switch(head)
        if not head or not found:
            self._into.skip(number, line, "sched_switch without its fields")
            return None
        return found

    def _read_switch(self, head: re.Match[bytes]) -> Switch | None:
        found = _SWITCH.match(head["fields"]) or _SWITCH_SHORT.match(head["fields"])
        if not found or max(prev := int(found[2]), following := int(found[5])) >= TID_LIMIT:
            return None
        state, t_ns = _state(found[3]), _time_ns(head)
        tgid = int(head["tgid"]) if (head["tgid"] or b"").isdigit() and prev == int(head["pid"]) else UNKNOWN
        self._into.add_fact(t_ns, prev, DIED if state == DEAD else SEEN, tgid=tgid, name=found[1])
        self._into.add_fact(t_ns, following, SEEN, name=found[4])
        return Switch(int(head["cpu"]), t_ns, following, prev, state)

    def _switch(self, _: int, head: re.Match[bytes]) -> bool:
        if found := self._read_switch(head):
            self._into.switches.row(**found._asdict())
        return bool(found)

    def _frequency(self, t_ns: int, head: re.Match[bytes]) -> bool:
        found = _POWER.match(head["fields"])
        if found and int(found[2]) < CPU_LIMIT:
            self._into.frequencies.row(cpu=int(found[2]), t_ns=t_ns, khz=int(found[1]))
        return bool(found)

    def _idle(self, t_ns: int, head: re.Match[bytes]) -> bool:
        found = _POWER.match(head["fields"])
        if found and int(found[2]) < CPU_LIMIT:
            state = int(found[1])
            self._into.idle.row(cpu=int(found[2]), t_ns=t_ns, state=LEAVES_IDLE if state == _IDLE_EXIT else min(state, _MAX_IDLE))
        return bool(found)

    def _start(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if found := _NEW.match(head["fields"]):
            tid, is_thread = int(found[1]), int(found[3], 16) & _CLONE_THREAD
            parent = int(head["pid"]) if is_thread else UNKNOWN
            self._into.add_fact(t_ns, tid, OPEN, tgid=UNKNOWN if is_thread else tid, name=found[2], parent=parent)
        return bool(found)

    def _fork(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if found := _FORK.match(head["fields"]):
            self._into.add_fact(t_ns, int(found[2]), OPEN, name=found[1])
        return bool(found)

    def _rename(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if found := _RENAME.match(head["fields"]):
            self._into.add_fact(t_ns, int(found[1]), SEEN, name=found[2])
        return bool(found)

    def _end(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if found := _END.match(head["fields"]):
            self._into.add_fact(t_ns, int(found[1]), GONE)
        return bool(found)

    def _suspend(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if found := _SUSPEND.match(head["fields"]):
            self._into.suspends.row(t_ns=t_ns, begins=int(found[2] == b"begin"))
        return not _SUSPEND_RAW.match(head["fields"])

    def _offline(self, t_ns: int, head: re.Match[bytes]) -> bool:
        if (found := _OFFLINE.match(head["fields"])) and (cpu := int(next(filter(None, found.groups())))) < CPU_LIMIT:
            self._into.offline.row(cpu=cpu, t_ns=t_ns)
        return True

    def _clock_sync(self, t_ns: int, fields: bytes) -> None:
        """Decode atrace's clock mark: monotonic seconds (with the few digits of a float), or realtime milliseconds."""
        sync = _SYNC.search(fields)
        if not sync or not 0 < int(sync[2]) < (_MAX_S if sync[1] == b"parent" else _MAX_S * 1000):
            return
        monotonic, realtime = UNKNOWN, UNKNOWN
        if sync[1] == b"parent":
            monotonic = int(sync[2]) * _NS_PER_S + int((sync[3] or b"").ljust(9, b"0"))
        else:
            realtime = int(sync[2]) * _NS_PER_MS
        self._into.snapshots.row(trace_ns=t_ns, monotonic_ns=monotonic, boottime_ns=UNKNOWN, realtime_ns=realtime)

    _decoders: ClassVar[dict[bytes, Callable[[SingleLines, int, re.Match[bytes]], bool]]] = {
        b"sched_switch": _switch,
        b"cpu_frequency": _frequency,
        b"cpu_idle": _idle,
        b"task_newtask": _start,
        b"sched_process_fork": _fork,
        b"task_rename": _rename,
        b"sched_process_exit": _end,
        b"sched_process_free": _end,
        b"suspend_resume": _suspend,
        b"sched_cpu_hotplug": _offline,
        b"cpuhp_enter": _offline,
    }


def _time_ns(head: re.Match[bytes]) -> int:
    return int(head["s"]) * _NS_PER_S + int(head["fraction"].ljust(9, b"0"))


def _state(text: bytes) -> int:
    """Decode a state: `S`, `R+`, `S|W`, `x`, or a number."""
    try:
        return int(state_of_numbers(np.array([int(text, 0)]))[0])
    except (ValueError, OverflowError):
        return RUNNABLE if text[:1] == b"R" else DEAD if text[:1] in (b"X", b"x", b"Z") else SLEEPS
