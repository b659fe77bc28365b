"""The phone's adb daemon: connections on a Unix socket, with multiplexed streams."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.capture.device.local_socket import is_own, make_private
from navitas.virtual_phone import wire
from navitas.virtual_phone.wire import Command, Packet

_log = logging.getLogger(__name__)

_WINDOW_PACKETS = 4
"""The number of packets that a stream queues for its service before it delays the OKAY."""


class StreamClosed(Exception):
    """The host closed the stream or its connection."""


class AdbStream:
    """A two-way byte stream of one service. Only one WRTE is in flight: the next one waits for the host's OKAY."""

    def __init__(self, connection: Connection, local_id: int, remote_id: int) -> None:
        self.remote_id = remote_id
        self.local_id = local_id
        self.task: asyncio.Task[None] | None = None
        self._connection = connection
        self._incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._pending_okays = 0
        self._rest = b""
        self._ready = asyncio.Event()
        self._ready.set()
        self._write_lock = asyncio.Lock()
        self.closed = False

    async def read(self) -> bytes:
        """Return the next piece of data from the host; empty if the host closed the stream."""
        if self._rest:
            data, self._rest = self._rest, b""
            return data
        data_or_end = await self._incoming.get()
        if data_or_end is None:
            self._incoming.put_nowait(None)
            return b""
        if self._pending_okays:
            self._pending_okays -= 1
            await self._connection.send(Packet(Command.OKAY, self.local_id, self.remote_id))
        return data_or_end

    async def read_exactly(self, count: int) -> bytes:
        """Return exactly `count` bytes. Raises `StreamClosed` if the host closes the stream earlier."""
        pieces = []
        while count:
            data = await self.read()
            if not data:
                raise StreamClosed
            pieces.append(data[:count])
            self._rest = data[count:]
            count -= len(pieces[-1])
        return b"".join(pieces)

    async def write(self, data: bytes) -> None:
        """Send bytes to the host; wait for its OKAY before each packet. Raises `StreamClosed`."""
        async with self._write_lock:
            size = self._connection.max_payload
            for start in range(0, len(data), size):
                await self._ready.wait()
                if self.closed:
                    raise StreamClosed
                self._ready.clear()
                await self._connection.send(Packet(Command.WRTE, self.local_id, self.remote_id, data[start : start + size]))

    async def drained(self) -> None:
        """Wait until the host has acknowledged all data."""
        await self._ready.wait()

    async def take(self, payload: bytes) -> None:
        """Queue data from the host, and acknowledge it at once while the service keeps up."""
        self._incoming.put_nowait(payload)
        if self._incoming.qsize() <= _WINDOW_PACKETS:
            await self._connection.send(Packet(Command.OKAY, self.local_id, self.remote_id))
        else:
            self._pending_okays += 1

    def acknowledged(self) -> None:
        """Handle the host's OKAY for the last packet."""
        self._ready.set()

    def close(self) -> None:
        """Wake the service, so that it ends: the host is gone."""
        self.closed = True
        self._ready.set()
        self._incoming.put_nowait(None)


Service = Callable[[AdbStream], Awaitable[None]]
Router = Callable[[str], Service | None]


