"""The phone's processes: host processes (app JVMs, busy commands), and those inside the phone, which are coroutines."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.file_tree import Node
from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.kernel.live_kernel import Kernel

_FIRST_INNER_PID = 4194305
"""Linux pids are at most 4194304, so pids inside the phone never equal a host process's."""

_PROCESS_FILES = ("cmdline", "comm", "io", "schedstat", "stat", "status", "time_in_state")
# A process and thread that never exist: the phone's own programs use no time of its cores.
_NEVER_RUNS = (0, 0)
_TASK_FILES = ("comm", "schedstat", "stat", "status", "time_in_state")
_NOT_ENDING = (signal.SIGSTOP, signal.SIGCONT)
_KILLED_STATUS = 128


@dataclass(frozen=True, slots=True)
class PhoneProcess:
    """One process as `ps` shows it. `send_signal` takes a signal number. `group` is the pid of its group's leader."""

    pid: int
    name: str
    args: tuple[str, ...]
    who: Identity
    on_host: bool
    send_signal: Callable[[int], None]
    group: int


class ProcessTable:
    """All processes of one phone. Host processes use virtual energy; those inside the phone do not."""

    def __init__(self, kernel: Kernel, devices: Devices, proc: Path = Path("/proc")) -> None:
        self._kernel = kernel
        self.cpu_count = kernel.cpu_count()
        """The number of the phone's cores; 0 without a model of them."""
        self._devices = devices
        self._proc = proc
        self._processes: dict[int, PhoneProcess] = {}
        self._next_inner_pid = _FIRST_INNER_PID
        self._app_uids: dict[int, int] = {}
        self._nice: dict[tuple[int, int], int] = {}

    def add_host(self, pid: int, name: str, args: tuple[str, ...], who: Identity, send_signal: Callable[[int], None]) -> None:
        """Show a host process on the phone, and count its CPU time, traffic and file accesses."""
        self._processes[pid] = PhoneProcess(pid, name, args, who, True, send_signal, pid)
        self._app_uids[pid] = who.uid
        self._kernel.add_process(pid)
        self._devices.add_process(pid)

    def add_inner(
        self, args: tuple[str, ...], who: Identity, send_signal: Callable[[int], None], group: int | None = None
    ) -> int:
        """Show a process that runs inside the phone's own process, in a group or (None) its own. Returns its pid."""
        pid = self._next_inner_pid
        self._next_inner_pid += 1
        self._processes[pid] = PhoneProcess(pid, args[0], args, who, False, send_signal, pid if group is None else group)
        return pid

    def remove(self, pid: int) -> None:
        """Remove an ended process."""
        process = self._processes.pop(pid, None)
        self._nice = {thread: nice for thread, nice in self._nice.items() if thread[0] != pid}
        if process is not None and process.on_host:
            self._kernel.remove_process(pid)
            self._devices.remove_process(pid)
            self._devices.state.process_ended(pid)

    def set_nice(self, pid: int, tid: int, nice: int) -> None:
        """Show a nice value of a process's thread. On the host, it keeps its own: a busy machine would starve it."""
        self._nice = {thread: nice for thread, nice in self._nice.items() if self._task(*thread).exists()}
        self._nice[pid, tid] = nice

    def _task(self, pid: int, tid: int) -> Path:
        return self._proc / str(pid) / "task" / str(tid)

    def uid_of(self, pid: int) -> int:
        """Return the uid for a process's log entries, also after its end."""
        process = self._processes.get(pid)
        return process.who.uid if process is not None else self._app_uids.get(pid, 0)

    def get(self, pid: int) -> PhoneProcess | None:
        """Return the running process with this pid."""
        return self._processes.get(pid)

    def all(self) -> list[PhoneProcess]:
        """Return all running processes, by pid."""
        return [self._processes[pid] for pid in sorted(self._processes)]

    def of_group(self, group: int) -> list[PhoneProcess]:
        """Return the running processes of a group."""
        return [process for process in self.all() if process.group == group]

    def of_package(self, package: str) -> list[PhoneProcess]:
        """Return the running processes of an app."""
        return [process for process in self.all() if process.who.package == package]

    def node(self, path: str) -> Node | list[str] | None:
        """Return a live node under `/proc`: a list of names for a folder, and files of the phone's own processes only."""
        parts = path.split("/")[2:]
        if not parts:
            return [str(pid) for pid in sorted(self._processes)]
        process = self._processes.get(int(parts[0])) if parts[0].isdecimal() else None
        if process is None:
            return None
        return self._host_node(parts) if process.on_host else self._inner_node(process, parts[1:])

    def _host_node(self, parts: list[str]) -> Node | list[str] | None:
        folder = self._proc.joinpath(*parts)
        if len(parts) == 1:
            return [*_PROCESS_FILES, "task"]
        if parts[1:] == ["task"]:
            return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else None
        if len(parts) == 3 and parts[1] == "task":
            return list(_TASK_FILES) if parts[2].isdecimal() and folder.is_dir() else None
        known = _PROCESS_FILES if len(parts) == 2 else _TASK_FILES if len(parts) == 4 and parts[1] == "task" else ()
        if parts[-1] == "time_in_state" and known and folder.parent.is_dir():
            pid, tid = int(parts[0]), int(parts[-2])  # for a process: its first thread
            return lambda: self._kernel.time_in_state(pid, tid).encode()
        if parts[1:] == ["io"]:
            return lambda: self._devices.process_io(int(parts[0]))
        return self._file_node(folder, parts) if parts[-1] in known and folder.is_file() else None

    def _file_node(self, file: Path, parts: list[str]) -> Node:
        nice = self._nice.get((int(parts[0]), int(parts[-2]))) if parts[-1] == "stat" else None
        return file.read_bytes if nice is None else lambda: _with_nice(file.read_bytes(), nice)

    def _inner_node(self, process: PhoneProcess, rest: list[str]) -> Node | list[str] | None:
        cmdline = "\0".join(process.args).encode("utf-8", "surrogateescape") + b"\0"
        files: dict[str, bytes] = {
            "cmdline": cmdline,
            "comm": process.name.encode("utf-8", "surrogateescape")[:15] + b"\n",
            "time_in_state": self._kernel.time_in_state(*_NEVER_RUNS).encode(),
        }
        if not rest:
            return sorted(files)
        content = files.get("/".join(rest))
        return None if content is None else lambda: content


