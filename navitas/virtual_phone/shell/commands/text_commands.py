"""Programs that read text and files: wc, head, tail, sort, seq, grep, base64, md5sum, sha256sum, unzip."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections import deque
from collections.abc import AsyncIterator

from navitas.virtual_phone.releases import has
from navitas.virtual_phone.shell.commands.command_options import Options, options, to_int, too_few
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.shell.streams import Input, encode

_MAX_SEQUENCE = 10_000_000
_MAX_ARCHIVE_BYTES = 256 << 20
_NO_MATCH, _TROUBLE = 1, 2


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
async def wc(context: Context) -> None:
    """Count lines, words and bytes."""
    found = options(context, "lwc")
    chosen = [letter for letter in "lwc" if letter in found] or list("lwc")
    totals = dict.fromkeys("lwc", 0)
    # toybox aligns columns if there are several rows, or several columns without a name.
    width = 7 if len(found.rest) > 1 or (not found.rest and len(chosen) > 1) else 0
    async for name, source in inputs(context, found.rest):
        counts = dict.fromkeys("lwc", 0)
        async for line in source.lines():
            counts["l"] += line.endswith(b"\n")
            counts["w"] += len(line.split())
            counts["c"] += len(line)
        totals = {key: totals[key] + counts[key] for key in totals}
        await context.out(_row(counts, chosen, width) + (f" {name}\n" if found.rest else "\n"))
    if len(found.rest) > 1:
        await context.out(_row(totals, chosen, width) + " total\n")


def _row(counts: dict[str, int], chosen: list[str], width: int) -> str:
    return " ".join(f"{counts[key]:{width}d}" if width else str(counts[key]) for key in chosen)


def _numbered(context: Context) -> None:
    """Convert `head -5` to `head -n 5`."""
    if context.args and re.fullmatch(r"-\d+", context.args[0]):
        context.args[:1] = ["-n", context.args[0][1:]]


@command("head")
async def head(context: Context) -> None:
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


async def _heading(context: Context, found: Options, name: str, *, first: bool) -> bool:
    """Print a title if there are several files. Returns False, the next value of `first`."""
    if len(found.rest) > 1 and "q" not in found:
        await context.out(("" if first else "\n") + f"==> {name} <==\n")
    return False


@command("tail")
async def tail(context: Context) -> None:
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


@command("sort")
async def sort(context: Context) -> int:
    """Sort lines; -n -r -u."""
    found = options(context, "nru")
    lines: list[bytes] = []
    async for _, source in inputs(context, found.rest):
        async for line in source.lines():
            lines.append(line.rstrip(b"\n"))

    def key(line: bytes) -> tuple[float, bytes]:
        number = re.match(rb"\s*-?\d+(\.\d+)?", line) if "n" in found else None
        return float(number.group()) if number else 0.0, line

    lines.sort(key=key, reverse="r" in found)
    if "u" in found:
        lines = list(dict.fromkeys(lines))
    await context.out(b"".join(line + b"\n" for line in lines))
    return 0


@command("seq")
async def seq(context: Context) -> None:
    """Print whole numbers from FIRST (1) by STEP (1) to LAST."""
    if not 1 <= len(context.args) <= 3:
        raise too_few(context, 1)
    *start, last = map(to_int, context.args)
    first, step = (*start, *(1, 1)[len(start) :])
    if step == 0 or abs((last - first) // step) > _MAX_SEQUENCE:
        raise CommandError("bad increment")
    await context.out("".join(f"{number}\n" for number in range(first, last + (1 if step > 0 else -1), step)))


@command("base64")
async def base64_command(context: Context) -> None:
    """Encode, or (`-d`) decode."""
    found = options(context, "d")
    async for _, source in inputs(context, found.rest[:1]):
        data = await source.read_all()
        if "d" in found:
            try:
                await context.out(base64.b64decode(data))
            except ValueError:
                raise CommandError("bad input") from None
            continue
        text = base64.b64encode(data)
        await context.out(b"".join(text[start : start + 76] + b"\n" for start in range(0, len(text), 76)))


@command("md5sum", "sha256sum")
async def checksum(context: Context) -> int:
    """Print digests of files; `-b` without names."""
    found = options(context, "b")
    status = 0
    for name in found.rest or ["-"]:
        digest = hashlib.new(context.name.removesuffix("sum"))
        try:
            async for _, source in inputs(context, [name]):
                while data := await source.read():
                    digest.update(data)
        except CommandError as error:
            await context.err(f"{context.name}: {error.message}\n")
            status = 1
            continue
        await context.out(digest.hexdigest() + ("\n" if "b" in found else f"  {name}\n"))
    return status


@command("unzip")
async def unzip(context: Context) -> None:
    """`unzip -p FILE [ENTRY…]` prints entries. It writes no files."""
    if not has("unzip", context.phone.sdk):
        raise CommandError("inaccessible or not found", 127)
    found = options(context, "p")
    if "p" not in found or not found.rest:
        raise CommandError("usage: unzip -p FILE [ENTRY...]")
    name, *wanted = found.rest
    with context.phone.files.open_read(context.path(name), context.shell.who) as file:
        data = file.read(_MAX_ARCHIVE_BYTES)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise CommandError(f"couldn't open {name}: Invalid file", 1) from None
    entries = [entry for entry in archive.infolist() if not wanted or entry.filename in wanted]
    if not entries and wanted:
        raise CommandError("caution: filename not matched", 11)
    for entry in entries:
        await context.out(archive.read(entry))


@command("grep")
async def grep(context: Context) -> int:
    """Print matching lines; -E -F -i -v -c -n -q -l -s, -e PATTERN, -m COUNT."""
    found = options(context, "EFivcnqlse:m:")
    names = list(found.rest)
    patterns = found.values.get("e", [])
    if not patterns:
        if not names:
            raise CommandError('no REGEX (see "grep --help")', _TROUBLE)
        patterns = [names.pop(0)]
    regex = _regex("\n".join(patterns).split("\n"), set(found.values))
    status, has_trouble = _NO_MATCH, False
    for name in names or ["-"]:
        prefix = encode(f"{name}:") if len(names) > 1 else b""
        try:
            source = context.open_input(name)
            count = await _search(context, found, regex, source, prefix)
        except OSError as error:
            has_trouble = True
            await context.err("" if "s" in found else f"{context.name}: {name}: {error.strerror}\n")
            continue
        status = 0 if count else status
        if count and "q" in found:
            return 0
        if "c" in found:
            await context.out(prefix + b"%d\n" % count)
        if "l" in found and count:
            await context.out(f"{name}\n")
        if source is not context.stdin:
            source.close()
    return _TROUBLE if has_trouble else status


async def _search(context: Context, found: Options, regex: re.Pattern[bytes], source: Input, prefix: bytes) -> int:
    """Print the matching lines of one file. Returns their number."""
    limit = 1 if "q" in found else found.number("m", -1)
    count = number = 0
    async for line in source.lines():
        number += 1
        content = line.rstrip(b"\n")
        if bool(regex.search(content)) == ("v" in found):
            continue
        count += 1
        if not {"c", "l", "q"} & found.values.keys():
            await context.out(prefix + (b"%d:" % number if "n" in found else b"") + content + b"\n")
        if count == limit:
            break
    return count


def _regex(patterns: list[str], flags: set[str]) -> re.Pattern[bytes]:
    sources = [re.escape(text) if "F" in flags else text if "E" in flags else _basic_to_python(text) for text in patterns]
    try:
        return re.compile(encode("|".join(f"(?:{text})" for text in sources)), re.IGNORECASE if "i" in flags else 0)
    except re.error:
        raise CommandError(f"bad regex '{patterns[0]}': Invalid regular expression", _TROUBLE) from None


def _basic_to_python(pattern: str) -> str:
    """Convert a basic regular expression to Python's syntax: + ? | ( ) { } are literal unless escaped."""
    return re.sub(r"\\([+?|(){}])|([+?|(){}])", lambda found: found.group(1) or "\\" + found.group(2), pattern)
