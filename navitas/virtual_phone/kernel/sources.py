"""Measure the CPU time that host threads have used since the last reading."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.virtual_phone.kernel.scheduler import CpuUsage, KernelTask

_ASLEEP_AFTER = 5  # reads after which a thread counts as asleep
_LAST_NS = 10_000_000  # the time over which the remaining CPU time of a removed process runs


def default_source() -> CpuSource:
    """Return the best source on this system. Raises DeviceError if there is none."""
    if Path("/proc/self/task").is_dir() and Path("/proc/self/schedstat").exists():
        return SchedstatSource()
    if process_cpu_ns(os.getpid()) is not None:
        return ProcessClockSource()
    raise DeviceError(
        "This system does not report the CPU time of another process, so the virtual phone's cores would stay idle.",
        "Run the virtual phone on Linux.",
    )


def process_cpu_ns(pid: int) -> int | None:
    """Return the CPU ns of a process, including ended threads; None if it does not exist (clock_getcpuclockid(3), Linux)."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def streams(pid: int, run_ns: int, dt_ns: int) -> dict[KernelTask, int]:
    """Return CPU time of unknown threads as tasks: as many in parallel as are needed to use it within `dt_ns`."""
    if run_ns <= 0:
        return {}
    count = -(-run_ns // max(dt_ns, 1_000_000))
    return {KernelTask(pid, -k): run_ns * (k + 1) // count - run_ns * k // count for k in range(count)}


@dataclass(slots=True)
class _Thread:
    """A thread's open schedstat, its last values, and the number of reads without a change."""

    descriptor: int
    run_ns: int = 0
    wait_ns: int = 0
    quiet: int = 0


class _Process:
    """A watched process: descriptors of its threads' schedstat, and the part of the process clock already returned."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._tasks_dir = f"/proc/{pid}/task"
        self._threads: dict[int, _Thread] = {}
        self._clock_ns = process_cpu_ns(pid) or 0
        self._given_ns = self._clock_ns
        self._open_new_threads()
        self._read_threads(list(self._threads.items()), CpuUsage())

    def read(self, dt_ns: int) -> CpuUsage:
        # Read the process clock first: the threads' sum is then at least as large, so a running thread's time is never
        # attributed to an ended one.
        clock_ns = process_cpu_ns(self.pid)
        if clock_ns == self._clock_ns:
            return CpuUsage()
        usage = CpuUsage()
        # Read recently active threads first: mostly they explain the process clock, and the others have slept.
        threads = list(self._threads.items())
        self._read_threads([(tid, thread) for tid, thread in threads if thread.quiet < _ASLEEP_AFTER], usage)
        if clock_ns is None or clock_ns > self._given_ns + sum(usage.runs.values()):
            known = set(self._threads)
            self._open_new_threads()
            cold = [(tid, thread) for tid, thread in self._threads.items() if thread.quiet >= _ASLEEP_AFTER or tid not in known]
            self._read_threads(cold, usage)
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

    def _open_new_threads(self) -> None:
        """Open the schedstat of new threads."""
        with suppress(OSError):
            for name in os.listdir(self._tasks_dir):  # noqa: PTH208 (a hundred times a second)
                if int(name) not in self._threads:
                    with suppress(OSError):
                        descriptor = os.open(f"{self._tasks_dir}/{name}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
                        self._threads[int(name)] = _Thread(descriptor)

    def _read_threads(self, threads: list[tuple[int, _Thread]], usage: CpuUsage) -> None:
        """Read threads (run ns, wait ns, slices), and add what each has used since its last reading to `usage`."""
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


class _WholeProcess:
    """A watched process by its clock alone; its threads and waiting times are unknown."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._last_ns = process_cpu_ns(pid) or 0

    def read(self, dt_ns: int) -> CpuUsage:
        now_ns = process_cpu_ns(self._pid) or self._last_ns
        used_ns, self._last_ns = now_ns - self._last_ns, now_ns
        return CpuUsage(streams(self._pid, used_ns, dt_ns))

    def close(self) -> None:
        """Do nothing: there is no resource."""


class CpuSource:
    """Measures host processes. The results of `read` sum to all CPU time since `add`; nothing is counted twice."""

    _kind: type[_Process | _WholeProcess]

    def __init__(self) -> None:
        self._processes: dict[int, _Process | _WholeProcess] = {}

    def add(self, pid: int) -> None:
        """Watch a process from now on."""
        if pid not in self._processes:
            self._processes[pid] = self._kind(pid)

    def remove(self, pid: int) -> CpuUsage:
        """Stop watching. Returns the last CPU time (exact if the process has not been reaped yet)."""
        process = self._processes.pop(pid, None)
        if process is None:
            return CpuUsage()
        last = process.read(_LAST_NS)
        process.close()
        return last

    def read(self, dt_ns: int) -> CpuUsage:
        """Return the usage since the last read, `dt_ns` ago. Tasks with tid ≤ 0 represent time of threads that have ended."""
        usage = CpuUsage()
        for process in self._processes.values():
            usage.add(process.read(dt_ns))
        return usage

    def close(self) -> None:
        """Release all resources."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()


class SchedstatSource(CpuSource):
    """Linux: each thread's /proc/PID/task/TID/schedstat, plus the process clock, which includes ended threads.

    The schedstat of a running thread changes only at the host's tick (4 ms at HZ=250). The scheduler carries over what exceeds
    a step.
    """

    _kind = _Process


class ProcessClockSource(CpuSource):
    """Measures whole processes by their clocks, if threads are not readable."""

    _kind = _WholeProcess
