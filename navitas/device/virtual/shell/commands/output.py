"""cat, echo, printf, yes."""

from __future__ import annotations

import re
import shutil

from navitas.device.virtual.host_process import host_process
from navitas.device.virtual.shell.commands.options import options
from navitas.device.virtual.shell.context import CommandError, Context, builtin, command, encode
from navitas.device.virtual.shell.streams import PIECE_BYTES, FileSink

_SIMPLE_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34}
_ESCAPE = re.compile(rb"\\(?:0([0-7]{1,3})|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_CONVERSION = re.compile(rb"%(%|[-+ #0]*(?:\*|\d+)?(?:\.\d+)?[bcdeEfgGiosuxXq])")


@command("cat")
async def cat(context: Context) -> int:
    """Copy files, or standard input, to standard output."""
    status = 0
    for name in options(context, "u").rest or ["-"]:
        if name == "-":
            while data := await context.stdin.read():
                await context.out(data)
            continue
        try:
            with context.phone.files.open_read(context.path(name), context.shell.who) as file:
                while data := file.read(PIECE_BYTES):
                    await context.out(data)
        except OSError as error:
            await context.err(f"cat: {name}: {error.strerror}\n")
            status = 1
    return status


@builtin("echo")
async def echo(context: Context) -> int:
    """Print arguments with escapes, as mksh's does; `-n` without newline, `-E` without escapes."""
    args = list(context.args)
    flags = ""
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags += args.pop(0)[1:]
    data = encode(" ".join(args))
    end = b"" if "n" in flags else b"\n"
    if flags.replace("n", "")[-1:] != "E":
        data, stop, _ = data.partition(b"\\c")
        data = _unescape(data)
        end = b"" if stop else end
    await context.out(data + end)
    return 0


@builtin("printf")
async def printf(context: Context) -> int:
    """Print a format, again and again until the arguments are used up."""
    if not context.args:
        raise CommandError("usage: printf FORMAT [ARGUMENT...]")
    template = encode(context.args[0])
    left = [encode(argument) for argument in context.args[1:]]
    while True:
        before = len(left)
        await context.out(_format(template, left))
        if not left or len(left) == before:
            return 0


def _format(template: bytes, arguments: list[bytes]) -> bytes:
    out = []
    at = 0
    for match in _CONVERSION.finditer(template):
        out += [_unescape(template[at : match.start()]), _convert(match.group(1).decode(), arguments)]
        at = match.end()
    return b"".join([*out, _unescape(template[at:])])


def _convert(conversion: str, arguments: list[bytes]) -> bytes:
    if conversion == "%":
        return b"%"
    if "*" in conversion:
        conversion = conversion.replace("*", str(_integer(arguments.pop(0) if arguments else b"0")))
    value = arguments.pop(0) if arguments else b""
    kind = conversion[-1]
    if kind in "bcsq":
        text = _unescape(value) if kind == "b" else value[:1] if kind == "c" else value
        return f"%{conversion[:-1]}s".encode() % text
    if kind in "eEfgG":
        return f"%{conversion}".encode() % _real(value)
    return (f"%{conversion[:-1]}{'d' if kind in 'iu' else kind}".encode()) % _integer(value)


def _integer(text: bytes) -> int:
    try:
        return int(text or b"0", 0)
    except ValueError:
        raise CommandError(f"{text.decode('utf-8', 'replace')}: not a number") from None


def _real(text: bytes) -> float:
    try:
        return float(text or b"0")
    except ValueError:
        raise CommandError(f"{text.decode('utf-8', 'replace')}: not a number") from None


def _unescape(data: bytes) -> bytes:
    def replace(match: re.Match[bytes]) -> bytes:
        octal = match.group(1) or match.group(2)
        if octal:
            return bytes([int(octal, 8) & 0xFF])
        if match.group(3):
            return bytes([int(match.group(3), 16)])
        simple = _SIMPLE_ESCAPES.get(match.group(4).decode("latin-1"))
        return match.group() if simple is None else bytes([simple])

    return _ESCAPE.sub(replace, data)


@command("yes")
async def yes(context: Context) -> int:
    """Print a line for ever: a real process, so it keeps a virtual core busy."""
    program = shutil.which("yes")
    if program is None:
        raise CommandError("this machine has no 'yes' to stand for it")
    sink = context.streams.stdout
    null = isinstance(sink, FileSink) and sink.is_null
    argv = [program, *context.args]
    async with host_process(
        context.phone.processes, argv, name="yes", who=context.shell.who, app=False, discard_output=null
    ) as process:
        while data := await process.stdout.read():
            await context.out(data)
        return await process.wait()
