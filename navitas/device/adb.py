"""Devices behind an adb server, through adbutils (the only module that imports it)."""

from __future__ import annotations

import contextlib
import io
import shlex
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import adbutils
from adbutils import AdbClient, AdbConnection, AdbError
from adbutils.errors import AdbTimeout

from navitas.device import shell_v2, sync_client
from navitas.device.base import DeviceInfo, ShellResult
from navitas.device.sync_client import SyncError
from navitas.errors import DeviceError

_PIECE_BYTES = 65536
_CONNECT_S = 10.0
_TRANSFER_S = 60.0
_INSTALL_S = 300.0
_LOST = "check the cable or the emulator, and that 'adb devices' lists it as 'device'"
_STAGING = "/data/local/tmp"


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """One line of `adb devices -l`; only state `device` can be used."""

    serial: str
    state: str
    model: str


def adb_path() -> str:
    """The adb program: on PATH, else the one that adbutils bundles. Raises `DeviceError`."""
    try:
        return str(adbutils.adb_path())
    except AdbError as error:
        raise DeviceError(f"adb: {error}", "install adb (on Debian: apt install adb)") from None


class _Connection(AdbConnection):  # type: ignore[misc]
    """A connection that never starts an adb server on the default port when its own is gone."""

    def _safe_connect(self) -> socket.socket:
        connection: socket.socket = self._create_socket()
        return connection


class PrivateClient(AdbClient):  # type: ignore[misc]
    """Client of an adb server that only this process uses."""

    def make_connection(self, timeout: float | None = None) -> AdbConnection:
        connection = _Connection(self.host, self.port)
        connection.conn.settimeout(timeout)
        return connection


def connect(client: AdbClient, address: str) -> None:
    """Have an adb server connect to a device on TCP. Raises `DeviceError`."""
    try:
        answer = client.connect(address, timeout=_CONNECT_S)
        if "connected to" not in answer:
            raise AdbError(answer)
        client.wait_for(address, timeout=_CONNECT_S)
    except (AdbError, OSError) as error:
        raise DeviceError(f"device {address}: adb cannot connect: {error}", "see whether a firewall blocks loopback") from None


def list_devices(client: AdbClient | None = None) -> list[ListedDevice]:
    """All devices that the adb server knows, usable or not. Raises `DeviceError` when there is no adb."""
    adb_path()
    try:
        listed = (client or AdbClient()).list(extended=True)
    except (AdbError, OSError) as error:
        raise DeviceError(f"adb devices failed: {error}", "restart adb: adb kill-server && adb start-server") from None
    return [ListedDevice(found.serial, found.state, found.tags.get("model", "").replace("_", " ")) for found in listed]


def select_device(serial: str | None = None, client: AdbClient | None = None) -> AdbDevice:
    """The named device, or the only one. Raises `DeviceError` that lists what there is."""
    client = client or AdbClient()
    listed = list_devices(client)
    lines = "".join(f"\n  {found.serial}  {found.model or '-'}  {found.state}" for found in listed)
    if serial is not None:
        listed = [found for found in listed if found.serial == serial]
        if not listed:
            raise DeviceError(f"device {serial} is not connected; adb lists:{lines or ' none'}", _LOST)
    if not listed:
        raise DeviceError("adb lists no device", "connect a phone with USB debugging on, or use --device virtual")
    if len(listed) > 1:
        raise DeviceError(f"several devices are connected:{lines}", "choose one with --device SERIAL")
    if listed[0].state != "device":
        remedy = "allow USB debugging on its screen" if listed[0].state == "unauthorized" else _LOST
        raise DeviceError(f"device {listed[0].serial} is {listed[0].state}", remedy)
    return AdbDevice(client, listed[0].serial)


class _Transport:
    """One service opened on a device; errors become `DeviceError`."""

    def __init__(self, client: AdbClient, serial: str, service: str, timeout_s: float | None) -> None:
        self._serial = serial
        with self._errors(service):
            self._connection = client.make_connection(timeout=timeout_s)
            try:
                for request in (f"host:transport:{serial}", service):
                    data = request.encode("utf-8", "surrogateescape")
                    self._connection.conn.sendall(f"{len(data):04x}".encode() + data)
                    self._connection.check_okay()
            except BaseException:
                self.close()
                raise
        self._service = service

    @contextmanager
    def _errors(self, service: str) -> Iterator[None]:
        shown = service.partition(":")[2] or service
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        try:
            yield
        except (TimeoutError, AdbTimeout):
            raise DeviceError(
                f"device {self._serial}: no answer to '{shown}' in time", "see whether the device hangs; restart it if so"
            ) from None
        except (AdbError, OSError, EOFError) as error:
            raise DeviceError(f"device {self._serial} was lost during '{shown}': {error or 'connection closed'}", _LOST) from None

    def set_timeout(self, timeout_s: float | None) -> None:
        self._connection.conn.settimeout(timeout_s)

    def send_all(self, data: bytes) -> None:
        with self._errors(self._service):
            self._connection.conn.sendall(data)

    def receive(self) -> bytes:
        """Next bytes; empty at the end."""
        with self._errors(self._service):
            data: bytes = self._connection.conn.recv(_PIECE_BYTES)
            return data

    def receive_exactly(self, count: int) -> bytes:
        pieces = bytearray()
        with self._errors(self._service):
            while len(pieces) < count:
                data = self._connection.conn.recv(count - len(pieces))
                if not data:
                    raise EOFError("connection closed")
                pieces += data
        return bytes(pieces)

    def interrupt(self) -> None:
        """End the service; a blocked `receive` of another thread returns."""
        with contextlib.suppress(OSError, AdbError):
            self._connection.conn.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.interrupt()
        self._connection.close()


