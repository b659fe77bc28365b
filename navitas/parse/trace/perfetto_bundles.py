"""The kernel's events in a Perfetto trace: one core's, some at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from navitas.parse.tables import I64, TID_LIMIT
from navitas.parse.trace.gather import (
    CPU_LIMIT,
    DIED,
    GONE,
    NO_NAME,
    OPEN,
    SEEN,
    Gathered,
    LastRows,
    state_of_numbers,
)
from navitas.parse.trace.perfetto_clocks import TIME_LIMIT_NS
from navitas.parse.trace.perfetto_losses import PerfettoLosses
from navitas.parse.trace.tables import DEAD, IDLE_APART_NS, LEAVES_IDLE, UNKNOWN
from navitas.perfetto.messages import as_bytes

_IDLE_EXIT, _MOST_IDLE = 4_294_967_295, 0xFFFF
_CLONE_THREAD = 0x10000
_SUSPENDS = ("machine_suspend", "timekeeping_freeze")


class Bundles:
    """Decodes bundles into what is gathered."""

    def __init__(self, into: Gathered, losses: PerfettoLosses) -> None:
        self._into, self._losses = into, losses
        self._last = LastRows()
        self._running: dict[int, int] = {}
        self._idle_in: dict[int, int] = {}

    def decode(self, bundle: Any, sequence: int) -> None:
        """One bundle. Its clock is boottime, or is turned into it where the bundle tells how."""
        cpu = bundle.cpu
        if cpu >= CPU_LIMIT:
            self._into.warn(f"events of cores with numbers of {CPU_LIMIT} and more are left out")
            return
        shift_ns = 0
        if bundle.ftrace_clock:
            if 0 < bundle.ftrace_timestamp < TIME_LIMIT_NS and 0 < bundle.boot_timestamp < TIME_LIMIT_NS:
                shift_ns = bundle.boot_timestamp - bundle.ftrace_timestamp
            else:
                self._into.clock = "global"
        compact = _times(bundle.compact_sched, shift_ns)
        events = [event for event in bundle.event if 0 < event.timestamp < TIME_LIMIT_NS]
        if untimed := len(bundle.event) - len(events):
            self._into.skip_packet(f"core {cpu}: {untimed} events".encode(), "events have no time, or an impossible one")
        times = [event.timestamp + shift_ns for event in events]
        ends: list[int] = compact[[0, -1]].tolist() if len(compact) else []
        ends += [min(times), max(times)] if times else []
        if not ends:
            if bundle.lost_events:
                self._losses.before_next(cpu)
            return
        if self._losses.bundle(cpu, sequence, min(ends), max(ends), bundle.lost_events):
            self._running.pop(cpu, None)
        self._into.covers(min(ends), max(ends))
        self._switches(cpu, bundle.compact_sched, compact)
        for event, t_ns in zip(events, times, strict=True):
            for name, decode in self._decoders.items():
                if event.HasField(name):
                    decode(self, cpu, t_ns, event, getattr(event, name))
                    break

    def _switches(self, cpu: int, compact: Any, t_ns: I64) -> None:
        """Arrays of switches, and who comes next; who leaves is who came before."""
        count = min(len(t_ns), len(compact.switch_prev_state), len(compact.switch_next_pid))
        if not count:
            return
        t_ns = t_ns[:count]
        states = np.fromiter(compact.switch_prev_state, np.int64, len(compact.switch_prev_state))[:count]
        next_tid = np.fromiter(compact.switch_next_pid, np.int64, len(compact.switch_next_pid))[:count]
        next_tid = np.where((next_tid >= 0) & (next_tid < TID_LIMIT), next_tid, 0)
        prev_tid = np.concatenate(([self._running.get(cpu, UNKNOWN)], next_tid[:-1]))
        self._running[cpu] = int(next_tid[-1])
        prev_state = state_of_numbers(states)
        self._into.switches.add(cpu=cpu, t_ns=t_ns, next_tid=next_tid, prev_tid=prev_tid, prev_state=prev_state)
        died = (prev_state == DEAD) & (prev_tid > 0)
        self._into.facts.add(t_ns=t_ns[died], tid=prev_tid[died], kind=DIED, tgid=UNKNOWN, name=NO_NAME, parent=UNKNOWN)
        last = np.flatnonzero(self._last.of(next_tid) & (next_tid > 0))
        table = np.array([self._into.names.number(as_bytes(name)) for name in compact.intern_table] + [NO_NAME], np.int32)
        index = np.fromiter(compact.switch_next_comm_index, np.int64, len(compact.switch_next_comm_index))[:count]
        index = np.minimum(np.append(index, np.full(count - len(index), len(table))), len(table) - 1)
        name = table[index[last]]
        self._into.facts.add(t_ns=t_ns[last], tid=next_tid[last], kind=SEEN, tgid=UNKNOWN, name=name, parent=UNKNOWN)

    def _switch(self, cpu: int, t_ns: int, _: Any, switch: Any) -> None:
        if not (0 <= switch.prev_pid < TID_LIMIT and 0 <= switch.next_pid < TID_LIMIT):
            return
        state = int(state_of_numbers(np.array([switch.prev_state]))[0])
        self._into.switches.row(cpu=cpu, t_ns=t_ns, next_tid=switch.next_pid, prev_tid=switch.prev_pid, prev_state=state)
        self._into.fact(t_ns, switch.prev_pid, DIED if state == DEAD else SEEN, name=as_bytes(switch.prev_comm))
        self._into.fact(t_ns, switch.next_pid, SEEN, name=as_bytes(switch.next_comm))
        self._running[cpu] = switch.next_pid

    def _frequency(self, _: int, t_ns: int, __: Any, power: Any) -> None:
        if power.cpu_id < CPU_LIMIT:
            self._into.frequencies.row(cpu=power.cpu_id, t_ns=t_ns, khz=power.state)

    def _idle(self, _: int, t_ns: int, __: Any, power: Any) -> None:
        # Half of a trace's events are of this kind, and most of them are left out: that is seen before a row is made.
        stretch = t_ns // IDLE_APART_NS
        if power.cpu_id < CPU_LIMIT and self._idle_in.get(power.cpu_id) != stretch:
            self._idle_in[power.cpu_id] = stretch
            state = LEAVES_IDLE if power.state == _IDLE_EXIT else min(power.state, _MOST_IDLE)
            self._into.idle.row(cpu=power.cpu_id, t_ns=t_ns, state=state)

    def _start(self, _: int, t_ns: int, event: Any, task: Any) -> None:
        is_thread = bool(task.clone_flags & _CLONE_THREAD)
        tgid, parent = (UNKNOWN, event.pid) if is_thread else (task.pid, UNKNOWN)
        self._into.fact(t_ns, task.pid, OPEN, tgid=tgid, name=as_bytes(task.comm), parent=parent)

    def _fork(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.fact(t_ns, task.child_pid, OPEN, name=as_bytes(task.child_comm))

    def _rename(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.fact(t_ns, task.pid, SEEN, name=as_bytes(task.newcomm))

    def _end(self, _: int, t_ns: int, __: Any, task: Any) -> None:
        self._into.fact(t_ns, task.pid, GONE)

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
        "cpu_idle": _idle,
        "cpu_frequency": _frequency,
        "task_newtask": _start,
        "sched_process_exit": _end,
        "sched_process_free": _end,
        "sched_process_fork": _fork,
        "task_rename": _rename,
        "suspend_resume": _suspend,
        "sched_cpu_hotplug": _hotplug,
        "cpuhp_enter": _cpuhp,
    }


def _times(compact: Any, shift_ns: int) -> I64:
    """The switches' times; those from an impossible one on are left out."""
    deltas = np.fromiter(compact.switch_timestamp, np.uint64, len(compact.switch_timestamp))
    good = len(deltas) if not np.any(deltas >= TIME_LIMIT_NS) else int(np.argmax(deltas >= TIME_LIMIT_NS))
    with np.errstate(over="ignore"):
        t_ns = np.cumsum(deltas[:good].astype(np.int64)) + shift_ns
    bad = np.flatnonzero((t_ns < 0) | (t_ns >= TIME_LIMIT_NS))
    return t_ns[: bad[0]] if len(bad) else t_ns
