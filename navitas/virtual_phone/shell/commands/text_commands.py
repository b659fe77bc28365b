"""wc, head, tail."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterator

from navitas.virtual_phone.shell.commands.command_options import Options, options, to_int
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.streams import Input


async def inputs(context: Context, names: list[str]) -> AsyncIterator[tuple[str, Input]]:
    """Yield the named files, or standard input (`-`, or without names). Raises `CommandError` for missing ones."""
    for name in names or ["-"]:
        try:
            source = context.open_input(name)
        except OSError as error:
            raise CommandError(f"{name}: {error.strerror}") from None
        try:
            yield name, source
        finally:
            if source is not context.stdin:
                source.close()


@command("wc")
async def wc(context: Context) -> int:
    """Count lines, words, bytes and (-m) characters."""
    found = options(context, "lwcm")
    chosen = [letter for letter in "lwcm" if letter in found] or list("lwc")
    totals = dict.fromkeys("lwcm", 0)
    # toybox aligns columns if there are several rows, or several columns without a name.
    width = 7 if len(found.rest) > 1 or (not found.rest and len(chosen) > 1) else 0
    async for name, source in inputs(context, found.rest):
        counts = dict.fromkeys("lwcm", 0)
        async for line in source.lines():
            counts["l"] += line.endswith(b"\n")
            counts["w"] += len(line.split())
            counts["c"] += len(line)
            counts["m"] += len(line.decode("utf-8", "replace"))
        totals = {key: totals[key] + counts[key] for key in totals}
        await context.out(_row(counts, chosen, width) + (f" {name}\n" if found.rest else "\n"))
    if len(found.rest) > 1:
        await context.out(_row(totals, chosen, width) + " total\n")
    return 0


def _row(counts: dict[str, int], chosen: list[str], width: int) -> str:
    return " ".join(f"{counts[key]:{width}d}" if width else str(counts[key]) for key in chosen)


def _numbered(context: Context) -> None:
    """Convert `head -5` to `head -n 5`."""
    if context.args and re.fullmatch(r"-\d+", context.args[0]):
        context.args[:1] = ["-n", context.args[0][1:]]


@command("head")
async def head(context: Context) -> int:
    """Print the first lines (`-n`) or bytes (`-c`)."""
    _numbered(context)
    found = options(context, "n:c:q")
    if found.number("n", 10) < 0:
        raise CommandError('-n < 0 (see "head --help")')
    first = True
    async for name, source in inputs(context, found.rest):
        first = await _heading(context, found, name, first=first)
        if "c" in found:
            left = found.number("c", 0)
            while left > 0 and (data := await source.read()):
                await context.out(data[:left])
                left -= len(data)
            continue
        for _ in range(found.number("n", 10)):
            line = await source.readline()
            if not line:
                break
            await context.out(line)
    return 0


async def _heading(context: Context, found: Options, name: str, *, first: bool) -> bool:
    """Print a title if there are several files. Returns False, the next value of `first`."""
    if len(found.rest) > 1 and "q" not in found:
        await context.out(("" if first else "\n") + f"==> {name} <==\n")
    return False


@command("tail")
async def tail(context: Context) -> int:
    """Print the last lines (`-n N`, or from line N on with `-n +N`) or bytes (`-c`)."""
    _numbered(context)
    found = options(context, "n:c:q")
    count = found.get("n", "10")
    first = True
    async for name, source in inputs(context, found.rest):
        first = await _heading(context, found, name, first=first)
        if "c" in found:
            size = abs(found.number("c", 0))
            data = await source.read_all()
            await context.out(data[-size:] if size else b"")
        elif count.startswith("+"):
            skip = to_int(count) - 1
            async for line in source.lines():
                skip -= 1
                if skip < 0:
                    await context.out(line)
        else:
            lines: deque[bytes] = deque(maxlen=abs(to_int(count)))
            async for line in source.lines():
                lines.append(line)
            await context.out(b"".join(lines))
    return 0
