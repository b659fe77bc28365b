"""Packets of the adb transport, for old and new hosts (AOSP packages/modules/adb: protocol.txt, adb.h).

Only a device on a plain socket supports these requests: the virtual phone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import eventually
from support.fake_adb import exactly

from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.local_socket import LOCAL
from navitas.capture.device.local_socket import connect as connect_to

CNXN, AUTH, OPEN, OKAY, CLSE, WRTE = b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE"
OLD, NEW = 0x01000000, 0x01000001
OUT, ERR, EXIT = 1, 2, 3


def packet(kind: bytes, first: int, second: int, data: bytes) -> bytes:
    command = struct.unpack("<I", kind)[0]
    header = struct.pack("<6I", command, first, second, len(data), sum(data) & 0xFFFFFFFF, command ^ 0xFFFFFFFF)
    return header + data


class Host:
    """One connection. Checks the magic of received packets and, for an old host, their checksums."""

    def __init__(self, address: str, version: int = NEW, max_payload: int = 1 << 20) -> None:
        self._socket = connect_to(Path(address.removeprefix(LOCAL)))
        self._version = version
        self._most = max_payload
        self.send(CNXN, version, max_payload, b"host::features=shell_v2,cmd,delayed_ack,sendrecv_v2")
        kind, self.version, self.max_payload, self.banner = self.receive()
        assert kind == CNXN, "the device requires a key"

    def send(self, kind: bytes, first: int, second: int, data: bytes = b"") -> None:
        self._socket.sendall(packet(kind, first, second, data))

    def receive(self) -> tuple[bytes, int, int, bytes]:
        command, first, second, length, check, magic = struct.unpack("<6I", exactly(self._socket, 24))
        assert magic == command ^ 0xFFFFFFFF and length <= self._most
        data = exactly(self._socket, length)
        assert self._version == NEW or check == sum(data) & 0xFFFFFFFF
        return struct.pack("<I", command), first, second, data

    def open(self, service: str, number: int = 1) -> int:
        """Open a service; return the device's stream number, or 0 if it refuses."""
        self.send(OPEN, number, 0, service.encode() + b"\0")
        kind, remote, local, _ = self.receive()
        assert local == number
        return remote if kind == OKAY else 0

    def read_all(self, remote: int, number: int = 1) -> list[bytes]:
        """Acknowledge and return all payloads until the device closes the stream."""
        found = []
        while True:
            kind, first, second, data = self.receive()
            assert (first, second) == (remote, number)
            if kind == CLSE:
                self.send(CLSE, number, remote)
                return found
            assert kind == WRTE
            found.append(data)
            self.send(OKAY, number, remote)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def connect(virtual: AdbDevice) -> Iterator[Callable[..., Host]]:
    hosts: list[Host] = []

    def make(version: int = NEW, max_payload: int = 1 << 20) -> Host:
        hosts.append(Host(virtual.serial, version, max_payload))
        return hosts[-1]

    yield make
    for host in hosts:
        host.close()


def test_a_connection_needs_no_key_and_reports_features(connect: Callable[..., Host]) -> None:
    host = connect()
    assert host.version == NEW and host.max_payload == 1 << 20
    kind, _, rest = host.banner.partition(b"::")
    fields = dict(part.split(b"=", 1) for part in rest.rstrip(b";").split(b";"))
    assert kind == b"device"
    assert {b"ro.product.name", b"ro.product.model", b"ro.product.device", b"features"} == set(fields)
    # The device uses no feature that the host lacks: plain acknowledgements, uncompressed files, no abb.
    assert fields[b"features"].split(b",") == [b"shell_v2", b"cmd", b"stat_v2", b"ls_v2", b"fixed_push_mkdir"]
    assert len(host.banner) <= 4096 and b"\0" not in host.banner


@pytest.mark.parametrize(("version", "max_payload", "largest"), [(OLD, 4096, 4096), (NEW, 4096, 4096), (NEW, 1 << 20, 65536)])
def test_payloads_do_not_exceed_the_hosts_maximum(
    connect: Callable[..., Host], version: int, max_payload: int, largest: int
) -> None:
    host = connect(version, max_payload)
    pieces = host.read_all(host.open("exec:seq 1 30000"))
    assert b"".join(pieces) == "".join(f"{number}\n" for number in range(1, 30001)).encode()
    assert max(map(len, pieces)) >= largest


