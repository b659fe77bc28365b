"""adb's sync service, request by request."""

from __future__ import annotations

import asyncio
import contextlib
import io
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.capture.device import sync_client
from navitas.capture.device.sync_client import SyncError
from navitas.virtual_phone.adbd import StreamClosed
from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.sync import SyncService

TMP = "/data/local/tmp"


class Wire:
    """A stream that is fed everything at once."""

    def __init__(self, data: bytes) -> None:
        self._input = io.BytesIO(data)
        self.output = b""

    async def read_exactly(self, count: int) -> bytes:
        data = self._input.read(count)
        if len(data) < count:
            raise StreamClosed
        return data

    async def write(self, data: bytes) -> None:
        self.output += data


def request(kind: bytes, argument: str) -> bytes:
    data = argument.encode()
    return kind + struct.pack("<I", len(data)) + data


def answer(tree: FileTree, data: bytes) -> bytes:
    """What the service answers before the stream ends."""
    wire = Wire(data)

    async def serve() -> None:
        with contextlib.suppress(StreamClosed):
            await SyncService(tree, wire).serve()

    asyncio.run(serve())
    return wire.output


@pytest.fixture
def tree(tmp_path: Path) -> FileTree:
    return FileTree(tmp_path / "root")


def data_packets(content: bytes, size: int = 65536) -> bytes:
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return b"".join(b"DATA" + struct.pack("<I", len(piece)) + piece for piece in pieces)


def send(path: str, content: bytes, mode: int = 0o100644, mtime: int = 1234) -> bytes:
    return request(b"SEND", f"{path},{mode}") + data_packets(content) + b"DONE" + struct.pack("<I", mtime)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (send("/system/new/f", b""), "secure_mkdirs() failed: Read-only file system"),
        (request(b"SEND", f"{TMP}/f,rw"), "bad mode"),
    ],
)
def test_a_refusal_says_why_and_ends_the_service(tree: FileTree, wrong: bytes, message: str) -> None:
    reported, rest = _failure(answer(tree, wrong + request(b"STAT", "/data")))
    assert (reported, rest) == (message, b"")


def test_modes_may_be_octal(tree: FileTree) -> None:
    answer(tree, request(b"SEND", f"{TMP}/f,0100755") + b"DONE" + bytes(4))
    assert tree.stat(f"{TMP}/f").mode & 0o777 == 0o777


def test_what_is_sent_replaces_a_symlink(tree: FileTree) -> None:
    answer(tree, send(f"{TMP}/target", b"kept") + request(b"SEND", f"{TMP}/link,41471"))
    answer(tree, request(b"SEND", f"{TMP}/link,41471") + data_packets(b"target") + b"DONE" + bytes(4))
    assert tree.stat(f"{TMP}/link", follow=False).target == "target"
    answer(tree, send(f"{TMP}/link", b"new"))
    assert tree.open_read(f"{TMP}/target").read() == b"kept" and tree.open_read(f"{TMP}/link").read() == b"new"


def _failure(reply: bytes) -> tuple[str, bytes]:
    assert reply[:4] == b"FAIL"
    (length,) = struct.unpack("<I", reply[4:8])
    return reply[8 : 8 + length].decode(), reply[8 + length :]


@pytest.mark.parametrize(
    "data",
    [
        request(b"WHAT", "/x"),
        b"STAT" + struct.pack("<I", 1 << 30),
        request(b"SEND", f"{TMP}/f,33188") + b"DATA" + struct.pack("<I", 1 << 30),
        request(b"SEND", f"{TMP}/f,33188") + b"WHAT" + bytes(4),
    ],
)
def test_nonsense_is_refused(tree: FileTree, data: bytes) -> None:
    assert answer(tree, data)[:4] == b"FAIL"


@settings(max_examples=100)
@given(
    st.lists(st.binary(max_size=40) | st.sampled_from([request(b"LIST", "/"), request(b"STA2", "/data"), send(f"{TMP}/f", b"x")]))
)
def test_any_bytes_are_answered(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    answer(FileTree(tmp_path_factory.mktemp("phone") / "root"), b"".join(pieces))


class Loop:
    """Host's client and phone's service back to back: requests are collected, then answered."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._requests = b""
        self._answer: io.BytesIO | None = None

    def send_all(self, data: bytes) -> None:
        self._requests += data

    def has_input(self) -> bool:
        return False

    def receive_exactly(self, count: int) -> bytes:
        if self._answer is None:
            self._answer = io.BytesIO(answer(self._tree, self._requests))
        return self._answer.read(count)


@settings(max_examples=30)
@given(st.binary(max_size=200), st.integers(0, 3))
def test_the_host_s_client_gets_back_what_it_sent(tmp_path_factory: pytest.TempPathFactory, content: bytes, times: int) -> None:
    tree = FileTree(tmp_path_factory.mktemp("phone") / "root")
    content = content * (1 + times * 400)
    sync_client.send(Loop(tree), io.BytesIO(content), f"{TMP}/f", 0o644)
    assert b"".join(sync_client.receive(Loop(tree), f"{TMP}/f")) == content


def test_the_host_s_client_reports_refusals(tree: FileTree) -> None:
    with pytest.raises(SyncError, match="Read-only"):
        sync_client.send(Loop(tree), io.BytesIO(b"x"), "/system/f", 0o644)
    with pytest.raises(SyncError, match="No such file"):
        list(sync_client.receive(Loop(tree), "/nope"))
