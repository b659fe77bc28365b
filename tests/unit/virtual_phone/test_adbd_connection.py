"""The phone's adb daemon, spoken to packet by packet."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from navitas.virtual_phone import wire
from navitas.virtual_phone.adbd import AdbDaemon, AdbStream, Service
from navitas.virtual_phone.wire import Command, Packet

VERSION_CHECKSUM = 0x01000000
"""The protocol of hosts that still send checksums."""


class Host:
    """An adb host that sends exactly the given packets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, with_checksum: bool) -> None:
        self.reader = reader
        self.writer = writer
        self.with_checksum = with_checksum

    async def send(self, command: Command, arg0: int, arg1: int, payload: bytes = b"") -> None:
        self.writer.write(wire.encode(Packet(command, arg0, arg1, payload), with_checksum=self.with_checksum))
        await self.writer.drain()

    async def receive(self) -> Packet:
        header = wire.decode_header(await self.reader.readexactly(wire.HEADER_BYTES))
        return wire.decode_payload(header, await self.reader.readexactly(header.length), verify=self.with_checksum)


async def echo(stream: AdbStream) -> None:
    while data := await stream.read():
        await stream.write(data)


async def long_text(stream: AdbStream) -> None:
    await stream.write(bytes(range(256)) * 40)


ENDED: list[str] = []


async def endless(stream: AdbStream) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        ENDED.append("ended")


def route(name: str) -> Service | None:
    return {"echo:": echo, "text:": long_text, "endless:": endless}.get(name)


def talk(
    action: Callable[[Host], Awaitable[None]], *, version: int = wire.VERSION_SKIP_CHECKSUM, max_payload: int = 4096
) -> None:
    async def main(path: Path) -> None:
        daemon = AdbDaemon(b"device::features=shell_v2", route, path)
        await daemon.start()
        reader, writer = await asyncio.open_unix_connection(path)
        host = Host(reader, writer, with_checksum=True)
        try:
            await host.send(Command.CNXN, version, max_payload, b"host::features=shell_v2")
            answer = await host.receive()
            assert answer.command is Command.CNXN and answer.payload == b"device::features=shell_v2"
            host.with_checksum = version == VERSION_CHECKSUM
            await action(host)
        finally:
            writer.close()
            await daemon.stop()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(asyncio.wait_for(main(Path(folder) / "phone"), 30))


@pytest.mark.parametrize("version", [VERSION_CHECKSUM, wire.VERSION_SKIP_CHECKSUM])
def test_bytes_come_back(version: int) -> None:
    async def action(host: Host) -> None:
        await host.send(Command.OPEN, 7, 0, b"echo:\0")
        opened = await host.receive()
        assert (opened.command, opened.arg1) == (Command.OKAY, 7)
        for payload in (b"one", bytes(range(256))):
            await host.send(Command.WRTE, 7, opened.arg0, payload)
            answers = {packet.command: packet for packet in [await host.receive(), await host.receive()]}
            assert answers[Command.WRTE].payload == payload
            assert answers[Command.OKAY].arg0 == opened.arg0
            await host.send(Command.OKAY, 7, opened.arg0)

    talk(action, version=version)


def test_only_one_write_is_under_way() -> None:
    async def action(host: Host) -> None:
        await host.send(Command.OPEN, 1, 0, b"text:\0")
        opened = await host.receive()
        received = b""
        while len(received) < 256 * 40:
            packet = await host.receive()
            assert packet.command is Command.WRTE and len(packet.payload) <= 4096
            received += packet.payload
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(host.reader.readexactly(1), 0.05)
            await host.send(Command.OKAY, 1, opened.arg0)
        assert received == bytes(range(256)) * 40
        assert (await host.receive()).command is Command.CLSE

    talk(action)


def test_an_unknown_service_is_refused() -> None:
    async def action(host: Host) -> None:
        await host.send(Command.OPEN, 3, 0, b"nonsense:\0")
        assert await host.receive() == Packet(Command.CLSE, 0, 3)

    talk(action)


def test_a_write_to_no_stream_is_answered_with_close() -> None:
    async def action(host: Host) -> None:
        await host.send(Command.WRTE, 9, 99, b"x")
        assert await host.receive() == Packet(Command.CLSE, 0, 9)

    talk(action)


def test_closing_a_stream_ends_its_service() -> None:
    async def action(host: Host) -> None:
        ENDED.clear()
        await host.send(Command.OPEN, 3, 0, b"endless:\0")
        opened = await host.receive()
        await host.send(Command.CLSE, 3, opened.arg0)
        assert (await host.receive()).command is Command.CLSE
        assert ENDED == ["ended"]

    talk(action)


def test_garbage_ends_the_connection_only() -> None:
    async def action(host: Host) -> None:
        host.writer.write(b"GET / HTTP/1.1\r\n\r\n" + bytes(100))
        assert await host.reader.read() == b""

    talk(action)
    talk(lambda host: asyncio.sleep(0))


def test_nothing_but_cnxn_comes_first(tmp_path: Path) -> None:
    async def main() -> None:
        daemon = AdbDaemon(b"device::", route, tmp_path / "phone")
        await daemon.start()
        reader, writer = await asyncio.open_unix_connection(tmp_path / "phone")
        writer.write(wire.encode(Packet(Command.OPEN, 1, 0, b"echo:\0")))
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        await daemon.stop()

    asyncio.run(main())
