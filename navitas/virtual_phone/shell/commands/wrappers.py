"""Commands that run other commands: sh, timeout, taskset; and sleep."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import replace

from navitas.virtual_phone.shell.commands.command_options import options, to_seconds, too_few
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.shell.streams import decode

_TIMED_OUT = 124
_NOT_FOUND = 127


@command("sh")
async def sh(context: Context) -> int:
    """`sh -c SCRIPT [NAME ARGUMENT…]`, `sh FILE ARGUMENT…`, or the script on standard input (`-s ARGUMENT…`)."""
    found = options(context, "ceufls", mixed=False)
    shell = context.shell.fresh()
    shell.options = {letter for letter in "euf" if letter in found}
    args, streams = (context.name, *context.args), context.streams.copy()
    if "c" in found:
        if not found.rest:
            raise CommandError("-c requires an argument")
        script, *rest = found.rest
        shell.script_name, shell.arguments = (rest[0] if rest else shell.script_name), rest[1:]
        return await shell.as_process(args, shell.run_text(script, streams))
    if found.rest and "s" not in found:
        try:
            with context.phone.files.open_read(context.path(found.rest[0]), shell.who) as file:
                text = decode(file.read())
        except OSError as error:
            await context.err(f"/system/bin/sh: {found.rest[0]}: {error.strerror}\n")
            return 127
        shell.script_name, shell.arguments = found.rest[0], found.rest[1:]
        return await shell.as_process(args, shell.run_text(text, streams))
    shell.arguments = found.rest
    return await shell.as_process(args, shell.run_lines(streams.stdin, streams))


@command("sleep")
async def sleep(context: Context) -> None:
    """Wait for the sum of the durations."""
    if not context.args:
        raise too_few(context, 1)
    await asyncio.sleep(sum(to_seconds(argument) for argument in context.args))


@command("timeout")
async def timeout(context: Context) -> int:
    """Run a command, and end it after a duration: status 124."""
    args = options(context, "", mixed=False).rest
    if len(args) < 2:
        raise too_few(context, 2)
    inner = context.with_args(args[1:])
    require_program(context, inner.name)
    phone, shell = context.phone, context.shell.subshell()
    job = phone.jobs.start((inner.name, *inner.args), shell.who, shell.run_command(replace(inner, shell=shell)))
    try:
        await asyncio.wait([job.task], timeout=to_seconds(args[0]))
        if job.task.done():
            return await job.wait()
        if process := phone.processes.get(job.pid):
            process.send_signal(signal.SIGTERM)
        await asyncio.wait([job.task])
        return _TIMED_OUT
    finally:
        await phone.jobs.stop([job])


@command("taskset")
async def taskset(context: Context) -> int:
    """`taskset MASK COMMAND…`: run a command on the CPUs of a hexadecimal mask. `-p` and `-a` are not supported."""
    args = options(context, "", mixed=False).rest
    if len(args) < 2:
        raise CommandError("Needs 2 args" if args else 'Needs 1 argument (see "taskset --help")')
    if not re.fullmatch(r"[0-9a-fA-F]{1,256}", args[0]):
        raise CommandError(f"bad mask '{args[0]}'")
    mask = int(args[0], 16)
    shell = context.shell.subshell()
    shell.affinity = frozenset(cpu for cpu in range(context.phone.processes.cpu_count) if mask >> cpu & 1)
    if not shell.affinity:
        raise CommandError(f"failed to set pid {context.shell.pid}'s affinity: Invalid argument")
    inner = context.with_args(args[1:])
    require_program(context, inner.name)
    return await shell.run_command(replace(inner, shell=shell))


def require_program(context: Context, name: str) -> None:
    """Raise `CommandError` as toybox does if there is no such program."""
    if "/" not in name and name not in COMMANDS and name not in BUILTINS:
        raise CommandError(f"exec {name}: No such file or directory", _NOT_FOUND)
