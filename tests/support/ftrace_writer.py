"""Write text traces in the formats of the kernel, atrace and `trace-cmd report`."""

from __future__ import annotations

from dataclasses import dataclass

_US = 1000


@dataclass(frozen=True)
class Form:
    """A line format: with or without the column TGID, flags of 4 or 5 characters or none, and optionally trace-cmd's format."""

    tgid: bool = False
    flags: str = "d..3"
    trace_cmd: bool = False

    def line(self, cpu: int, t_ns: int, event: str, fields: str, *, task: tuple[str, int] = ("<idle>", 0), tgid: int = -1) -> str:
        """Return any event of the running task."""
        name, tid = task
        process = (f" ({tgid:5d})" if tgid > 0 else " (-----)") if self.tgid else ""
        flags = f" {self.flags}" if self.flags else ""
        label = f"{event + ':':<22}" if self.trace_cmd else f"{event}: "
        seconds = f"{t_ns // 1_000_000_000:5d}.{t_ns % 1_000_000_000 // _US:06d}"
        return f"{name:>16}-{tid:<5d}{process} [{cpu:03d}]{flags} {seconds}: {label}{fields}\n"

    def switch(self, cpu: int, t_ns: int, prev: tuple[str, int, str], following: tuple[str, int], tgid: int = -1) -> str:
        """Return sched_switch from name, tid and state of the leaving thread to name and tid of the next thread."""
        (name, tid, state), (next_name, next_tid) = prev, following
        if self.trace_cmd:
            fields = f"{name}:{tid} [120] {state} ==> {next_name}:{next_tid} [120]"
        else:
            fields = f"prev_comm={name} prev_pid={tid} prev_prio=120 prev_state={state} ==> "
            fields += f"next_comm={next_name} next_pid={next_tid} next_prio=120"
        return self.line(cpu, t_ns, "sched_switch", fields, task=(name, tid), tgid=tgid)

    def frequency(self, cpu: int, t_ns: int, khz: int) -> str:
        """cpu_frequency."""
        return self.line(cpu, t_ns, "cpu_frequency", f"state={khz} cpu_id={cpu}")

    def idle(self, cpu: int, t_ns: int, state: int) -> str:
        """cpu_idle; -1 leaves."""
        return self.line(cpu, t_ns, "cpu_idle", f"state={state & 0xFFFFFFFF} cpu_id={cpu}")

    def new_task(self, cpu: int, t_ns: int, parent: tuple[str, int], tid: int, name: str, *, thread: bool) -> str:
        """task_newtask."""
        fields = f"pid={tid} comm={name} clone_flags={'3d0f00' if thread else '1200011'} oom_score_adj=-800"
        return self.line(cpu, t_ns, "task_newtask", fields, task=parent)

    def exited(self, cpu: int, t_ns: int, task: tuple[str, int]) -> str:
        """sched_process_exit."""
        return self.line(cpu, t_ns, "sched_process_exit", f"comm={task[0]} pid={task[1]} prio=120", task=task)


def comments(clock: str = "boot", entries: tuple[int, int] = (100, 100)) -> str:
    """Return the lines before the first event. `clock` is the content of the kernel's file trace_clock."""
    return f"# tracer: nop\n#\n# clock: {clock}\n# entries-in-buffer/entries-written: {entries[0]}/{entries[1]}   #P:8\n#\n"
