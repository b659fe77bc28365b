"""Processes on this machine that stand for processes of the phone: app JVMs and busy commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from navitas.device.virtual.identity import Identity
from navitas.device.virtual.processes import ProcessTable


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
    process = await asyncio.create_subprocess_exec(
        *_ends_with_phone(argv),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )
    table.add_host(process.pid, name, tuple(argv), who, lambda number: _signal_group(process.pid, number), app=app)
    watch = asyncio.create_task(_end_children(process))
    try:
        yield process
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        await asyncio.shield(watch)
        table.remove(process.pid)


async def _end_children(process: asyncio.subprocess.Process) -> None:
    """Processes that outlive the one that started them would hold its output open."""
    await process.wait()
    _signal_group(process.pid, signal.SIGKILL)


def _ends_with_phone(argv: Sequence[str]) -> Sequence[str]:
    """Where util-linux is at hand, the kernel ends the process even when the phone itself is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *argv] if setpriv else argv


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
