"""Host processes that represent processes of the phone: app JVMs and busy commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import IO

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.output_pipe import OutputPipe
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.shell.streams import BytesSource, Input
from navitas.virtual_phone.strays import end_marked, new_mark

_OUTPUTS = ("stdout", "stderr", "stream")


class HostProcess:
    """A running process. `stdout` and `stderr`, and `stream` if requested, end when it does."""

    def __init__(self, process: subprocess.Popen[bytes], outputs: Mapping[str, OutputPipe], mark: dict[str, str]) -> None:
        self.pid = process.pid
        self.stdout, self.stderr, self.stream = (Input(outputs.get(name, BytesSource())) for name in _OUTPUTS)
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

    @property
    def takes_input(self) -> bool:
        """Whether it has a standard input."""
        return self._process.stdin is not None

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
        self._call_in_loop(self._end_outputs)
        end_marked(self._mark)
        self._call_in_loop(self._ended.set)

    def _call_in_loop(self, action: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the phone's loop is closed
            self._loop.call_soon_threadsafe(action)

    def _end_outputs(self) -> None:
        for output in self._outputs.values():
            output.process_ended()


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
        mark = new_mark()
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
