"""Requests to adb's sync service on a raw connection (AOSP packages/modules/adb: SYNC.TXT, file_sync_service.cpp)."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator

import pytest

from navitas.capture.device.adb import AdbDevice

FOLDER = "/data/local/tmp/navitas-sync"
STAT_V2 = struct.Struct("<IQQIIIIQqqq")
ENOENT = 2


class Sync:
    """One open `sync:` service."""

    def __init__(self, device: AdbDevice) -> None:
        transport = device.client.device(device.serial).open_transport()
        transport.send_command("sync:")
        transport.check_okay()
        self._connection = transport.conn

    def request(self, kind: bytes, argument: str) -> None:
        data = argument.encode()
        self.send(kind, data)

    def send(self, kind: bytes, data: bytes) -> None:
        self._connection.sendall(kind + struct.pack("<I", len(data)) + data)

    def done(self, mtime: int) -> None:
        self._connection.sendall(b"DONE" + struct.pack("<I", mtime))

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._connection.recv(count - len(data))
            assert piece, f"the device hung up after {data!r}"
            data += piece
        return data

    def header(self) -> tuple[bytes, int]:
        return self.take(4), struct.unpack("<I", self.take(4))[0]

    def failure(self) -> str:
        kind, length = self.header()
        assert kind == b"FAIL"
        return self.take(length).decode()

    def ends(self) -> bool:
        """Whether the device closes the service."""
        return self._connection.recv(1) == b""

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def sync(device: AdbDevice) -> Iterator[Sync]:
    device.shell(
        f"rm -rf {FOLDER}; mkdir -p {FOLDER}/sub; printf 12345 > {FOLDER}/f; ln -s f {FOLDER}/link; touch -d @1000 {FOLDER}/f"
    )
    opened = Sync(device)
    yield opened
    opened.close()
    device.shell(f"rm -rf {FOLDER}")


def stat_v1(sync: Sync, path: str) -> tuple[int, int, int]:
    sync.request(b"STAT", path)
    assert sync.take(4) == b"STAT"
    mode, size, mtime = struct.unpack("<III", sync.take(12))
    return mode, size, mtime


def stat_v2(sync: Sync, kind: bytes, path: str) -> tuple[int, ...]:
    sync.request(kind, path)
    assert sync.take(4) == kind
    return STAT_V2.unpack(sync.take(STAT_V2.size))


def test_stat_v1_is_lstat(sync: Sync) -> None:
    mode, size, mtime = stat_v1(sync, f"{FOLDER}/f")
    assert (stat.S_ISREG(mode), size, mtime) == (True, 5, 1000)
    assert stat.S_ISLNK(stat_v1(sync, f"{FOLDER}/link")[0])
    assert stat.S_ISDIR(stat_v1(sync, FOLDER)[0])
    assert stat_v1(sync, f"{FOLDER}/none") == (0, 0, 0)


def test_stat_v2_and_lstat_v2_report_errors(sync: Sync) -> None:
    error, _, inode, mode, links, uid, gid, size, _, mtime, _ = stat_v2(sync, b"STA2", f"{FOLDER}/link")
    assert (error, stat.S_ISREG(mode), links, uid, gid, size, mtime) == (0, True, 1, 2000, 2000, 5, 1000)
    assert inode > 0
    assert stat.S_ISLNK(stat_v2(sync, b"LST2", f"{FOLDER}/link")[3])
    assert stat_v2(sync, b"STA2", f"{FOLDER}/none")[0] == ENOENT
    assert stat_v2(sync, b"LST2", "/none")[0] == ENOENT


def test_lists_include_dot_entries(sync: Sync) -> None:
    for kind, entry, fixed in ((b"LIST", b"DENT", 12), (b"LIS2", b"DNT2", STAT_V2.size)):
        sync.request(kind, FOLDER)
        names = []
        while (answer := sync.take(4)) == entry:
            sync.take(fixed)
            names.append(sync.take(struct.unpack("<I", sync.take(4))[0]).decode())
        assert answer == b"DONE" and sync.take(fixed + 4) == bytes(fixed + 4)
        assert sorted(names) == [".", "..", "f", "link", "sub"]
        sync.request(kind, f"{FOLDER}/none")
        assert sync.take(fixed + 8) == b"DONE" + bytes(fixed + 4)


@pytest.mark.parametrize("size", [0, 1, 65536, 65537, 3_000_000])
def test_a_sent_file_is_received_unchanged(sync: Sync, size: int) -> None:
    content = (bytes(range(256)) * (size // 256 + 1))[:size]
    sync.request(b"SEND", f"{FOLDER}/new/deep/big,{0o100640}")
    for start in range(0, size, 65536):
        sync.send(b"DATA", content[start : start + 65536])
    sync.done(1_234_567_890)
    assert sync.header() == (b"OKAY", 0)
    mode, stored, mtime = stat_v1(sync, f"{FOLDER}/new/deep/big")
    # adbd copies the owner's permissions to group and others.
    assert (mode & 0o777, stored, mtime) == (0o666, size, 1_234_567_890)
    sync.request(b"RECV", f"{FOLDER}/new/deep/big")
    received = b""
    while (header := sync.header())[0] == b"DATA":
        assert header[1] <= 65536
        received += sync.take(header[1])
    assert (header, received == content) == ((b"DONE", 0), True)


def test_symlinks_are_sent_as_symlinks(sync: Sync) -> None:
    sync.request(b"SEND", f"{FOLDER}/sent,{0o120777}")
    sync.send(b"DATA", b"f\0")
    sync.done(0)
    assert sync.header() == (b"OKAY", 0)
    assert stat.S_ISLNK(stat_v1(sync, f"{FOLDER}/sent")[0])
    assert stat_v2(sync, b"STA2", f"{FOLDER}/sent")[7] == 5


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/system/x", "Read-only file system"), ("/proc/x", ""), (FOLDER, "Is a directory"), ("/data/data/x", "Permission denied")],
)
def test_a_file_that_cannot_be_stored_is_rejected_at_its_end(sync: Sync, path: str, reason: str) -> None:
    sync.request(b"SEND", f"{path},33188")
    sync.send(b"DATA", b"content")
    sync.done(0)
    message = sync.failure()
    assert ": " in message and reason in message
    assert sync.ends()


@pytest.mark.parametrize(
    ("kind", "path", "message"),
    [
        (b"RECV", "/none", "open failed: No such file or directory"),
        (b"RECV", FOLDER, "read failed: Is a directory"),
        (b"SEND", f"{FOLDER}/f", "missing , in ID_SEND_V1"),
        (b"STAT", "x" * 1025, "path too long"),
    ],
)
def test_invalid_requests_are_rejected(sync: Sync, kind: bytes, path: str, message: str) -> None:
    sync.request(kind, path)
    assert sync.failure() == message


def test_quit_ends_the_service(sync: Sync) -> None:
    sync.send(b"QUIT", b"")
    assert sync.ends()