class _Stream:
    """A running shell command (base.ShellStream)."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport
        self._closed = threading.Event()

    def lines(self) -> Iterator[bytes]:
        """Yield complete lines of standard output; an unfinished last line comes at the end. Standard error is dropped."""
        decoder = shell_v2.Decoder()
        rest = b""
        while not self._closed.is_set():
            try:
                data = self._transport.receive()
            except DeviceError:
                if self._closed.is_set():
                    return
                raise
            for packet_id, content in decoder.feed(data):
                if packet_id == shell_v2.Id.STDOUT:
                    *lines, rest = (rest + content).split(b"\n")
                    yield from lines
                elif packet_id == shell_v2.Id.EXIT:
                    if rest:
                        yield rest
                    return
            if not data and not self._closed.is_set():
                raise DeviceError("the device was lost while a command's output was read", _LOST)

    def close(self) -> None:
        """End the command."""
        self._closed.set()
        self._transport.interrupt()


class AdbDevice:
    """A device of an adb server (base.Device)."""

    def __init__(self, client: AdbClient, serial: str) -> None:
        self._client = client
        self._serial = serial
        self._info: DeviceInfo | None = None

    @property
    def serial(self) -> str:
        """What adb calls it."""
        return self._serial

    @property
    def server_port(self) -> int:
        """Port of the adb server (`adb -P PORT -s SERIAL …` reaches the device)."""
        port: int = self._client.port
        return port

    @property
    def info(self) -> DeviceInfo:
        if self._info is None:
            names = ("ro.navitas.virtual", "ro.product.model", "ro.build.fingerprint", "ro.build.version.sdk")
            values = self.shell("; ".join(f"getprop {name}" for name in names)).text.split("\n")
            virtual, model, fingerprint, sdk = (value.strip() for value in (*values, "", "", "", "")[:4])
            kind: Literal["virtual", "phone"] = "virtual" if virtual == "1" else "phone"
            self._info = DeviceInfo(kind, self._serial, model, fingerprint, int(sdk) if sdk.isdecimal() else 0)
        return self._info

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        deadline = time.monotonic() + timeout_s
        outputs = {shell_v2.Id.STDOUT: bytearray(), shell_v2.Id.STDERR: bytearray()}
        decoder = shell_v2.Decoder()
        with self._open(f"shell,v2,raw:{command}", timeout_s) as transport:
            transport.send_all(shell_v2.encode(shell_v2.Id.CLOSE_STDIN))
            while True:
                transport.set_timeout(max(0.001, deadline - time.monotonic()))
                data = transport.receive()
                for packet_id, content in decoder.feed(data):
                    if packet_id == shell_v2.Id.EXIT:
                        return ShellResult(content[0] if content else 255, *(bytes(output) for output in outputs.values()))
                    if packet_id in outputs:
                        outputs[shell_v2.Id(packet_id)] += content
                if not data:
                    raise DeviceError(f"device {self._serial} was lost during '{command}'", _LOST)

    @contextmanager
    def stream(self, command: str) -> Iterator[_Stream]:
        with self._open(f"shell,v2,raw:{command}", None) as transport:
            stream = _Stream(transport)
            try:
                yield stream
            finally:
                stream.close()

    def exec_out(self, command: str, *, timeout_s: float = 600.0) -> Iterator[bytes]:
        deadline = time.monotonic() + timeout_s
        with self._open(f"exec:{command}", timeout_s) as transport:
            while data := transport.receive():
                yield data
                transport.set_timeout(max(0.001, deadline - time.monotonic()))

    def push(self, local: Path | bytes, remote: str, *, mode: int = 0o644) -> None:
        source = io.BytesIO(local) if isinstance(local, bytes) else local.open("rb")
        with source, self._open("sync:", _TRANSFER_S) as transport, self._refusals(f"push to {remote}"):
            sync_client.send(transport, source, remote, mode)

    def pull(self, remote: str, local: Path) -> None:
        """The local file appears only when it is whole."""
        partial = local.with_name(local.name + ".part")
        try:
            with self._open("sync:", _TRANSFER_S) as transport, self._refusals(f"pull of {remote}"), partial.open("wb") as file:
                for piece in sync_client.receive(transport, remote):
                    file.write(piece)
            partial.replace(local)
        finally:
            partial.unlink(missing_ok=True)

    def install(self, paths: Sequence[Path]) -> None:
        for path in paths:
            staged = f"{_STAGING}/navitas-{path.name}"
            self.push(path, staged)
            try:
                result = self.shell(f"pm install -r -t {shlex.quote(staged)}", timeout_s=_INSTALL_S)
            finally:
                self.shell(f"rm -f {shlex.quote(staged)}")
            if "Success" not in result.text.split():
                reason = (result.stdout + result.stderr).decode("utf-8", "replace").strip()
                raise DeviceError(f"device {self._serial}: {path.name} cannot be installed: {reason}", "see the reason above")

    def uninstall(self, package: str) -> None:
        self.shell(f"pm uninstall {shlex.quote(package)}", timeout_s=_INSTALL_S)

    @contextmanager
    def _open(self, service: str, timeout_s: float | None) -> Iterator[_Transport]:
        transport = _Transport(self._client, self._serial, service, timeout_s)
        try:
            yield transport
        finally:
            transport.close()

    @contextmanager
    def _refusals(self, action: str) -> Iterator[None]:
        try:
            yield
        except SyncError as error:
            raise DeviceError(f"device {self._serial}: {action} failed: {error}", "check the path and its permissions") from None
