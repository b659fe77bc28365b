"""Processes on this machine that stand for processes of the phone: app JVMs and busy commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from navitas.device.virtual.identity import Identity
from navitas.device.virtual.processes import ProcessTable
from navitas.device.virtual.shell.streams import PIECE_BYTES, Input


class HostProcess:
    """A running process; `stdout` and `stderr` are at their ends at once when its output is discarded."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self.stdout = Input(_Output())
        self.stderr = Input(_Output())
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        # asyncio's own processes end only when their output has been read, which a reader that left will never do.
        threading.Thread(target=self._watch, name=f"process {process.pid}", daemon=True).start()

    async def wait(self) -> int:
        """Wait for its end; the exit status as a shell tells it (128 and more: killed by a signal)."""
        await self._ended.wait()
        code = self._process.returncode
        return code if code >= 0 else 128 - code

    def send_signal(self, number: int) -> None:
        """Signal the process and its children."""
        if not self._ended.is_set():
            _signal_group(self.pid, number)

    def _watch(self) -> None:
        if hasattr(os, "waitid"):  # its pid stays taken until its children are dead
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            _signal_group(self.pid, signal.SIGKILL)
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the phone's loop is closed
            self._loop.call_soon_threadsafe(self._ended.set)


@asynccontextmanager
async def host_process(
    table: ProcessTable,
    argv: Sequence[str],
    *,
    name: str,
    who: Identity,
    app: bool,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    discard_output: bool = False,
) -> AsyncIterator[HostProcess]:
    """Run a process in a session of its own; it and all its children are dead when the context is left.

    Raises `OSError` when it cannot be started.
    """
    output = subprocess.DEVNULL if discard_output else subprocess.PIPE
    started = subprocess.Popen(
        _ends_with_phone(argv), stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=cwd, env=env, start_new_session=True
    )
    _keep_to(started.pid, table.cpu_count)
    process = HostProcess(started)
    table.add_host(process.pid, name, tuple(argv), who, process.send_signal, app=app)
    outputs: list[_Output] = []
    try:
        if started.stdout is not None and started.stderr is not None:
            outputs = [await _Output.open(pipe) for pipe in (started.stdout, started.stderr)]
            process.stdout, process.stderr = (Input(opened) for opened in outputs)
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        try:
            await process.wait()
        finally:
            for opened in outputs:
                opened.close()
            table.remove(process.pid)


class _Output:
    """One output of a process, as a source."""

    def __init__(self, reader: asyncio.StreamReader | None = None, transport: asyncio.BaseTransport | None = None) -> None:
        self._reader = reader
        self._transport = transport

    @classmethod
    async def open(cls, pipe: IO[bytes]) -> _Output:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=PIECE_BYTES)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        return cls(reader, transport)

    async def read(self) -> bytes:
        return b"" if self._reader is None else await self._reader.read(PIECE_BYTES)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _keep_to(pid: int, cores: int) -> None:
    """Let a process and its children run on no more CPUs than the phone has, all of them on the same ones.

    So the phone's processes together never use more CPU time than its cores could give. Where the system cannot do that,
    what exceeds the cores is run later (docs/virtual-phone.md).
    """
    if cores and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        if cores < len(allowed):
            with contextlib.suppress(OSError):  # it ended at once
                os.sched_setaffinity(pid, allowed[:cores])


def _ends_with_phone(argv: Sequence[str]) -> Sequence[str]:
    """Where util-linux is at hand, the kernel ends the process even when the phone itself is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *argv] if setpriv else argv


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