class Connection:
    """A connection of one adb server (host) to this phone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, banner: bytes, router: Router) -> None:
        self.max_payload = wire.MAX_BANNER
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._router = router
        self._with_checksum = True
        self._online = False
        self._streams: dict[int, AdbStream] = {}
        self._next_id = 1
        self._send_lock = asyncio.Lock()

    async def serve(self) -> None:
        """Handle packets until the host disconnects, then end all its streams."""
        try:
            while True:
                await self._handle(await self._receive())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except wire.WireError as error:
            _log.warning("dropped a connection: %s", error)
        finally:
            tasks = [stream.task for stream in self._streams.values() if stream.task is not None]
            for stream in self._streams.values():
                stream.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._writer.close()

    async def send(self, packet: Packet) -> None:
        """Write one packet. Packets of different streams never mix."""
        async with self._send_lock:
            if self._writer.is_closing():
                return
            self._writer.write(wire.encode(packet, with_checksum=self._with_checksum))
            with contextlib.suppress(ConnectionError):
                await self._writer.drain()

    async def _receive(self) -> Packet:
        limit = wire.MAX_PAYLOAD if self._online else wire.MAX_BANNER
        header = wire.decode_header(await self._reader.readexactly(wire.HEADER_BYTES), max_payload=limit)
        payload = await self._reader.readexactly(header.length)
        return wire.decode_payload(header, payload, verify=self._with_checksum)

    async def _handle(self, packet: Packet) -> None:
        if packet.command is Command.CNXN:
            self.max_payload = min(max(packet.arg1, wire.MAX_BANNER), wire.MAX_PAYLOAD)
            self._online = True
            await self.send(Packet(Command.CNXN, wire.VERSION_SKIP_CHECKSUM, wire.MAX_PAYLOAD, self._banner))
            self._with_checksum = packet.arg0 < wire.VERSION_SKIP_CHECKSUM
        elif not self._online:
            raise wire.WireError(f"{packet.command.name} before CNXN")
        elif packet.command is Command.OPEN:
            await self._open(packet)
        elif packet.command in (Command.WRTE, Command.OKAY, Command.CLSE):
            await self._deliver(packet)

    async def _open(self, packet: Packet) -> None:
        service = self._router(packet.payload.rstrip(b"\0").decode("utf-8", "surrogateescape"))
        if service is None or packet.arg0 == 0:
            await self.send(Packet(Command.CLSE, 0, packet.arg0))
            return
        stream = AdbStream(self, self._next_id, packet.arg0)
        self._streams[stream.local_id] = stream
        self._next_id += 1
        await self.send(Packet(Command.OKAY, stream.local_id, stream.remote_id))
        stream.task = asyncio.create_task(self._run(service, stream), name=f"adb stream {stream.local_id}")
        stream.task.add_done_callback(lambda _: self._streams.pop(stream.local_id, None))

    async def _run(self, service: Service, stream: AdbStream) -> None:
        try:
            await service(stream)
            await stream.drained()
        except (StreamClosed, asyncio.CancelledError):
            pass
        except Exception:
            _log.exception("a service failed")
        finally:
            await self.send(Packet(Command.CLSE, stream.local_id, stream.remote_id))

    async def _deliver(self, packet: Packet) -> None:
        stream = self._streams.get(packet.arg1)
        if stream is None or stream.remote_id != packet.arg0:
            if packet.command is not Command.CLSE:
                await self.send(Packet(Command.CLSE, 0, packet.arg0))
        elif packet.command is Command.WRTE:
            await stream.take(packet.payload)
        elif packet.command is Command.OKAY:
            stream.acknowledged()
        else:
            stream.close()
            if stream.task is not None:
                stream.task.cancel()


class AdbDaemon:
    """Listens on a Unix socket in a private folder. Any number of hosts of this user can connect."""

    def __init__(self, banner: bytes, router: Router, path: Path) -> None:
        self._path = path
        self._banner = banner
        self._router = router
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to listen. Raises `DeviceError` if other users could connect, or if the socket cannot be made."""
        make_private(self._path.parent)
        try:
            self._server = await asyncio.start_unix_server(self._accept, self._path, limit=2 * wire.MAX_PAYLOAD)
        except OSError as error:  # the path of a socket is limited to about 100 bytes
            raise DeviceError(f"{self._path}: cannot listen there: {error}", "name a folder with a shorter path") from None

    async def stop(self) -> None:
        """Stop listening and end all connections with their services."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        if not is_own(writer.get_extra_info("socket")):
            _log.warning("refused a connection of another user")
            self._connections.discard(task)
            writer.close()
            return
        try:
            await Connection(reader, writer, self._banner, self._router).serve()
        except asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(task)
