"""Where the CPU time comes from: what threads of the host used since the last look."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from navitas.errors import DeviceError
from navitas.virtual_phone.kernel.task import CpuUsage, KernelTask

_QUIET = 5  # reads after which a thread counts as asleep
_LAST_NS = 10_000_000  # time in which what a removed process had left is run


class CpuSource(Protocol):
    """Measures processes of the host. What `read` returns sums to all CPU time used since `add`; nothing is counted twice."""

    def add(self, pid: int) -> None:
        """Watch a process from now on."""
        ...

    def remove(self, pid: int) -> CpuUsage:
        """Stop watching; returns its last CPU time (exact if the process has not been reaped yet)."""
        ...

    def read(self, dt_ns: int) -> CpuUsage:
        """What tasks used since the last read, `dt_ns` ago. Tasks with tid ≤ 0 stand for time no live thread accounts for."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


def default_source() -> CpuSource:
    """The best source that this system has; raises DeviceError where there is none."""
    if Path("/proc/self/task").is_dir() and Path("/proc/self/schedstat").exists():
        return SchedstatSource()
    if process_cpu_ns(os.getpid()) is not None:
        return ProcessClockSource()
    raise DeviceError(
        "This system tells nobody the CPU time of another process: the virtual phone's cores would stay idle.",
        "Run the virtual phone on Linux.",
    )


def process_cpu_ns(pid: int) -> int | None:
    """CPU ns of a process's threads, ended ones included; None if there is no such process (clock_getcpuclockid(3), Linux)."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def streams(pid: int, run_ns: int, dt_ns: int) -> dict[KernelTask, int]:
    """CPU time of unknown threads as tasks: as many at once as are needed to use it within `dt_ns`."""
    if run_ns <= 0:
        return {}
    count = -(-run_ns // max(dt_ns, 1_000_000))
    return {KernelTask(pid, -k): run_ns * (k + 1) // count - run_ns * k // count for k in range(count)}


class ProcessClockSource:
    """Whole processes only: one clock each, their threads unknown."""

    def __init__(self) -> None:
        self._last_ns: dict[int, int] = {}

    def add(self, pid: int) -> None:
        """Watch a process from now on."""
        self._last_ns[pid] = process_cpu_ns(pid) or 0

    def remove(self, pid: int) -> CpuUsage:
        """Stop watching; returns its last CPU time."""
        last = self._take(pid, _LAST_NS)
        self._last_ns.pop(pid, None)
        return CpuUsage(last)

    def read(self, dt_ns: int) -> CpuUsage:
        """CPU ns since the last read; waiting is not known."""
        usage = CpuUsage()
        for pid in self._last_ns:
            usage.runs |= self._take(pid, dt_ns)
        return usage

    def close(self) -> None:
        """Forget all processes."""
        self._last_ns.clear()

    def _take(self, pid: int, dt_ns: int) -> dict[KernelTask, int]:
        now_ns = process_cpu_ns(pid)
        if now_ns is None or pid not in self._last_ns:
            return {}
        used_ns = now_ns - self._last_ns[pid]
        self._last_ns[pid] = now_ns
        return streams(pid, used_ns, dt_ns)


@dataclass(slots=True)
class _Thread:
    """A thread's open schedstat, the times seen in it, and in how many reads it has not moved."""

    descriptor: int
    run_ns: int = 0
    wait_ns: int = 0
    quiet: int = 0


class _Process:
    """One watched process: descriptors of its threads' schedstat, and how much of the process clock has been given out."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._tasks_dir = f"/proc/{pid}/task"
        self._threads: dict[int, _Thread] = {}
        self._clock_ns = process_cpu_ns(pid) or 0
        self._given_ns = self._clock_ns
        self._meet()
        self._look(list(self._threads.items()), CpuUsage())

    def read(self, dt_ns: int) -> CpuUsage:
        # The process clock first: the threads then show at least as much as it did, so a running thread's time is never
        # mistaken for that of one that is gone.
        clock_ns = process_cpu_ns(self.pid)
        if clock_ns == self._clock_ns:
            return CpuUsage()
        usage = CpuUsage()
        # Threads that ran lately are read first; most of the time they explain the process clock, and the rest has slept.
        threads = list(self._threads.items())
        self._look([(tid, thread) for tid, thread in threads if thread.quiet < _QUIET], usage)
        if clock_ns is None or clock_ns > self._given_ns + sum(usage.runs.values()):
            known = set(self._threads)
            self._meet()
            cold = [(tid, thread) for tid, thread in self._threads.items() if thread.quiet >= _QUIET or tid not in known]
            self._look(cold, usage)
        self._given_ns += sum(usage.runs.values())
        if clock_ns is not None:
            self._clock_ns = clock_ns
            gone = streams(self.pid, clock_ns - self._given_ns, dt_ns)
            self._given_ns += sum(gone.values())
            usage.runs |= gone
        return usage

    def close(self) -> None:
        for thread in self._threads.values():
            os.close(thread.descriptor)
        self._threads.clear()

    def _meet(self) -> None:
        """Open the schedstat of threads not known yet."""
        with suppress(OSError):
            for name in os.listdir(self._tasks_dir):  # noqa: PTH208 (a hundred times a second)
                if int(name) not in self._threads:
                    with suppress(OSError):
                        descriptor = os.open(f"{self._tasks_dir}/{name}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
                        self._threads[int(name)] = _Thread(descriptor)

    def _look(self, threads: list[tuple[int, _Thread]], usage: CpuUsage) -> None:
        """Read threads (run ns, wait ns, slices); adds to `usage` what each used since it was last read."""
        for tid, thread in threads:
            try:
                run_ns, wait_ns, _ = map(int, os.pread(thread.descriptor, 64, 0).split())
            except (OSError, ValueError):
                os.close(thread.descriptor)
                del self._threads[tid]
                continue
            if run_ns > thread.run_ns:
                task = KernelTask(self.pid, tid)
                usage.runs[task] = run_ns - thread.run_ns
                usage.waits[task] = wait_ns - thread.wait_ns
                thread.run_ns, thread.wait_ns = run_ns, wait_ns
                thread.quiet = 0
            else:
                thread.quiet += 1


class SchedstatSource:
    """Linux: each thread's /proc/PID/task/TID/schedstat, completed by the process clock, which knows of ended threads too.

    A running thread's schedstat moves at the host's tick only (4 ms at HZ=250); what a step cannot hold is carried over
    by the scheduler.
    """

    def __init__(self) -> None:
        self._processes: dict[int, _Process] = {}

    def add(self, pid: int) -> None:
        """Watch a process from now on."""
        if pid not in self._processes:
            self._processes[pid] = _Process(pid)

    def remove(self, pid: int) -> CpuUsage:
        """Stop watching; returns its last CPU time (exact if the process has not been reaped yet)."""
        process = self._processes.pop(pid, None)
        if process is None:
            return CpuUsage()
        last = process.read(_LAST_NS)
        process.close()
        return last

    def read(self, dt_ns: int) -> CpuUsage:
        """CPU and waiting ns by task since the last read."""
        usage = CpuUsage()
        for process in self._processes.values():
            usage.add(process.read(dt_ns))
        return usage

    def close(self) -> None:
        """Close all descriptors."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()
