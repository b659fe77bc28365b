"""ps, pidof, pgrep, pkill."""

from __future__ import annotations

import asyncio
import re
import shlex

from navitas.virtual_phone.process_table import PhoneProcess
from navitas.virtual_phone.shell.commands.command_options import aligned, options
from navitas.virtual_phone.shell.commands.signals import signal_of
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError


def _visible(context: Context) -> list[PhoneProcess]:
    """Return the processes that a user sees: apps see only their own."""
    who = context.shell.who
    return [process for process in context.phone.processes.all() if who.package is None or process.who.uid == who.uid]


@command("ps")
async def ps(context: Context) -> None:
    """Print all processes (`-A`, the default here); -o with USER PID PPID NAME ARGS S."""
    found = options(context, "Aefo:p:")
    wanted = found.get("p").split(",")
    processes = [process for process in _visible(context) if "p" not in found or str(process.pid) in wanted]
    columns = [name.strip().upper() for name in found.get("o", "USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME").split(",")]
    columns = ["NAME" if name in ("CMD", "COMM") else name for name in columns]
    rows = [columns, *([_cell(process, name) for name in columns] for process in processes)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(columns))]
    for row in rows:
        line = " ".join(aligned(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        await context.out(line + "\n")


def _cell(process: PhoneProcess, column: str) -> str:
    cells = {
        "USER": process.who.name,
        "UID": str(process.who.uid),
        "PID": str(process.pid),
        "PPID": "1",
        "S": "S",
        # Not modelled: memory use, and wait channels.
        **dict.fromkeys(("VSZ", "RSS", "WCHAN", "ADDR"), "0"),
        "NAME": process.name,
        "ARGS": " ".join(process.args).replace("\n", " "),
    }
    if column not in cells:
        raise CommandError(f"bad -o {column}")
    return cells[column]


@command("pidof")
async def pidof(context: Context) -> int:
    """Print the pids of processes by name."""
    found = options(context, "s")
    pids = [str(process.pid) for name in found.rest for process in _visible(context) if _named(process, name)]
    pids = pids[:1] if "s" in found else pids
    await context.out(" ".join(pids) + "\n" if pids else "")
    return 0 if pids else 1


def _named(process: PhoneProcess, name: str) -> bool:
    return name in (process.name, process.name.rsplit("/", 1)[-1])


def _matching(context: Context, flags: str, args: list[str]) -> list[PhoneProcess]:
    if not args:
        raise CommandError("missing PATTERN")
    try:
        pattern = re.compile(f"(?:{args[0]})$" if "x" in flags else args[0])
    except re.error as error:
        raise CommandError(f"bad pattern: {error}") from None
    texts = ((process, " ".join(process.args) if "f" in flags else process.name) for process in _visible(context))
    return [process for process, text in texts if pattern.search(text) and not _is_itself(context, process)]


def _is_itself(context: Context, process: PhoneProcess) -> bool:
    """Return whether the process is the shell that runs only this command. One with more commands can match."""
    if process.pid != context.shell.pid:
        return False
    try:
        return process.args[:2] != ("sh", "-c") or shlex.split(process.args[2]) == [context.name, *context.args]
    except ValueError:
        return False


@command("pgrep")
async def pgrep(context: Context) -> int:
    """Print the pids of processes whose name (`-f`: command line) matches."""
    found = options(context, "flx")
    matching = _matching(context, "".join(found.values), found.rest)
    lines = [f"{process.pid} {process.name}\n" if "l" in found else f"{process.pid}\n" for process in matching]
    await context.out("".join(lines))
    return 0 if lines else 1


@command("pkill")
async def pkill(context: Context) -> int:
    """Signal processes whose name (`-f`: command line) matches."""
    flags = [argument for argument in context.args if re.fullmatch(r"-[flx]+", argument)]
    number, rest = signal_of([argument for argument in context.args if argument not in flags])
    matching = _matching(context, "".join(flags), rest)
    for process in matching:
        process.send_signal(number)
    await asyncio.sleep(0)  # if its own shell is among them, it ends here
    return 0 if matching else 1
