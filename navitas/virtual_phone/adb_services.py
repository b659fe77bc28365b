"""The services that adb hosts can open on the phone: shell, exec, sync, tcp (AOSP adb: daemon/services.cpp)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from navitas.capture.device import shell_v2
from navitas.virtual_phone.adbd import AdbStream, Service, StreamClosed
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.command_line import Terminal, run_shell
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.streams import BrokenPipe, Input, Pipe, Write
from navitas.virtual_phone.sync import SyncService

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
_MAX_PACKET_DATA = 64 * 1024
_MAX_PORT = 65535
_FROM_INPUT = "exec sh"


def banner(phone: Phone) -> bytes:
    """Return the phone's banner, which it sends on connection."""
    properties = ";".join(
        f"{key}={phone.properties.get(key)}" for key in ("ro.product.name", "ro.product.model", "ro.product.device")
    )
    return f"device::{properties};features={','.join(FEATURES)}".encode()


def router(phone: Phone) -> Callable[[str], Service | None]:
    """Return a function from the text of an OPEN packet to its service, or to None to refuse it."""

    def route(name: str) -> Service | None:
        kind, _, rest = name.partition(":")
        word, *options = kind.split(",")
        if word == "shell":
            terminal = "pty" in options or ("raw" not in options and not rest)
            serve = _shell_v2 if "v2" in options else _shell_v1
            return lambda stream: serve(phone, rest, stream, terminal=terminal)
        if word == "tcp":
            return lambda stream: _connect(rest, stream)
        services: dict[str, Service] = {
            "sync": lambda stream: SyncService(phone.files, stream).serve(),
            "exec": lambda stream: _raw(phone, rest, stream),
            "root": lambda stream: stream.write(b"adbd cannot run as root in production builds\n"),
            "unroot": lambda stream: stream.write(b"adbd not running as root\n"),
            "remount": lambda stream: stream.write(b'Not running as root. Try "adb root" first.\n'),
            "reverse": lambda stream: stream.write(_reverse(rest)),
            "jdwp": lambda stream: stream.write(b""),  # no process waits for a debugger
            "track-jdwp": _track_nothing,
        }
        return services.get(word)

    return route


def _reverse(command: str) -> bytes:
    """Answer `adb reverse` with an empty list, or refuse it with a reason."""
    if command in ("list-forward", "killforward-all"):
        return b"OKAY0000" if command == "list-forward" else b"OKAY"
    reason = b"reverse forwarding is not modelled: apps of this phone reach the host's ports at 127.0.0.1"
    return b"FAIL" + f"{len(reason):04x}".encode() + reason


async def _track_nothing(stream: AdbStream) -> None:
    """`track-jdwp`: send an empty list, and wait until the host closes the stream."""
    await stream.write(b"0000")
    while await stream.read():
        continue


async def _connect(address: str, stream: AdbStream) -> None:
    """`tcp:PORT`, for `adb forward`: connect to a port on which an app of the phone listens."""
    if not address.isdecimal() or not 0 < int(address) <= _MAX_PORT:
        return
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address))
    except OSError:
        return

    async def up() -> None:
        while data := await stream.read():
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    upward = asyncio.create_task(up())
    try:
        while data := await reader.read(_MAX_PACKET_DATA):
            await stream.write(data)
    except ConnectionError:
        pass
    finally:
        upward.cancel()
        await asyncio.gather(upward, return_exceptions=True)
        writer.close()


def _guard(write: Write) -> Write:
    """Wrap a write for commands, which handle broken pipes, but not closed streams."""

    async def guarded(data: bytes) -> None:
        try:
            await write(data)
        except StreamClosed:
            raise BrokenPipe from None

    return guarded


async def _raw(phone: Phone, command: str, stream: AdbStream) -> None:
    """`exec:`: raw input, and output merged with standard error. There is no exit code."""
    output = _guard(stream.write)
    await run_shell(phone, command or _FROM_INPUT, SHELL, Streams(Input(stream.read), output, output), lambda: stream.closed)


async def _shell_v1(phone: Phone, command: str, stream: AdbStream, *, terminal: bool) -> None:
    """`shell:` without v2: one merged output, no exit code."""
    if terminal:
        screen = Terminal(phone, _guard(stream.write))
        await _until_first(_feed_v1(stream, screen), screen.run(command))
        return
    await _raw(phone, command, stream)


async def _feed_v1(stream: AdbStream, screen: Terminal) -> None:
    while data := await stream.read():
        await screen.typed(data)
    screen.hang_up()
    await asyncio.Event().wait()


async def _shell_v2(phone: Phone, command: str, stream: AdbStream, *, terminal: bool) -> None:
    """`shell,v2`: packets for both outputs, the input and the exit code."""
    stdin = Pipe()

    def sink(packet_id: shell_v2.Id) -> Write:
        async def write(data: bytes) -> None:
            for start in range(0, len(data), _MAX_PACKET_DATA):
                await stream.write(shell_v2.encode(packet_id, data[start : start + _MAX_PACKET_DATA]))

        return _guard(write)

    screen = Terminal(phone, sink(shell_v2.Id.STDOUT)) if terminal else None

    async def feed() -> None:
        decoder = shell_v2.Decoder()
        while data := await stream.read():
            for packet_id, content in decoder.feed(data):
                if packet_id == shell_v2.Id.STDIN and screen is not None:
                    await screen.typed(content)
                elif packet_id == shell_v2.Id.STDIN:
                    with contextlib.suppress(BrokenPipe):  # the command no longer reads
                        await stdin.write(content)
                elif packet_id == shell_v2.Id.CLOSE_STDIN:
                    stdin.close()
        await asyncio.Event().wait()

    async def run() -> int:
        if screen is not None:
            return await screen.run(command)
        streams = Streams(stdin.reader, sink(shell_v2.Id.STDOUT), sink(shell_v2.Id.STDERR))
        return await run_shell(phone, command or _FROM_INPUT, SHELL, streams, lambda: stream.closed)

    status = await _until_first(feed(), run())
    await stream.write(shell_v2.encode(shell_v2.Id.EXIT, bytes([status & 0xFF])))


async def _until_first(feed: Awaitable[None], run: Awaitable[int]) -> int:
    """Run a command while `feed` supplies its input; cancel `feed` when the command ends."""
    feeder = asyncio.ensure_future(feed)
    try:
        return await run
    finally:
        feeder.cancel()
        await asyncio.gather(feeder, return_exceptions=True)
