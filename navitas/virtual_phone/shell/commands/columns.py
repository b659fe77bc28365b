"""sort, uniq, tr, cut, tee, seq, basename, dirname, base64, md5sum and similar programs."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import options, to_int, too_few
from navitas.virtual_phone.shell.commands.text_commands import inputs
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.streams import FileSink, encode

_MAX_SEQUENCE = 10_000_000
_CLASSES = {
    name: bytes(code for code in range(128) if holds(chr(code)))
    for name, holds in {
        b"alnum": str.isalnum, b"alpha": str.isalpha, b"digit": str.isdigit, b"lower": str.islower, b"upper": str.isupper,
        b"space": str.isspace, b"print": str.isprintable,
    }.items()
}  # fmt: skip


@command("sort")
async def sort(context: Context) -> int:
    """Sort lines; -n -r -u -k N -t C."""
    found = options(context, "nruk:t:fb")
    lines: list[bytes] = []
    async for _, source in inputs(context, found.rest):
        async for line in source.lines():
            lines.append(line.rstrip(b"\n"))
    column = to_int(re.split(r"[,.nr]", found.get("k", "0"))[0])
    separator = encode(found.get("t")) or None

    def key(line: bytes) -> tuple[float, bytes]:
        fields = line.split(separator)
        text = b" ".join(fields[column - 1 :]) if column > 0 else line
        number = re.match(rb"\s*-?\d+(\.\d+)?", text)
        return (float(number.group()) if number else 0.0, text) if "n" in found else (0.0, text)

    lines.sort(key=key, reverse="r" in found)
    if "u" in found:
        lines = list(dict.fromkeys(lines))
    await context.out(b"".join(line + b"\n" for line in lines))
    return 0


@command("uniq")
async def uniq(context: Context) -> int:
    """Drop lines equal to the previous one; `-c` with counts, `-d` only repeated ones."""
    found = options(context, "cdu")
    groups: list[tuple[bytes, int]] = []
    async for _, source in inputs(context, found.rest[:1]):
        async for line in source.lines():
            content = line.rstrip(b"\n")
            if groups and groups[-1][0] == content:
                groups[-1] = (content, groups[-1][1] + 1)
            else:
                groups.append((content, 1))
    for line, count in groups:
        if ("d" in found and count == 1) or ("u" in found and count > 1):
            continue
        await context.out((b"%7d " % count if "c" in found else b"") + line + b"\n")
    return 0


@command("tr")
async def tr(context: Context) -> int:
    """Translate bytes, `-d` delete them, `-s` squeeze repeats; ranges and \\n \\t \\0 \\r \\\\."""
    found = options(context, "dscC", mixed=False)
    sets = [_byte_set(argument) for argument in found.rest]
    if sets and ("c" in found or "C" in found):
        sets[0] = bytes(code for code in range(256) if code not in sets[0])
    if not 1 <= len(sets) <= 2 or not sets[-1] or (len(sets) == 1 and not found.values):
        raise CommandError("wrong number of arguments")
    table = None
    if len(sets) == 2 and "d" not in found:
        table = bytes.maketrans(sets[0], (sets[1] + sets[1][-1:] * len(sets[0]))[: len(sets[0])])
    squeeze = re.compile(rb"([" + re.escape(sets[-1]) + rb"])\1+", re.DOTALL) if "s" in found else None
    last = b""
    while data := await context.stdin.read():
        translated = data.translate(table, sets[0] if "d" in found else b"")
        if squeeze is not None:
            joined = squeeze.sub(rb"\1", last + translated)
            translated, last = joined[len(last) :], joined[-1:]
        await context.out(translated)
    return 0


def _byte_set(text: str) -> bytes:
    data = encode(text)
    for name, members in _CLASSES.items():
        data = data.replace(b"[:" + name + b":]", members)
    for escape, value in ((b"\\n", b"\n"), (b"\\t", b"\t"), (b"\\0", b"\0"), (b"\\r", b"\r"), (b"\\\\", b"\\")):
        data = data.replace(escape, value)
    return re.sub(rb"(.)-(.)", lambda found: bytes(range(found[1][0], found[2][0] + 1)), data, flags=re.DOTALL)


@command("cut")
async def cut(context: Context) -> int:
    """Print fields (`-d C -f LIST`) or characters (`-c LIST`) of each line."""
    found = options(context, "d:f:c:b:s")
    wanted = _ranges(found.get("f") or found.get("c") or found.get("b"))
    separator = encode(found.get("d", "\t"))
    async for _, source in inputs(context, found.rest):
        async for line in source.lines():
            content = line.rstrip(b"\n")
            if "f" not in found:
                content = b"".join(content[index : index + 1] for index in range(len(content)) if wanted(index + 1))
            elif separator in content:
                content = separator.join(part for index, part in enumerate(content.split(separator)) if wanted(index + 1))
            elif "s" in found:
                continue
            await context.out(content + b"\n")
    return 0


def _ranges(text: str) -> Callable[[int], bool]:
    """Return a test for numbers, from 1, in a list such as `1,3-5,7-`."""
    spans = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d*)(-?)(\d*)", part)
        if not part or match is None or part == "-":
            raise CommandError(f"bad list '{text}'")
        first, dash, last = match.groups()
        start = int(first or 1)
        spans.append((start, int(last) if last else 1 << 62 if dash else start))
    return lambda number: any(start <= number <= end for start, end in spans)


@command("tee")
async def tee(context: Context) -> int:
    """Copy standard input to files (`-a` appended) and standard output."""
    found = options(context, "ai")
    who = context.shell.who
    sinks: list[FileSink] = []
    status = 0
    mode = 0o666 & ~context.shell.umask
    for name in found.rest:
        try:
            sinks.append(FileSink(context.phone.files.open_write(context.path(name), who, append="a" in found, mode=mode)))
        except OSError as error:
            await context.err(f"tee: {name}: {error.strerror}\n")
            status = 1
    try:
        while data := await context.stdin.read():
            for sink in sinks:
                await sink.write(data)
            await context.out(data)
    finally:
        for sink in sinks:
            sink.close()
    return status


@command("seq")
async def seq(context: Context) -> int:
    """Print numbers from FIRST (1) by STEP (1) to LAST; -s separator, -w equal width."""
    separator, args, same_width = "\n", list(context.args), False
    while args and args[0] in ("-s", "-w"):
        same_width = args.pop(0) == "-w" or same_width
        separator = args.pop(0) if args and not same_width else separator
    if not 1 <= len(args) <= 3:
        raise too_few(context, 1)
    try:
        values = [Decimal(argument) for argument in args]
    except InvalidOperation:
        raise CommandError(f"strtod {args[0]}: Argument list too long") from None
    first, step, last = {1: (Decimal(1), Decimal(1), values[-1]), 2: (values[0], Decimal(1), values[-1])}.get(
        len(values), (values[0], values[len(values) // 2], values[-1])
    )
    if not all(value.is_finite() for value in values) or step == 0 or abs((last - first) / step) > _MAX_SEQUENCE:
        raise CommandError("bad increment")
    count = max(0, int((last - first) / step) + 1) if (last - first) / step >= 0 else 0
    places = max(-min(0, int(value.as_tuple().exponent)) for value in values)
    texts = [f"{first + step * index:.{places}f}" for index in range(count)]
    width = max(map(len, texts), default=0) if same_width else 0
    await context.out(separator.join(text.zfill(width) for text in texts) + ("\n" if texts else ""))
    return 0


@command("basename")
async def basename(context: Context) -> int:
    """Print the last component of a path, without a suffix."""
    if not context.args:
        raise CommandError("Needs 1 argument")
    name = PurePosixPath(context.args[0]).name or "/"
    suffix = context.args[1] if len(context.args) > 1 else ""
    await context.out((name.removesuffix(suffix) or name) + "\n")
    return 0


@command("dirname")
async def dirname(context: Context) -> int:
    """Print all but the last component of a path."""
    if not context.args:
        raise CommandError("Needs 1 argument")
    await context.out(f"{PurePosixPath(context.args[0]).parent}\n")
    return 0


@command("base64")
async def base64_command(context: Context) -> int:
    """Encode, or (`-d`) decode; `-w 0` prints one line."""
    found = options(context, "diw:")
    async for _, source in inputs(context, found.rest[:1]):
        data = await source.read_all()
        if "d" in found:
            try:
                await context.out(base64.b64decode(data))
            except ValueError:
                raise CommandError("bad input") from None
            continue
        text = base64.b64encode(data)
        width = found.number("w", 76)
        lines = [text[start : start + width] + b"\n" for start in range(0, len(text), width)] if width else [text]
        await context.out(b"".join(lines))
    return 0


@command("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha512sum")
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
