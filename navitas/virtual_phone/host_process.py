"""Host processes that represent processes of the phone: app JVMs and busy commands."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import IO

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.shell.streams import PIECE_BYTES, Input

_OUTPUTS = ("stdout", "stderr", "stream")
_MARK = "NAVITAS_PROCESS"
_KILL_ROUNDS = 20  # processes may start others before they are killed


class OutputPipe:
    """A source of the data that a process writes to `writing_end`.

    It ends when all writers have closed it, or when the data in the pipe at the end of the process has been read: a child that
    outlives the process does not keep it open.
    """

    def __init__(self) -> None:
        self._fd, self.writing_end = os.pipe()
        os.set_blocking(self._fd, False)
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._left: int | None = None
        self._loop.add_reader(self._fd, self._changed.set)

    def started(self) -> None:
        """Close the phone's copy of the writing end: the process has it now."""
        os.close(self.writing_end)
        self.writing_end = -1

    def process_ended(self) -> None:
        """Limit reading to the data that is in the pipe now."""
        if self._fd >= 0 and self._left is None:
            (self._left,) = struct.unpack("i", fcntl.ioctl(self._fd, termios.FIONREAD, b"\0\0\0\0"))
            self._changed.set()

    async def read(self) -> bytes:
        """Return the next piece; empty at the end."""
        while self._fd >= 0 and self._left != 0:
            self._changed.clear()
            try:
                data = os.read(self._fd, PIECE_BYTES if self._left is None else min(PIECE_BYTES, self._left))
            except BlockingIOError:
                await self._changed.wait()
                continue
            if self._left is not None:
                self._left -= len(data)
            return data
        return b""

    def close(self) -> None:
        """Close the pipe."""
        if self.writing_end >= 0:
            self.started()
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._changed.set()


class HostProcess:
    """A running process. `stdout` and `stderr`, and `stream` if requested, end when it does."""

    def __init__(self, process: subprocess.Popen[bytes], outputs: Mapping[str, OutputPipe], mark: dict[str, str]) -> None:
        self.pid = process.pid
        self.takes_input = process.stdin is not None
        self.stdout, self.stderr, self.stream = (
            Input(outputs[name].read) if name in outputs else Input.of_bytes() for name in _OUTPUTS
        )
        self._process = process
        self._outputs = outputs
        self._mark = mark
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        # asyncio's own processes end only when their output has been read, which may never happen.
        threading.Thread(target=self._watch, name=f"process {process.pid}", daemon=True).start()

    async def wait(self) -> int:
        """Wait until the process ends. Returns its exit status as a shell does (128 and more: killed by a signal)."""
        await self._ended.wait()
        code = self._process.returncode
        return code if code >= 0 else 128 - code

    def send_signal(self, number: int) -> None:
        """Signal the process and its children."""
        if not self._ended.is_set():
            _signal_group(self.pid, number)

    def write_without_waiting(self) -> None:
        """From now on, drop what a process does not read, once its pipe is full, instead of waiting for it."""
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def write(self, data: bytes) -> None:
        """Write to its standard input, if requested. Does nothing once it has ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _watch(self) -> None:
        if hasattr(os, "waitid"):  # keep the pid reserved until its children are dead
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            _signal_group(self.pid, signal.SIGKILL)
        self._process.wait()
        for output in self._outputs.values():
            self._call_in_loop(output.process_ended)
        end_marked(self._mark)
        self._call_in_loop(self._ended.set)

    def _call_in_loop(self, action: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the phone's loop is closed
            self._loop.call_soon_threadsafe(action)


@asynccontextmanager
async def host_process(
    table: ProcessTable,
    argv: Callable[[str], Sequence[str]] | Sequence[str],
    *,
    name: str,
    who: Identity,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    discard_output: bool = False,
    takes_input: bool = False,
) -> AsyncIterator[HostProcess]:
    """Run a process in its own session. It and all processes that it started are dead when the context ends.

    If `argv` is a function, it receives a file to which the process writes `stream`; its children do not inherit that file.
    Raises `OSError` if the process cannot be started.
    """
    with ExitStack() as stack:
        names = () if discard_output else _OUTPUTS if callable(argv) else _OUTPUTS[:2]
        outputs = {output: OutputPipe() for output in names}
        for opened in outputs.values():
            stack.callback(opened.close)
        ends = {output: opened.writing_end for output, opened in outputs.items()}
        command = argv(f"/dev/fd/{ends['stream']}") if callable(argv) else argv
        mark = {_MARK: uuid.uuid4().hex}
        started = subprocess.Popen(
            _killed_with_parent(command),
            stdin=subprocess.PIPE if takes_input else subprocess.DEVNULL,
            stdout=ends.get("stdout", subprocess.DEVNULL),
            stderr=ends.get("stderr", subprocess.DEVNULL),
            cwd=cwd,
            env={**(os.environ if env is None else env), **mark},
            pass_fds=[ends["stream"]] if "stream" in ends else [],
            start_new_session=True,
        )
        if started.stdin is not None:
            stack.callback(_close_quietly, started.stdin)
        _limit_to_cores(started.pid, table.cpu_count)
        for opened in outputs.values():
            opened.started()
        process = HostProcess(started, outputs, mark)
        table.add_host(process.pid, name, tuple(command), who, process.send_signal)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            try:
                await process.wait()
            finally:
                table.remove(process.pid)


def _close_quietly(pipe: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # the rest of the data has no reader
        pipe.close()


def _limit_to_cores(pid: int, cores: int) -> None:
    """Limit a process and its children to as many CPUs as the phone has cores, the same ones for all processes.

    The phone's processes together then never use more CPU time than its cores can provide. On systems without CPU affinity,
    the excess runs later (docs/virtual-phone.md).
    """
    if cores and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        if cores < len(allowed):
            with contextlib.suppress(OSError):  # it may already have ended
                os.sched_setaffinity(pid, allowed[:cores])


def _killed_with_parent(argv: Sequence[str]) -> Sequence[str]:
    """With util-linux, make the kernel end the process even if the phone is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *argv] if setpriv else argv


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def end_marked(mark: dict[str, str], proc: Path = Path("/proc")) -> None:
    """Kill every process with the mark, a variable that all inherit. Blocks while it reads their environments.

    Without `/proc`, and for children that clear their environment, only the process group is ended.
    """
    wanted = f"{_MARK}={mark[_MARK]}".encode()
    for _ in range(_KILL_ROUNDS):
        if not _kill_all(wanted, proc):
            return


def _kill_all(wanted: bytes, proc: Path) -> bool:
    """Kill each process with the mark once. Returns whether there was one."""
    found = False
    for folder in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            handle = os.pidfd_open(int(folder.name))
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                    found = True
            finally:
                os.close(handle)
    return found
