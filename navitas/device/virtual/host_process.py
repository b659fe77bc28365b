"""Processes on this machine that stand for processes of the phone: app JVMs and busy commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from navitas.device.virtual.identity import Identity
from navitas.device.virtual.processes import ProcessTable

_PIPE_BYTES = 1 << 16


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
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a process in a session of its own; it and all its children are dead when the context is left.

    Standard output and error are pipes, unless discarded. Raises `OSError` when it cannot be started.
    """
    output = asyncio.subprocess.DEVNULL if discard_output else asyncio.subprocess.PIPE
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Protocol(loop),
        *_ends_with_phone(argv),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )
    process = asyncio.subprocess.Process(transport, protocol, loop)
    table.add_host(process.pid, name, tuple(argv), who, lambda number: _signal_group(process.pid, number), app=app)
    # Children that outlive the process would hold its output open.
    protocol.on_exit(lambda: _signal_group(process.pid, signal.SIGKILL))
    try:
        yield process
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        try:
            await asyncio.shield(protocol.exited.wait())
        finally:
            transport.close()
            table.remove(process.pid)


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process itself has ended: `Process.wait` also waits until all its output has been read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_PIPE_BYTES, loop=loop)
        self.exited = asyncio.Event()
        self._action: Callable[[], None] = lambda: None

    def on_exit(self, action: Callable[[], None]) -> None:
        """Call `action` when the process ends, or now if it has."""
        self._action = action
        if self.exited.is_set():
            action()

    def process_exited(self) -> None:
        self.exited.set()
        super().process_exited()
        self._action()


def _ends_with_phone(argv: Sequence[str]) -> Sequence[str]:
    """Where util-linux is at hand, the kernel ends the process even when the phone itself is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *argv] if setpriv else argv


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
