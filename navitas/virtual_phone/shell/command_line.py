"""Run a command line in a new shell of the phone."""

from __future__ import annotations

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


async def run_shell(phone: Phone, command: str, who: Identity, streams: Streams) -> int:
    """Run a command line in a new shell until all users of its streams have ended. Returns its exit status."""
    shell = new_shell(phone, who)
    job = phone.jobs.start(("sh", "-c", command), who, shell.run_text(command, streams), on_signal=shell.take_signal)
    shell.set_pid(job.pid)
    try:
        status = await job.wait()
        while shell.holding_streams:
            await shell.holding_streams.pop().wait()
    finally:
        await phone.jobs.stop([job, *shell.holding_streams])
    return status
