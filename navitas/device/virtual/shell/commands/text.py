"""wc, head, tail, grep."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterator

from navitas.device.virtual.shell.commands.options import options, to_int
from navitas.device.virtual.shell.context import CommandError, Context, command, encode
from navitas.device.virtual.shell.streams import FileSource, Input


async def inputs(context: Context, names: list[str]) -> AsyncIterator[tuple[str, Input]]:
    """The named files, or standard input (`-`, or without names); missing ones raise `OSError`."""
    for name in names or ["-"]:
        if name == "-":
            yield name, context.stdin
            continue
        try:
            source = Input(FileSource(context.phone.files.open_read(context.path(name), context.shell.who)))
        except OSError as error:
            raise CommandError(f"{name}: {error.strerror}") from None
        try:
            yield name, source
        finally:
            source.close()


@command("wc")
async def wc(context: Context) -> int:
    """Count lines, words and bytes."""
    found = options(context, "lwcm")
    chosen = [letter for letter in "lwc" if letter in found or (letter == "c" and "m" in found)] or list("lwc")
    totals = dict.fromkeys("lwc", 0)
    async for name, source in inputs(context, found.rest):
        counts = dict.fromkeys("lwc", 0)
        async for line in source.lines():
            counts["l"] += line.endswith(b"\n")
            counts["w"] += len(line.split())
            counts["c"] += len(line)
        totals = {key: totals[key] + counts[key] for key in totals}
        await context.out(" ".join(str(counts[key]) for key in chosen) + (f" {name}\n" if found.rest else "\n"))
    if len(found.rest) > 1:
        await context.out(" ".join(str(totals[key]) for key in chosen) + " total\n")
    return 0


def _numbered(context: Context) -> None:
    """`head -5` is `head -n 5`."""
    if context.args and re.fullmatch(r"-\d+", context.args[0]):
        context.args[:1] = ["-n", context.args[0][1:]]


@command("head")
async def head(context: Context) -> int:
    """First lines (`-n`) or bytes (`-c`)."""
    _numbered(context)
    found = options(context, "n:c:q")
    async for name, source in inputs(context, found.rest):
        if len(found.rest) > 1 and "q" not in found:
            await context.out(f"==> {name} <==\n")
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


@command("tail")
async def tail(context: Context) -> int:
    """Last lines (`-n N`, or from line N on with `-n +N`) or bytes (`-c`)."""
    _numbered(context)
    found = options(context, "n:c:q")
    count = found.get("n", "10")
    async for _, source in inputs(context, found.rest):
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


def _basic_to_python(pattern: str) -> str:
    """A basic regular expression in Python's syntax: + ? | ( ) { } are plain unless escaped."""
    return re.sub(r"\\([+?|(){}])|([+?|(){}])", lambda found: found.group(1) or "\\" + found.group(2), pattern)


@command("grep", "egrep", "fgrep")
async def grep(context: Context) -> int:
    """Lines that match; -E -F -i -v -c -n -q -l -o -w -x -e -m -h -H -s."""
    found = options(context, "EFivcnqlowxe:m:hHsa")
    names = list(found.rest)
    patterns = found.values.get("e", [])
    if not patterns:
        if not names:
            raise CommandError("no REGEX", 2)
        patterns = [names.pop(0)]
    regex = _regex(context, "\n".join(patterns).split("\n"), set(found.values))
    limit = found.number("m", -1)
    titled = ("H" in found or len(names) > 1) and "h" not in found
    any_match = False
    async for name, source in inputs(context, names):
        count = number = 0
        prefix = encode(f"{name}:") if titled else b""
        async for line in source.lines():
            number += 1
            content = line.rstrip(b"\n")
            matched = regex.search(content)
            if bool(matched) == ("v" in found):
                continue
            count += 1
            any_match = True
            if "q" in found:
                return 0
            if "c" not in found and "l" not in found:
                place = prefix + (b"%d:" % number if "n" in found else b"")
                shown = [part.group() for part in regex.finditer(content)] if "o" in found and matched else [content]
                await context.out(b"".join(place + part + b"\n" for part in shown))
            if count == limit:
                break
        if "c" in found:
            await context.out(prefix + b"%d\n" % count)
        if "l" in found and count:
            await context.out(f"{name}\n")
    return 0 if any_match else 1


def _regex(context: Context, patterns: list[str], flags: set[str]) -> re.Pattern[bytes]:
    fixed = "F" in flags or context.name == "fgrep"
    extended = "E" in flags or context.name == "egrep"
    sources = [re.escape(text) if fixed else text if extended else _basic_to_python(text) for text in patterns]
    source = "|".join(f"(?:{text})" for text in sources)
    source = rf"(?<!\w)(?:{source})(?!\w)" if "w" in flags else rf"^(?:{source})$" if "x" in flags else source
    try:
        return re.compile(encode(source), re.IGNORECASE if "i" in flags else 0)
    except re.error as error:
        raise CommandError(f"bad REGEX: {error}", 2) from None
