"""Write recorded slices in the kernel's text format, as `atrace` prints it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from navitas.virtual_phone.kernel.trace_log import Birth, Change, CoreSwitch, Idle, LostEvents, Moment, TraceLog

_HEADER = """# tracer: nop
#
# entries-in-buffer/entries-written: {kept}/{written}   #P:{cpus}
#
#                                      _-----=> irqs-off
#                                     / _----=> need-resched
#                                    | / _---=> hardirq/softirq
#                                    || / _--=> preempt-depth
#                                    ||| /     delay
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
"""
_IDLE = ("<idle>", 0, "-----")
_THREAD_FLAGS = 0x3D0F00  # the flags of pthread_create


def ftrace_text(log: TraceLog, begin: Moment, processes: Mapping[int, str], kinds: Collection[type]) -> str:
    """Return the trace with the events of `kinds`, in order of time, in boottime with microseconds, after clock marks."""
    events = sorted((event for event in log.events() if type(event) in kinds), key=lambda event: event.t_ns)
    lines = [_HEADER.format(kept=len(events), written=len(events) + 2 * log.recorded.dropped, cpus=len(log.cpus))]
    for mark in (f"parent_ts={begin.monotonic_ns / 1e9:.6f}", f"realtime_ts={begin.realtime_ns // 1_000_000}"):
        lines.append(_line(("atrace", 1, "    1"), 0, begin.boottime_ns, f"tracing_mark_write: trace_event_clock_sync: {mark}"))
    running = dict.fromkeys(log.cpus, 0)
    for event in events:
        who = _who(log, processes, running[event.cpu])
        if isinstance(event, LostEvents):
            lines.append(f"CPU:{event.cpu} [LOST EVENTS]\n")
            continue
        if isinstance(event, CoreSwitch):
            name, tid, _ = who = _who(log, processes, event.prev)
            next_name, next_tid, _ = _who(log, processes, event.next)
            text = (
                f"sched_switch: prev_comm={_comm(name, event.cpu)} prev_pid={tid} prev_prio=120 prev_state={event.leaves.value} "
            )
            text += f"==> next_comm={_comm(next_name, event.cpu)} next_pid={next_tid} next_prio=120"
            running[event.cpu] = event.next
        elif isinstance(event, Birth):
            who = _who(log, processes, event.parent)
            name, tid, _ = _who(log, processes, event.thread)
            text = f"task_newtask: pid={tid} comm={name} clone_flags={_THREAD_FLAGS:x} oom_score_adj=0"
        elif isinstance(event, Change):
            text = f"cpu_frequency: state={event.khz} cpu_id={event.cpu}"
        else:
            text = f"cpu_idle: state={event.state & 0xFFFFFFFF} cpu_id={event.cpu}"
        lines.append(_line(who, event.cpu, event.t_ns + begin.ahead_ns, text))
    return "".join(lines)


KINDS: Mapping[str, tuple[type, ...]] = {"sched": (CoreSwitch, Birth, LostEvents), "freq": (Change,), "idle": (Idle,)}
"""Events by atrace's category."""


def _who(log: TraceLog, processes: Mapping[int, str], key: int) -> tuple[str, int, str]:
    if not key:
        return _IDLE
    tid, pid, name = log.recorded.threads[key]
    return name or processes.get(pid, "") or "<...>", tid, f"{pid:5d}"


def _comm(name: str, cpu: int) -> str:
    return f"swapper/{cpu}" if name == _IDLE[0] else name


def _line(who: tuple[str, int, str], cpu: int, t_ns: int, text: str) -> str:
    name, tid, tgid = who
    return (
        f"{name:>16}-{tid:<5d} ({tgid}) [{cpu:03d}] d..3 {t_ns // 1_000_000_000:5d}.{t_ns % 1_000_000_000 // 1000:06d}: {text}\n"
    )
