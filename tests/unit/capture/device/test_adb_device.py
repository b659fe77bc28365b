"""A device that misbehaves on the wire: what comes of it is an answer, or an error with cause and remedy."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.fake_adb import OKAY, Answer, fail, fake_adb

from navitas.base.errors import DeviceError
from navitas.capture.device import shell_v2
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_transport import MAX_LINE_BYTES, _take_lines


@contextmanager
def device(answers: dict[str, Answer]) -> Iterator[AdbDevice]:
    with fake_adb({"host:transport:": OKAY, **answers}) as server:
        yield AdbDevice(server.client, "x")


def shell(*pieces: bytes) -> Callable[[socket.socket], None]:
    """A shell that prints pieces and ends its connection."""

    def run(connection: socket.socket) -> None:
        connection.sendall(OKAY)
        for piece in pieces:
            connection.sendall(piece)
        hang_up(connection)

    return run


def hang_up(connection: socket.socket) -> None:
    """End in order: what was sent arrives, whatever the other side still sends."""
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(1 << 16):
        pass


def out(data: bytes) -> bytes:
    return shell_v2.encode(shell_v2.Id.STDOUT, data)


END = shell_v2.encode(shell_v2.Id.EXIT, b"\0")


def test_a_very_long_line_comes_in_pieces() -> None:
    data = b"x" * (3 * MAX_LINE_BYTES)
    pieces = [out(data[at : at + 60_000]) for at in range(0, len(data), 60_000)]
    with device({"shell": shell(*pieces, out(b"\nend"), END)}) as phone, phone.stream("cat") as stream:
        lines = list(stream.lines())
        assert stream.received_bytes == len(data) + 5
    assert max(map(len, lines)) <= MAX_LINE_BYTES
    assert b"".join(lines) == data + b"end" and lines[-1] == b"end"


def test_a_long_line_that_ends_within_one_packet_comes_in_pieces() -> None:
    rest = bytearray(b"a" * (MAX_LINE_BYTES - 1))
    lines = list(_take_lines(rest, b"b" * MAX_LINE_BYTES + b"\n" + b"c" * (2 * MAX_LINE_BYTES + 5) + b"\nd"))
    assert [len(line) for line in lines] == [MAX_LINE_BYTES, MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES, 5]
    assert rest == b"d"


def test_output_without_a_line_end_is_a_sign_of_life() -> None:
    with device({"shell": shell(out(b"."), out(b"."), END)}) as phone, phone.stream("wait") as stream:
        assert list(stream.lines()) == [b".."]
        assert stream.received_bytes == 3


def test_a_stream_that_breaks_off_is_an_error() -> None:
    with device({"shell": shell(out(b"half"))}) as phone, phone.stream("cat") as stream:
        with pytest.raises(DeviceError, match="device x was lost during 'cat'") as caught:
            list(stream.lines())
        assert caught.value.remedy


@pytest.mark.parametrize("junk", [struct.pack("<BI", 1, 0xFFFFFFFF), b"\xff" * 50])
def test_an_invalid_shell_packet_is_an_error_at_once(junk: bytes) -> None:
    with device({"shell": shell(junk)}) as phone:
        with pytest.raises(DeviceError, match="shell packet"):
            phone.shell("getprop")
        with phone.stream("getprop") as stream, pytest.raises(DeviceError, match="shell packet"):
            list(stream.lines())


def test_a_command_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.device.adb._MAX_OUTPUT_BYTES", 1 << 20)
    with (
        device({"shell": shell(*[out(bytes(60_000))] * 40)}) as phone,
        pytest.raises(DeviceError, match="printed more than 1 MiB"),
    ):
        phone.shell("yes")


def test_a_shell_that_never_answers_is_an_error_in_time() -> None:
    def hang(connection: socket.socket) -> None:
        connection.sendall(OKAY)
        connection.recv(1 << 16)
        connection.recv(1)

    with device({"shell": hang}) as phone, pytest.raises(DeviceError, match="no answer to 'pm list") as caught:
        phone.shell("pm list packages", timeout_s=0.2)
    assert "hangs" in caught.value.remedy


FULL = b"couldn't create file: No space left on device"


def refusing(drain: bool) -> Callable[[socket.socket], None]:
    """A sync service whose disk is full: newer ones take all data first, older ones hang up at once."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(OKAY)
        seen = connection.recv(1 << 16)
        while drain and b"DONE" not in seen:
            seen = seen[-3:] + connection.recv(1 << 16)
        connection.sendall(struct.pack("<4sI", b"FAIL", len(FULL)) + FULL)
        hang_up(connection)

    return serve


@pytest.mark.parametrize("drain", [True, False])
def test_a_full_disk_on_the_device_is_reported_in_its_own_words(drain: bool) -> None:
    with device({"sync:": refusing(drain)}) as phone:
        with pytest.raises(DeviceError, match=r"push to /data/local/tmp/a failed: .*No space left on device") as caught:
            phone.push(bytes(8 << 20), "/data/local/tmp/a")
        assert "free space on the device" in caught.value.remedy