def _with_nice(stat: bytes, nice: int) -> bytes:
    """Return a thread's `stat` with a nice value, and the priority that follows from it (proc(5): fields 18 and 19)."""
    head, mark, rest = stat.rpartition(b") ")
    fields = rest.split(b" ")
    fields[15:17] = (b"%d" % (20 + nice), b"%d" % nice)
    return head + mark + b" ".join(fields)


@dataclass(frozen=True, slots=True, eq=False)
class PhoneJob:
    """A process inside the phone."""

    pid: int
    args: tuple[str, ...]
    task: asyncio.Task[int]
    signals: list[int] = field(default_factory=list)

    async def wait(self) -> int:
        """Wait until the job ends. Returns its exit status (128 and more: killed). Cancelling the wait does not end it."""
        await asyncio.wait([self.task])
        if self.task.cancelled():
            return _KILLED_STATUS + (self.signals[0] if self.signals else 0)
        return self.task.result()


class JobTable:
    """All jobs of a phone."""

    def __init__(self, processes: ProcessTable) -> None:
        self._processes = processes
        self._jobs: set[PhoneJob] = set()

    def start(
        self,
        args: tuple[str, ...],
        who: Identity,
        coroutine: Coroutine[Any, Any, int],
        *,
        group: int | None = None,
        on_signal: Callable[[int], bool] = lambda number: False,
    ) -> PhoneJob:
        """Run a coroutine as a process, of a group or (None) of its own.

        A signal ends it, except 0, those that only stop or continue a process, which do nothing here, and those that `on_signal`
        handles (never SIGKILL).
        """
        signals: list[int] = []

        def send_signal(number: int) -> None:
            if number and number not in _NOT_ENDING and (number == signal.SIGKILL or not on_signal(number)):
                signals.append(number)
                task.cancel()

        def end(_: object) -> None:
            coroutine.close()  # if it was killed before it began
            self._processes.remove(pid)
            self._jobs.discard(job)

        task = asyncio.create_task(coroutine)
        pid = self._processes.add_inner(args, who, send_signal, group)
        job = PhoneJob(pid, args, task, signals)
        self._jobs.add(job)
        task.add_done_callback(end)
        return job

    async def finish(self, job: PhoneJob) -> int:
        """Wait until a job ends; return its exit status. It ends with its caller."""
        try:
            return await job.wait()
        finally:
            await self.stop([job])

    async def stop(self, jobs: list[PhoneJob] | None = None) -> None:
        """End the jobs, or all jobs, and wait until they have ended."""
        tasks = [job.task for job in (self._jobs if jobs is None else jobs)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
