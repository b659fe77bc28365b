"""Commands that run other commands: sh, timeout, taskset, time, nohup, env, xargs, sleep."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from dataclasses import replace

from navitas.virtual_phone.shell.commands.command_options import options, to_int, to_seconds, too_few
from navitas.virtual_phone.shell.commands.signals import signal_number
from navitas.virtual_phone.shell.context import BUILTINS, COMMANDS, Context, command
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.line_by_line import run_lines
from navitas.virtual_phone.shell.streams import decode

_TIMED_OUT, _KILLED_STATUS = 124, 137
_NOT_FOUND = 127


@command("sh", "mksh")
async def sh(context: Context) -> int:
    """`sh -c SCRIPT [NAME ARGUMENT…]`, `sh FILE ARGUMENT…`, or the script on standard input (`-s ARGUMENT…`)."""
    found = options(context, "ceuxlnsfC", mixed=False)
    shell = context.shell.fresh()
    shell.options = {letter for letter in "euxnfC" if letter in found}
    args = (context.name, *context.args)
    if "c" in found:
        if not found.rest:
            raise CommandError("-c requires an argument")
        script, *rest = found.rest
        shell.script_name, shell.arguments = (rest[0] if rest else shell.script_name), rest[1:]
        return await shell.as_process(args, script, context.streams)
    if found.rest and "s" not in found:
        try:
            with context.phone.files.open_read(context.path(found.rest[0]), shell.who) as file:
                text = decode(file.read())
        except OSError as error:
            await context.err(f"/system/bin/sh: {found.rest[0]}: {error.strerror}\n")
            return 127
        shell.script_name, shell.arguments = found.rest[0], found.rest[1:]
        return await shell.as_process(args, text, context.streams)
    shell.arguments = found.rest
    streams = context.streams.copy()
    lines = run_lines(shell, streams.stdin, streams)
    return await context.phone.jobs.run(
        args, shell.who, lines, group=shell.group, on_signal=shell.take_signal, started=shell.set_pid
    )


@command("sleep", "usleep")
async def sleep(context: Context) -> int:
    """Wait for the sum of the durations; usleep: in microseconds."""
    if not context.args:
        raise too_few(context, 1)
    unit = 1.0 if context.name == "sleep" else 1e-6
    await asyncio.sleep(sum(to_seconds(argument) for argument in context.args) * unit)
    return 0


@command("timeout")
async def timeout(context: Context) -> int:
    """Run a command, and signal it (-s, default TERM) after a duration: status 124, or 137 for KILL; -k DURATION kills it."""
    found = options(context, "k:s:vi", mixed=False)
    if len(found.rest) < 2:
        raise too_few(context, 2)
    number = signal_number(found.get("s", "TERM"))
    inner = context.with_args(found.rest[1:])
    require_program(context, inner.name)
    phone, shell = context.phone, context.shell.subshell()
    job = phone.jobs.start((inner.name, *inner.args), shell.who, shell.run_command(replace(inner, shell=shell)))
    try:
        await asyncio.wait([job.task], timeout=to_seconds(found.rest[0]))
        if job.task.done():
            return await job.wait()
        _signal(context, job.pid, number)
        await asyncio.wait([job.task], timeout=to_seconds(found.get("k")) if "k" in found else None)
        _signal(context, job.pid, signal.SIGKILL)
        return _KILLED_STATUS if number == signal.SIGKILL else _TIMED_OUT
    finally:
        await phone.jobs.stop([job])


def _signal(context: Context, pid: int, number: int) -> None:
    process = context.phone.processes.get(pid)
    if process is not None:
        process.send_signal(number)


@command("nohup", "setsid", "nice", "ionice")
async def plain_run(context: Context) -> int:
    """Run a command. Hang-ups and priorities have no effect on it."""
    found = options(context, "n:c:p:dw", mixed=False)
    if not found.rest:
        raise too_few(context, 1)
    return await context.shell.run_command(context.with_args(found.rest))


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


@command("time")
async def timed(context: Context) -> int:
    """Run a command and print its duration."""
    start = time.monotonic()
    status = await context.shell.run_command(context.with_args(context.args)) if context.args else 0
    seconds = time.monotonic() - start
    await context.err(f"    {int(seconds // 60)}m{seconds % 60:05.2f}s real     0m00.00s user     0m00.00s system\n")
    return status


@command("env")
async def env(context: Context) -> int:
    """Print the exported variables, or run a command with additional ones (-i: with no others, -u NAME: without one)."""
    found = options(context, "iu:0", mixed=False)
    shell = context.shell.subshell()
    for name in [*shell.exported] if "i" in found else found.values.get("u", []):
        shell.exported.discard(name)
        shell.variables.pop(name, None)
    args = list(found.rest)
    while args and "=" in args[0].lstrip("="):
        name, _, value = args.pop(0).partition("=")
        shell.exported.add(name)
        shell.assign(name, value)
    if args:
        require_program(context, args[0])
        return await shell.run_command(replace(context.with_args(args), shell=shell))
    await context.out("".join(f"{name}={value}\n" for name, value in shell.environment.items()))
    return 0


def require_program(context: Context, name: str) -> None:
    """Raise `CommandError` as toybox does if there is no such program."""
    if "/" not in name and name not in COMMANDS and name not in BUILTINS:
        raise CommandError(f"exec {name}: No such file or directory", _NOT_FOUND)


@command("printenv")
async def printenv(context: Context) -> int:
    """Print exported variables, all or by name."""
    variables = context.shell.environment
    if not context.args:
        await context.out("".join(f"{name}={value}\n" for name, value in variables.items()))
        return 0
    await context.out("".join(variables[name] + "\n" for name in context.args if name in variables))
    return 0 if all(name in variables for name in context.args) else 1


@command("xargs")
async def xargs(context: Context) -> int:
    """Run a command with arguments from standard input, separated by blanks or (-0) NUL, at most -n at a time."""
    found = options(context, "0n:r", mixed=False)
    data = decode(await context.stdin.read_all())
    items = [item for item in (data.split("\0") if "0" in found else re.split(r"\s+", data)) if item]
    if not items and "r" in found:
        return 0
    size = max(1, to_int(found.get("n", str(max(1, len(items))))))
    program = found.rest or ["echo"]
    status = 0
    for start in range(0, max(1, len(items)), size):
        status = await context.shell.run_command(context.with_args([*program, *items[start : start + size]])) or status
    return status
