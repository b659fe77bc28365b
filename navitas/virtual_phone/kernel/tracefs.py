"""The host kernel's tracer: separate instances, whose buffers do not affect other users of the tracer."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from navitas.virtual_phone.kernel.ring_pages import PageReader

_PROC = Path("/proc")
_OURS = re.compile(r"navitas-(\d+)-(\d+)-\d+")
_INITIAL_PID_NAMESPACE = "pid:[4026531836]"  # Linux: PROC_PID_INIT_INO
_EVENTS = ("sched/sched_stat_runtime", "sched/sched_switch", "task/task_newtask")
_NO_PROCESS = "2 "  # kthreadd, because an empty list means all processes
_TOTAL_KB = 64 << 10  # for all cores together
_MAX_CORE_KB = 4 << 10  # for one core: about 60,000 events
# System calls, with the same numbers on all processors, and their constants (Linux: syscall.tbl, uapi/linux/mount.h).
_FSOPEN, _FSCONFIG, _FSMOUNT = 430, 431, 432
_CLOEXEC, _CREATE = 1, 6


class Tracefs:
    """The tracer's files under `root`. `close` releases them, and removes the instances.

    A trace uses an instance that an earlier one has released, if there is one: to make and remove one, the kernel waits for all
    its cores, 0.15 s in all.
    """

    def __init__(self, root: Path, descriptor: int = -1) -> None:
        self.root = root
        self._descriptor = descriptor
        self._numbers = itertools.count()
        self._released: list[Instance] = []
        self._prefix = f"navitas-{os.getpid()}-{_start_ticks(os.getpid())}"
        self.remove_strays()

    def instance(self) -> Instance:
        """Return an instance that records from now on. Raises OSError, or ValueError if the kernel's formats are unknown."""
        instance = self._released.pop() if self._released else self._new()
        try:
            instance.start()
        except OSError:
            instance.close()
            raise
        return instance

    def remove_strays(self) -> None:
        """Remove instances of killed phones."""
        with contextlib.suppress(OSError):
            for folder in (self.root / "instances").iterdir():
                found = _OURS.fullmatch(folder.name)
                if found and _start_ticks(int(found[1])) != int(found[2]):
                    self._remove(folder)

    def close(self) -> None:
        """Release the files (idempotent)."""
        while self._released:
            self._released.pop().close()
        with contextlib.suppress(OSError):
            for folder in (self.root / "instances").glob(f"{self._prefix}-*"):
                self._remove(folder)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _new(self) -> Instance:
        reader = PageReader(self.root / "events")
        folder = self.root / "instances" / f"{self._prefix}-{next(self._numbers)}"
        self._make(folder)
        try:
            return Instance(folder, reader, self._released.append)
        except BaseException:
            self._remove(folder)
            raise

    def _make(self, folder: Path) -> None:
        folder.mkdir()

    def _remove(self, folder: Path) -> None:
        """Remove an instance with its files. One that another process has open stays until the next phone starts."""
        with contextlib.suppress(OSError):
            folder.rmdir()


class Instance:
    """A trace of watched processes: the switches of their threads, and the threads that they start.

    `release` gets it after a trace, with its files open for the next one.
    """

    def __init__(self, folder: Path, reader: PageReader, release: Callable[[Instance], None]) -> None:
        self.reader = reader
        self._folder = folder
        self._release = release
        self._pipes: dict[int, int] = {}
        cores = sorted(int(core.name[3:]) for core in (folder / "per_cpu").iterdir())
        size = folder / "buffer_subbuf_size_kb"
        self._page_bytes = int(size.read_text()) << 10 if size.is_file() else os.sysconf("SC_PAGE_SIZE")
        for name, value in (
            ("tracing_on", "0"),
            ("trace_clock", "mono"),
            ("buffer_size_kb", str(min(_MAX_CORE_KB, _TOTAL_KB // len(cores)))),
            ("options/event-fork", "1"),
            ("set_event_pid", _NO_PROCESS),
            *((f"events/{event}/enable", "1") for event in _EVENTS),
        ):
            _write(folder / name, value)
        try:
            for core in cores:
                self._pipes[core] = os.open(
                    folder / f"per_cpu/cpu{core}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
                )
        except OSError:
            self.close()
            raise

    def start(self) -> None:
        """Record from now on, and no thread yet. Raises OSError."""
        watched = self._folder / "set_event_pid"
        if watched.read_text().split() != _NO_PROCESS.split():  # The kernel removes those that end, and takes 40 ms for this.
            _write(watched, _NO_PROCESS)
        _write(self._folder / "tracing_on", "1")

    def watch(self, tids: Iterable[int]) -> None:
        """Record these threads, and all threads that they start. Ignores threads that have ended.

        Writes once for all, because the kernel waits for all its cores after each write.
        """
        with contextlib.suppress(OSError):
            _write(self._folder / "set_event_pid", "".join(f"{tid} " for tid in tids), os.O_APPEND)

    def drain(self) -> Iterator[tuple[int, bytes]]:
        """Yield the pages written since the last call, by core of the host."""
        for core, pipe in self._pipes.items():
            with contextlib.suppress(OSError):  # no more pages
                while page := os.read(pipe, self._page_bytes):
                    yield core, page

    def stop(self) -> None:
        """Stop recording. What was recorded can still be drained."""
        with contextlib.suppress(OSError):
            _write(self._folder / "tracing_on", "0")

    def release(self) -> None:
        """Leave it for the next trace. Call it once after each, when all is drained."""
        self._release(self)

    def close(self) -> None:
        """Close its files, so that its folder can be removed."""
        for pipe in self._pipes.values():
            os.close(pipe)
        self._pipes.clear()


def open_tracefs() -> Tracefs | None:
    """Open the host's tracer if this process may use it: mounted for all, or only for this process. Else return None."""
    if sys.platform != "linux":
        return None
    try:
        # In another namespace, the tracer's process ids differ from ours.
        if str((_PROC / "self/ns/pid").readlink()) != _INITIAL_PID_NAMESPACE:
            return None
        for line in (_PROC / "mounts").read_text().splitlines():
            _, place, kind, *_ = line.split(" ")
            if kind == "tracefs" and os.access(f"{place}/instances", os.W_OK):
                return Tracefs(Path(place))
        descriptor = _mount_for_us()
        return Tracefs(Path(f"/proc/self/fd/{descriptor}"), descriptor)
    except OSError:
        return None


def _mount_for_us() -> int:
    """Mount without a folder: only this descriptor refers to the mount, which ends with this process."""
    kernel = ctypes.CDLL(None, use_errno=True)

    def call(*arguments: object) -> int:
        result = int(kernel.syscall(*arguments))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    context = call(_FSOPEN, b"tracefs", _CLOEXEC)
    try:
        call(_FSCONFIG, context, _CREATE, None, None, 0)
        return call(_FSMOUNT, context, _CLOEXEC, 0)
    finally:
        os.close(context)


def _write(path: Path, text: str, flags: int = os.O_TRUNC) -> None:
    """Write in one piece, as the kernel requires."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _start_ticks(pid: int) -> int:
    """Return the start time of a process; -1 if there is none."""
    try:
        return int((_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, ValueError):
        return -1
