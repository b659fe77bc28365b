"""Kernel events in a Perfetto trace. A bundle has some events of one core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from navitas.android.perfetto.messages import as_bytes
from navitas.recording.parse.arrays import I64, U64, Bool
from navitas.recording.parse.tables import TID_LIMIT, TIME_LIMIT_NS
from navitas.recording.parse.trace.perfetto_columns import FREQUENCY, IDLE, Columns, Power
from navitas.recording.parse.trace.perfetto_losses import PerfettoLosses
from navitas.recording.parse.trace.perfetto_wire import Scan
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
from navitas.recording.parse.trace.trace_tables import DEAD, LEAVES_IDLE, UNKNOWN

_IDLE_EXIT, _MAX_IDLE = 4_294_967_295, 0xFFFF
_CLONE_THREAD = 0x10000
_NO_TIMES = np.empty(0, np.int64)
_SUSPENDS = ("machine_suspend", "timekeeping_freeze")


class Bundles:
    """Adds the events of bundles to the collected data."""

    def __init__(self, into: TraceBuilder, losses: PerfettoLosses) -> None:
        self._into, self._losses = into, losses
        self._last = LastRows()
        self._running: dict[int, int] = {}

    def add(self, bundle: Scan, columns: Columns, sequence: int) -> None:
        """Add one bundle. Times on another clock than boottime are converted if the bundle has the offset."""
        cpu = bundle.cpu
        if cpu >= CPU_LIMIT:
            self._into.warn(f"events of cores with numbers from {CPU_LIMIT} on are left out")
            return
        shift_ns = 0
        if bundle.clock:
            if 0 < bundle.ftrace_ns < TIME_LIMIT_NS and 0 < bundle.boot_ns < TIME_LIMIT_NS:
                shift_ns = bundle.boot_ns - bundle.ftrace_ns
            else:
                self._into.clock = "global"
        compact = _times(columns.deltas, shift_ns)
        power = columns.power
        is_timed = (power.t_ns > 0) & (power.t_ns < TIME_LIMIT_NS)
        if untimed := len(is_timed) - int(np.count_nonzero(is_timed)):
            self._into.skip_packet(f"core {cpu}: {untimed} events".encode(), "events have no time, or an impossible one")
        times = power.t_ns[is_timed] + shift_ns
        ends: list[int] = compact[[0, -1]].tolist() if len(compact) else []
        ends += [int(times.min()), int(times.max())] if len(times) else []
        if not ends:
            if bundle.lost:
                self._losses.before_next(cpu)
            return
        if self._losses.bundle(cpu, sequence, min(ends), max(ends), bundle.lost):
            self._running.pop(cpu, None)
        self._into.extend_span(min(ends), max(ends))
        self._switches(cpu, columns, bundle.names, compact)
        if power.kind.any():
            self._idle(power, is_timed, shift_ns)
            self._frequencies(power, is_timed, shift_ns)
        for row, name, event in columns.others:
            if is_timed[row] and name in self._decoders:
                self._decoders[name](self, cpu, int(power.t_ns[row]) + shift_ns, event, getattr(event, name))

    def _switches(self, cpu: int, columns: Columns, names: Sequence[bytes], t_ns: I64) -> None:
        """Add arrays of switches with the next thread. The thread that leaves is the next thread of the previous switch."""
        count = min(len(t_ns), len(columns.prev_state), len(columns.next_tid))
        if not count:
            return
        t_ns, prev_state, next_tid = t_ns[:count], columns.prev_state[:count], columns.next_tid[:count]
        prev_tid = np.concatenate(([self._running.get(cpu, UNKNOWN)], next_tid[:-1]))
        self._running[cpu] = int(next_tid[-1])
        self._into.switches.add(cpu=cpu, t_ns=t_ns, next_tid=next_tid, prev_tid=prev_tid, prev_state=prev_state)
        died = np.flatnonzero((prev_state == DEAD) & (prev_tid > 0))
        if len(died):
            self._into.facts.add(t_ns=t_ns[died], tid=prev_tid[died], kind=DIED, tgid=UNKNOWN, name=NO_NAME, parent=UNKNOWN)
        last = np.flatnonzero(self._last.mask(next_tid) & (next_tid > 0))
        table = np.array([*(self._into.names.number(name) for name in names), NO_NAME], np.int32)
        index = columns.comm[:count]
        if len(index) < count:
            index = np.append(index, np.full(count - len(index), len(table)))
        name = table[np.minimum(index[last], len(table) - 1)]
        self._into.facts.add(t_ns=t_ns[last], tid=next_tid[last], kind=SEEN, tgid=UNKNOWN, name=name, parent=UNKNOWN)

    def _idle(self, power: Power, is_timed: Bool, shift_ns: int) -> None:
        rows = np.flatnonzero(is_timed & (power.kind == IDLE) & (power.cpu < CPU_LIMIT))
        if len(rows):
            state = power.state[rows]
            state = np.where(state == _IDLE_EXIT, LEAVES_IDLE, np.minimum(state, _MAX_IDLE))
            self._into.idle.add(cpu=_one(power.cpu[rows]), t_ns=power.t_ns[rows] + shift_ns, state=state)

    def _frequencies(self, power: Power, is_timed: Bool, shift_ns: int) -> None:
        rows = np.flatnonzero(is_timed & (power.kind == FREQUENCY) & (power.cpu < CPU_LIMIT))
        if len(rows):
            self._into.frequencies.add(cpu=_one(power.cpu[rows]), t_ns=power.t_ns[rows] + shift_ns, khz=power.state[rows])

    def _switch(self, cpu: int, t_ns: int, _: Any, switch: Any) -> None:
        if not (0 <= switch.prev_pid < TID_LIMIT and 0 <= switch.next_pid < TID_LIMIT):
            return
        state = int(state_of_numbers(np.array([switch.prev_state]))[0])
        self._into.switches.row(cpu=cpu, t_ns=t_ns, next_tid=switch.next_pid, prev_tid=switch.prev_pid, prev_state=state)
        self._into.add_fact(t_ns, switch.prev_pid, DIED if state == DEAD else SEEN, name=as_bytes(switch.prev_comm))
        self._into.add_fact(t_ns, switch.next_pid, SEEN, name=as_bytes(switch.next_comm))
        self._running[cpu] = switch.next_pid

    def _start(self, _: int, t_ns: int, event: Any, task: Any) -> None:
        is_thread = bool(task.clone_flags & _CLONE_THREAD)
        tgid, parent = (UNKNOWN, event.pid) if is_thread else (task.pid, UNKNOWN)
        self._into.add_fact(t_ns, task.pid, OPEN, tgid=tgid, name=as_bytes(task.comm), parent=parent)

    def _fork(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.add_fact(t_ns, task.child_pid, OPEN, name=as_bytes(task.child_comm))

    def _rename(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.add_fact(t_ns, task.pid, SEEN, name=as_bytes(task.newcomm))

    def _end(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.add_fact(t_ns, task.pid, GONE)

    def _suspend(self, _: int, t_ns: int, __: Any, event: Any) -> None:
        if event.action in _SUSPENDS:
            self._into.suspends.row(t_ns=t_ns, begins=int(event.start != 0))

    def _hotplug(self, _: int, t_ns: int, __: Any, event: Any) -> None:
        if 0 <= event.affected_cpu < CPU_LIMIT and not event.error and not event.status:
            self._into.offline.row(cpu=event.affected_cpu, t_ns=t_ns)

    def _cpuhp(self, _: int, t_ns: int, __: Any, event: Any) -> None:
        if event.cpu < CPU_LIMIT and not event.target:
            self._into.offline.row(cpu=event.cpu, t_ns=t_ns)

    _decoders: ClassVar[dict[str, Callable[[Bundles, int, int, Any, Any], None]]] = {
        "sched_switch": _switch,
        "task_newtask": _start,
        "sched_process_exit": _end,
        "sched_process_free": _end,
        "sched_process_fork": _fork,
        "task_rename": _rename,
        "suspend_resume": _suspend,
        "sched_cpu_hotplug": _hotplug,
        "cpuhp_enter": _cpuhp,
    }


def _one(cpu: I64) -> I64 | int:
    """Return the core of all rows if it is the same, otherwise the column."""
    first = int(cpu[0])
    return first if bool((cpu == first).all()) else cpu


def _times(deltas: U64, shift_ns: int) -> I64:
    """Return the times of the switches before the first impossible one."""
    if not len(deltas):  # a trace may have millions of bundles without switches
        return _NO_TIMES
    good = len(deltas) if not np.any(deltas >= TIME_LIMIT_NS) else int(np.argmax(deltas >= TIME_LIMIT_NS))
    with np.errstate(over="ignore"):
        t_ns = np.cumsum(deltas[:good].astype(np.int64)) + shift_ns
    bad = np.flatnonzero((t_ns < 0) | (t_ns >= TIME_LIMIT_NS))
    return t_ns[: bad[0]] if len(bad) else t_ns