def truncated(connection: socket.socket) -> None:
    """A sync service that is lost in the middle of a file."""
    connection.sendall(OKAY)
    connection.recv(1 << 16)
    connection.sendall(struct.pack("<4sI", b"DATA", 1000) + bytes(500))


def test_a_pull_that_breaks_off_names_the_file_and_leaves_none(tmp_path: Path) -> None:
    lost = "device x was lost during 'pull of /sdcard/a'"
    with device({"sync:": truncated}) as phone, pytest.raises(DeviceError, match=lost):
        phone.pull("/sdcard/a", tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("answer", [struct.pack("<4sI", b"DATA", 0xFFFFFFFF), struct.pack("<4sI", b"WHAT", 4) + b"abcd"])
def test_an_invalid_sync_answer_is_an_error(answer: bytes, tmp_path: Path) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(OKAY)
        connection.recv(1 << 16)
        connection.sendall(answer)

    with device({"sync:": serve}) as phone, pytest.raises(DeviceError, match="pull of /sdcard/a failed: unexpected answer"):
        phone.pull("/sdcard/a", tmp_path / "a")


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: No space left on device]", "free space"),
        ("Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: signatures do not match]", "uninstall"),
        ("Failure [INSTALL_FAILED_INVALID_APK: x]", "build it again"),
        ("Error: java.lang.SecurityException", "reason above"),
    ],
)
def test_a_refused_install_says_why_and_cleans_up(reason: str, remedy: str, tmp_path: Path) -> None:
    package = tmp_path / "a.apk"
    package.write_bytes(b"PK")
    removed: list[bool] = []

    def remove(connection: socket.socket) -> None:
        removed.append(True)
        shell(END)(connection)

    def stored(connection: socket.socket) -> None:
        connection.sendall(OKAY)
        while b"DONE" not in connection.recv(1 << 16):
            pass
        connection.sendall(struct.pack("<4sI", b"OKAY", 0))
        hang_up(connection)

    answers: dict[str, Answer] = {
        "sync:": stored,
        "shell,v2,raw:pm install": shell(out(reason.encode()), shell_v2.encode(shell_v2.Id.EXIT, b"\1")),
        "shell,v2,raw:rm -f /data/local/tmp/navitas-a.apk": remove,
    }
    with device(answers) as phone, pytest.raises(DeviceError, match=r"a\.apk cannot be installed") as caught:
        phone.install([package])
    assert reason in caught.value.message and remedy in caught.value.remedy
    assert removed


def test_an_install_on_a_lost_device_says_so_not_that_it_cannot_be_cleaned(tmp_path: Path) -> None:
    package = tmp_path / "a.apk"
    package.write_bytes(b"PK")
    answers: dict[str, Answer] = {"sync:": fail("closed"), "shell": fail("device offline")}
    with device(answers) as phone, pytest.raises(DeviceError, match=r"push to .*navitas-a\.apk.*: closed"):
        phone.install([package])


def test_waiting_for_a_device_that_comes_back() -> None:
    seen: list[int] = []

    def offline_twice(connection: socket.socket) -> None:
        seen.append(1)
        if len(seen) < 3:
            connection.sendall(fail("device offline"))
        else:
            shell(END)(connection)

    with device({"shell": offline_twice}) as phone:
        assert phone.wait_until_back(30)
        assert len(seen) == 3


def test_waiting_for_a_device_that_does_not_come_back() -> None:
    with device({"shell": fail("device offline")}) as phone:
        assert not phone.wait_until_back(0.1)


@pytest.mark.parametrize(
    ("avd", "old_avd", "identity"), [("Pixel_6", "", "avd Pixel_6"), ("", "Nexus", "avd Nexus"), ("", "", "emulator-5554")]
)
def test_an_emulator_is_named_by_its_virtual_device(avd: str, old_avd: str, identity: str) -> None:
    """Its serial number is that of the emulator's version."""
    lines = f"\nPixel\nfingerprint\n34\nEMULATOR36X2X10X0\n\n{avd}\n{old_avd}\n".encode()
    with fake_adb({"host:transport:": OKAY, "shell": shell(out(lines), END)}) as server:
        assert AdbDevice(server.client, "emulator-5554").info.identity == identity


@pytest.mark.parametrize(
    ("address", "number", "boot", "identity"),
    [
        ("9A1B", "9A1B", "", "9A1B"),
        ("192.168.1.4:5555", "9A1B", "", "9A1B"),
        ("192.168.1.4:37001", "", "9A1B", "9A1B"),
        ("9A1B", "", "unknown", "9A1B"),
        ("192.168.1.4:5555", "unknown", "0123456789ABCDEF", ""),
    ],
)
def test_the_identity_of_a_phone_does_not_depend_on_how_adb_reaches_it(
    address: str, number: str, boot: str, identity: str
) -> None:
    lines = f"\nPixel\nfingerprint\n34\n{number}\n{boot}\n".encode()
    with fake_adb({"host:transport:": OKAY, "shell": shell(out(lines), END)}) as server:
        info = AdbDevice(server.client, address).info
    assert (info.serial, info.identity, info.sdk) == (address, identity, 34)
