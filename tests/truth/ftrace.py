"""The kernel's trace of a run as text (`trace.txt`), as atrace writes it: switches, frequencies, idle states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from truth.record import Record
from truth.work import Thread

_HEADER = """# tracer: nop
#
# entries-in-buffer/entries-written: {count}/{count}   #P:{cpus}
#
#                                _-----=> irqs-off
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| /     delay
#           TASK-PID     TGID   CPU#  ||||   TIMESTAMP  FUNCTION
#              | |         |      |   ||||      |         |
"""
_NOT_IDLE = 4294967295
_CORE = re.compile(r" \[\d{3}\] ")
_ENTRIES = re.compile(r"entries-in-buffer/entries-written: \d+/\d+ ")


def trace_text(record: Record, t0_ns: int, boot_offset_ns: int, real_offset_ns: int, pids: dict[bool, int]) -> str:
    """All events, with clock boottime and atrace's clock markers. `pids` has the process IDs of the app (True) and the others."""
    tgid = {thread: pids[thread.app] for thread in record.threads}

    def line(t_ns: int, cpu: int, thread: Thread | None, event: str) -> tuple[int, str]:
        name, tid, group = (thread.name[:15], thread.tid, f"{tgid[thread]:5d}") if thread else ("<idle>", 0, "-----")
        micros = (t_ns + t0_ns + boot_offset_ns) // 1000
        return t_ns, f"{name:>16}-{tid:<6d} ({group}) [{cpu:03d}] d..2 {micros // 10**6:>6d}.{micros % 10**6:06d}: {event}"

    sync = "tracing_mark_write: trace_event_clock_sync: "
    lines = [line(0, 0, None, f"{sync}parent_ts={t0_ns / 1e9:.6f}")]
    lines.append(line(0, 0, None, f"{sync}realtime_ts={(t0_ns + real_offset_ns) // 10**6}"))
    for t_ns, cpu, thread, event in sorted(_events(record), key=itemgetter(0)):
        lines.append(line(t_ns, cpu, thread, event))
    return _HEADER.format(count=len(lines), cpus=len(record.phone.cluster_of)) + "".join(f"{text}\n" for _, text in lines)


def overwritten(text: str, kept_of_busiest: float) -> str:
    """The trace with its oldest events overwritten: each core's ring buffer keeps the same number of events.

    `kept_of_busiest` is the share of the busiest core's events that is kept. Clock markers are kept, too.
    """
    lines = text.splitlines()
    head = [line for line in lines if line.startswith("#") or "trace_event_clock_sync" in line]
    events = lines[len(head) :]
    of_core = [_CORE.search(line)[0] for line in events]  # type: ignore[index]
    room = round(kept_of_busiest * max(Counter(of_core).values()))
    seen: Counter[str] = Counter()
    kept = []
    for core, line in zip(reversed(of_core), reversed(events), strict=True):
        seen[core] += 1
        if seen[core] <= room:
            kept.append(line)
    whole = len(lines) - _HEADER.count("\n")
    counts = f"entries-in-buffer/entries-written: {len(kept) + whole - len(events)}/{whole} "
    return "\n".join([*(_ENTRIES.sub(counts, line) for line in head), *reversed(kept), ""])


def _events(record: Record) -> Iterator[tuple[int, int, Thread | None, str]]:
    for t_ns, k, index in record.frequencies:
        khz = record.phone.clusters[k].freq_khz[index]
        for cpu in record.phone.clusters[k].cpus:
            yield t_ns, cpu, None, f"cpu_frequency: state={khz} cpu_id={cpu}"
    for switch in record.switches:
        previous, following, cpu = switch.previous, switch.following, switch.cpu
        if previous is None:
            yield switch.t_ns, cpu, None, f"cpu_idle: state={_NOT_IDLE} cpu_id={cpu}"
        left = _task("prev", previous, cpu)
        event = f"sched_switch: {left} prev_state={switch.state if previous else 'R'} ==> {_task('next', following, cpu)}"
        yield switch.t_ns, cpu, previous, event
        if following is None:
            yield switch.t_ns, cpu, None, f"cpu_idle: state=1 cpu_id={cpu}"


def _task(which: str, thread: Thread | None, cpu: int) -> str:
    if thread is None:
        return f"{which}_comm=swapper/{cpu} {which}_pid=0 {which}_prio=120"
    prio = 97 if thread.realtime else 120 + thread.nice
    return f"{which}_comm={thread.name[:15]} {which}_pid={thread.tid} {which}_prio={prio}"
