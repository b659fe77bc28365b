"""cat, echo, printf, yes."""

from __future__ import annotations

import re
import shutil

from navitas.virtual_phone.host_process import host_process
from navitas.virtual_phone.shell.commands.command_options import options, too_few
from navitas.virtual_phone.shell.context import Context, builtin, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.shell.streams import discard, encode

_SIMPLE_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34}
_ESCAPE = re.compile(rb"\\(?:0([0-7]{1,3})|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_CONVERSION = re.compile(rb"%(%|[-+ #0]*\d*(?:\.\d+)?.)", re.DOTALL)
_KINDS = "%bcdiosuxX"


@command("cat")
async def cat(context: Context) -> int:
    """Copy files, or standard input, to standard output."""
    found = options(context, "u")
    status = 0
    for name in found.rest or ["-"]:
        try:
            source = context.open_input(name)
            while data := await source.read():
                await context.out(data)
            if source is not context.stdin:
                source.close()
        except OSError as error:
            await context.err(f"cat: {name}: {error.strerror}\n")
            status = 1
    return status


@builtin("echo")
async def echo(context: Context) -> None:
    """Print arguments with escapes, as mksh does; `-n` without newline, `-E` without escapes."""
    args = list(context.args)
    flags = ""
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags += args.pop(0)[1:]
    data = encode(" ".join(args))
    end = b"" if "n" in flags else b"\n"
    if flags.replace("n", "")[-1:] != "E":
        # mksh prints the text after \c, but no newline.
        end = b"" if b"\\c" in data else end
        data = _unescape(data.replace(b"\\c", b""))
    await context.out(data + end)


@command("printf")
async def printf(context: Context) -> int:
    """Print a format repeatedly until all arguments are used."""
    if not context.args:
        raise too_few(context, 1)
    template = encode(context.args[0])
    left = [encode(argument) for argument in context.args[1:]]
    bad: list[str] = []
    while True:
        before = len(left)
        await context.out(_format(template, left, bad))
        await context.err("".join(f"printf: {reason}\n" for reason in bad))
        if bad or not left or len(left) == before:
            return int(bool(bad))


def _format(template: bytes, arguments: list[bytes], bad: list[str]) -> bytes:
    out = []
    at = 0
    for match in _CONVERSION.finditer(template):
        out.append(_unescape(template[at : match.start()]))
        at = match.end()
        conversion = match.group(1).decode("utf-8", "replace")
        if conversion[-1] not in _KINDS:
            bad.append(f"bad %{conversion}@{match.start() + 2}")
            return b"".join(out)
        try:
            out.append(_convert(conversion, arguments))
        except ValueError as error:
            bad.append(f"bad %{conversion[-1]} {error}")
            out.append(_convert(conversion, [b"0"]))
    return b"".join([*out, _unescape(template[at:])])


def _convert(conversion: str, arguments: list[bytes]) -> bytes:
    if conversion == "%":
        return b"%"
    value = arguments.pop(0) if arguments else b""
    kind = conversion[-1]
    if kind in "bcs":
        text = _unescape(value) if kind == "b" else value[:1] if kind == "c" else value
        return f"%{conversion[:-1]}s".encode() % text
    return (f"%{conversion[:-1]}{'d' if kind in 'iu' else kind}".encode()) % _integer(value)


def _integer(text: bytes) -> int:
    try:
        return int(text or b"0", 0)
    except ValueError:
        raise ValueError(text.decode("utf-8", "replace")) from None


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
    """Print a line repeatedly, with a real process, which keeps a virtual core busy."""
    program = shutil.which("yes")
    if program is None:
        raise CommandError("this machine has no program 'yes'")
    null = context.streams.stdout is discard
    argv = [program, *context.args]
    shell = context.shell
    async with host_process(context.phone.processes, argv, name="yes", who=shell.who, discard_output=null) as process:
        if shell.affinity is not None:
            context.phone.kernel.bind_process(process.pid, shell.affinity)
        while data := await process.stdout.read():
            await context.out(data)
        return await process.wait()