def test_each_write_waits_for_its_acknowledgement(connect: Callable[..., Host]) -> None:
    host = connect(max_payload=4096)
    remote = host.open("exec:seq 1 30000")
    kind, *_ = host.receive()
    assert kind == WRTE
    # The stream sends no more data before its OKAY: another stream answers first.
    assert host.open("exec:echo other", 2)
    kind, _, second, data = host.receive()
    assert (kind, second, data) == (WRTE, 2, b"other\n")
    host.send(OKAY, 1, remote)
    assert host.receive()[0] in (WRTE, CLSE)


def test_shell_v1_merges_outputs_and_has_no_status(connect: Callable[..., Host]) -> None:
    host = connect()
    text = b"".join(host.read_all(host.open("shell:echo out; echo err >&2; exit 3")))
    assert sorted(text.split()) == [b"err", b"out"]


def test_shell_v2_separates_outputs_and_status(connect: Callable[..., Host]) -> None:
    host = connect()
    remote = host.open("shell,v2,TERM=dumb,raw:cat; echo err >&2; exit 300")
    for packet_id, data in ((0, b"in\n"), (4, b"")):
        host.send(WRTE, 1, remote, struct.pack("<BI", packet_id, len(data)) + data)
        assert host.receive()[0] in (OKAY, WRTE)
        host.send(OKAY, 1, remote)
    stream = b""
    while True:
        kind, _, _, data = host.receive()
        if kind == CLSE:
            break
        stream += data
        if kind == WRTE:
            host.send(OKAY, 1, remote)
    found = {}
    while stream:
        packet_id, length = struct.unpack_from("<BI", stream)
        found[packet_id] = found.get(packet_id, b"") + stream[5 : 5 + length]
        stream = stream[5 + length :]
    assert found.get(ERR) == b"err\n" and found[EXIT] == bytes([300 & 0xFF])


@pytest.mark.parametrize("service", ["nonsense:", "dev:/dev/null", "framebuffer:", "abb:package", "localabstract:x", ""])
def test_unknown_services_are_closed(connect: Callable[..., Host], service: str) -> None:
    host = connect()
    assert host.open(service) == 0
    assert host.read_all(host.open("exec:echo still here", 2), 2) == [b"still here\n"]


def test_a_write_to_no_stream_is_answered_with_close(connect: Callable[..., Host]) -> None:
    host = connect()
    host.send(WRTE, 9, 99, b"x")
    assert host.receive() == (CLSE, 0, 9, b"")


def test_a_host_that_does_not_introduce_itself_is_disconnected(virtual: AdbDevice) -> None:
    with connect_to(Path(virtual.serial.removeprefix(LOCAL))) as unknown:
        unknown.sendall(packet(OPEN, 1, 0, b"exec:ls\0"))
        assert unknown.recv(1) == b""


def test_unrequested_authentication_is_ignored(connect: Callable[..., Host]) -> None:
    host = connect()
    host.send(AUTH, 3, 0, b"QAAAA key@host\0")
    assert host.read_all(host.open("exec:echo fine")) == [b"fine\n"]


def test_concurrent_hosts_are_independent(connect: Callable[..., Host]) -> None:
    hosts = [connect() for _ in range(4)]
    remotes = [host.open(f"exec:sleep 0.1; echo {number}") for number, host in enumerate(hosts)]
    assert [host.read_all(remote) for host, remote in zip(hosts, remotes, strict=True)] == [
        [f"{number}\n".encode()] for number in range(4)
    ]


@pytest.mark.parametrize("leave", ["close the stream", "close the connection", "send garbage"])
def test_a_disconnecting_host_ends_its_command(virtual: AdbDevice, connect: Callable[..., Host], leave: str) -> None:
    host = connect()
    remote = host.open("exec:echo $$; sleep 1000")
    pid = host.receive()[3].decode().strip()
    if leave == "close the stream":
        host.send(CLSE, 1, remote)
    elif leave == "close the connection":
        host.close()
    else:
        host.send(b"\xff\xff\xff\xff", 0, 0)
    assert eventually(lambda: virtual.shell(f"kill -0 {pid}").exit_code != 0)
