"""Run a command line in a new shell of the phone."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from functools import cache

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell import commands
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.interpreter import Interpreter

_load_commands = cache(commands.load)


def new_shell(phone: Phone, who: Identity) -> Interpreter:
    """Return a shell that knows all programs of the phone."""
    _load_commands()
    return Interpreter(phone, who)


async def run_shell(
    phone: Phone, command: str, who: Identity, streams: Streams, is_hung_up: Callable[[], bool] = lambda: False
) -> int:
    """Run a command line in a new shell until all users of its streams have ended. Returns its exit status.

    If this is cancelled because the host is gone (`is_hung_up`), adbd sends SIGHUP to the shell; its background jobs go on.
    """
    shell = new_shell(phone, who)
    job = phone.jobs.start(("sh", "-c", command), who, shell.run_text(command, streams), on_signal=shell.take_signal)
    shell.set_pid(job.pid)
    shell.group = job.pid
    try:
        status = await job.wait()
        while shell.holding_streams:
            await shell.holding_streams.pop().wait()
    except asyncio.CancelledError:
        if is_hung_up():
            shell.hung_up.set()
            if process := phone.processes.get(job.pid):
                process.send_signal(signal.SIGHUP)
        raise
    finally:
        if not shell.hung_up.is_set():
            await phone.jobs.stop([job, *shell.holding_streams])
    return status
