"""trap, kill, wait."""

from __future__ import annotations

import asyncio
import signal

from navitas.virtual_phone.process_table import PhoneJob, PhoneProcess
from navitas.virtual_phone.shell.commands.command_options import whole_number
from navitas.virtual_phone.shell.context import Context, builtin
from navitas.virtual_phone.shell.state import CommandError

NUMBERS = {found.name.removeprefix("SIG"): found.value for found in signal.Signals}
_LAST_SIGNAL = 64
_KILLED = 128
_NOT_FOUND = 127


@builtin("trap")
async def trap(context: Context) -> int:
    """Run a script on signals or at the shell's end (EXIT)."""
    shell = context.shell
    args = [argument for argument in context.args if argument != "--"]
    if not args:
        raise CommandError("missing argument")
    script, *names = args
    if not names or whole_number(script) is not None:
        script, names = "-", args
    status = 0
    for name in names:
        number = _trap_number(name)
        if number is None:
            await context.err(f"/system/bin/sh: trap: bad signal: {name}\n")
            status = 1
        elif script == "-":
            shell.traps.pop(number, None)
        else:
            shell.traps[number] = script
    return status


def _trap_number(name: str) -> int | None:
    numbers = {"EXIT": 0, **NUMBERS}
    number = numbers.get(name.upper().removeprefix("SIG"), whole_number(name))
    return number if number in numbers.values() else None


@builtin("wait")
async def wait(context: Context) -> int:
    """Wait for background jobs: all of this shell's, or those named by pid. A signal with a trap ends the wait."""
    shell = context.shell
    status = 0
    if not context.args:
        for job in list(shell.jobs):
            status = await _wait_for(context, job)
            if status:
                return status
        return 0
    for name in context.args:
        if (pid := whole_number(name)) is None:
            raise CommandError(f"{name}: argument must be %job or process id", _NOT_FOUND)
        named = next((job for job in shell.jobs if job.pid == pid), None)
        status = _NOT_FOUND if named is None else await _wait_for(context, named, report_status=True)
    return status


async def _wait_for(context: Context, job: PhoneJob, *, report_status: bool = False) -> int:
    """Wait for one job. Returns its status if `report_status`, else 0; 128 and more if a signal came first."""
    shell = context.shell
    ending = asyncio.create_task(job.wait())
    signalled = asyncio.create_task(shell.signalled.wait())
    try:
        await asyncio.wait([ending, signalled], return_when=asyncio.FIRST_COMPLETED)
        if not ending.done():
            return _KILLED + (shell.pending[0] if shell.pending else 0)
        shell.jobs = [other for other in shell.jobs if other is not job]
        return ending.result() if report_status else 0
    finally:
        ending.cancel()
        signalled.cancel()


@builtin("kill")
async def kill(context: Context) -> int:
    """Send a signal to processes by pid, or (`-PID`) to a group."""
    number, names = signal_of(context.args)
    if not names:
        raise CommandError("missing argument")
    status = 0
    for name in names:
        named = _named(context, name)
        allowed = [process for process in named if process.who.uid == context.shell.who.uid]
        for process in allowed:
            process.send_signal(number)
        if not allowed:
            reason = "Operation not permitted" if named else "No such process"
            await context.err(f"/system/bin/sh: kill: {name}: {reason}\n")
            status = 1
    await asyncio.sleep(0)  # a shell that killed itself ends here
    return status


def _named(context: Context, name: str) -> list[PhoneProcess]:
    """Return the processes of a pid or of a group (`-PID`)."""
    table = context.phone.processes
    number = whole_number(name.removeprefix("-"))
    if number is None:
        return []
    if name.startswith("-"):
        return table.of_group(number)
    process = table.get(number)
    return [process] if process else []


def signal_of(args: list[str]) -> tuple[int, list[str]]:
    """Return the signal of `-9`, `-TERM` or `-s TERM` (default TERM), and the other arguments."""
    if args[:1] == ["-s"] and len(args) > 1:
        text, rest = args[1], args[2:]
    elif args and len(args[0]) > 1 and args[0][0] == "-" and args[0][1:].isalnum():
        text, rest = args[0][1:], args[1:]
    else:
        text, rest = "TERM", args
    number = NUMBERS.get(text.upper().removeprefix("SIG"), whole_number(text))
    if number is None or not 0 <= number <= _LAST_SIGNAL:
        raise CommandError(f"bad signal '{text}'")
    return number, [argument for argument in rest if argument != "--"]
