"""Commands that run other commands: sh, timeout, time, nohup, env, xargs, sleep."""

from __future__ import annotations

import asyncio
import shlex
import time

from navitas.device.virtual.shell.commands.options import options, to_int, to_seconds
from navitas.device.virtual.shell.context import CommandError, Context, command, decode
from navitas.device.virtual.shell.interpreter import Interpreter
from navitas.device.virtual.shell.session import run_lines

_TIMED_OUT = 124


@command("sh", "mksh")
async def sh(context: Context) -> int:
    """`sh -c SCRIPT [NAME ARGUMENT…]`, `sh FILE ARGUMENT…`, or the script on standard input."""
    found = options(context, "ceuxl", mixed=False)
    outer = context.shell
    shell = Interpreter(context.phone, outer.who, outer.cwd, outer.environment)
    shell.pid, shell.depth, shell.holding_streams = outer.pid, outer.depth, outer.holding_streams
    shell.options = {letter for letter in "eu" if letter in found}
    if "c" in found:
        if not found.rest:
            raise CommandError("-c requires an argument")
        script, *rest = found.rest
        shell.script_name, shell.arguments = (rest[0] if rest else shell.script_name), rest[1:]
        return await shell.run_text(script, context.streams)
    if found.rest:
        try:
            with context.phone.files.open_read(context.path(found.rest[0]), outer.who) as file:
                text = decode(file.read())
        except OSError as error:
            await context.err(f"/system/bin/sh: {found.rest[0]}: {error.strerror}\n")
            return 127
        shell.script_name, shell.arguments = found.rest[0], found.rest[1:]
        return await shell.run_text(text, context.streams)
    return await run_lines(shell, context.stdin, context.streams)


@command("sleep")
async def sleep(context: Context) -> int:
    """Wait for the sum of the durations."""
    if not context.args:
        raise CommandError("Needs 1 argument")
    await asyncio.sleep(sum(to_seconds(argument) for argument in context.args))
    return 0


@command("timeout")
async def timeout(context: Context) -> int:
    """Run a command, and end it after a duration (status 124)."""
    found = options(context, "k:s:v", mixed=False)
    if len(found.rest) < 2:
        raise CommandError("Needs 2 arguments")
    try:
        async with asyncio.timeout(to_seconds(found.rest[0])):
            return await context.shell.run_command(context.with_args(found.rest[1:]))
    except TimeoutError:
        return _TIMED_OUT


@command("nohup", "setsid", "nice", "ionice")
async def plain_run(context: Context) -> int:
    """Run a command; on this phone nothing hangs up and all run alike."""
    found = options(context, "n:c:p:dw", mixed=False)
    if not found.rest:
        raise CommandError("Needs 1 argument")
    return await context.shell.run_command(context.with_args(found.rest))


@command("time")
async def timed(context: Context) -> int:
    """Run a command and tell how long it took."""
    start = time.monotonic()
    status = await context.shell.run_command(context.with_args(context.args)) if context.args else 0
    seconds = time.monotonic() - start
    await context.err(f"    {int(seconds // 60)}m{seconds % 60:05.2f}s real     0m00.00s user     0m00.00s system\n")
    return status


@command("env", "printenv")
async def env(context: Context) -> int:
    """Print the exported variables, or run a command with more of them."""
    args = list(context.args)
    values = []
    while args and "=" in args[0].lstrip("="):
        name, _, value = args.pop(0).partition("=")
        values.append((name, value))
    with context.shell.with_variables(values):
        if args and context.name == "env":
            return await context.shell.run_command(context.with_args(args))
        variables = context.shell.environment
        if args:
            await context.out("".join(variables[name] + "\n" for name in args if name in variables))
            return 0 if all(name in variables for name in args) else 1
        await context.out("".join(f"{name}={value}\n" for name, value in variables.items()))
    return 0


@command("xargs")
async def xargs(context: Context) -> int:
    """Run a command with arguments from standard input."""
    found = options(context, "0n:r", mixed=False)
    data = decode(await context.stdin.read_all())
    if "0" in found:
        items = [item for item in data.split("\0") if item]
    else:
        try:
            items = shlex.split(data)
        except ValueError as error:
            raise CommandError(str(error)) from None
    if not items and "r" in found:
        return 0
    size = max(1, to_int(found.get("n", str(max(1, len(items))))))
    status = 0
    for start in range(0, max(1, len(items)), size):
        status = (
            await context.shell.run_command(context.with_args([*(found.rest or ["echo"]), *items[start : start + size]]))
            or status
        )
    return status
