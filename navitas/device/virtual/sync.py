"""adb's sync service: stat, list, send and receive files (AOSP packages/modules/adb, SYNC.TXT and file_sync_protocol.h)."""

from __future__ import annotations

import stat as st
import struct
from pathlib import PurePosixPath
from typing import Protocol

from navitas.device.virtual.files import FileTree, Stat

MAX_DATA = 64 * 1024
MAX_PATH = 1024

_REQUEST = struct.Struct("<4sI")
_STAT_V1 = struct.Struct("<4sIII")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V1 = struct.Struct("<4sIIII")


class ByteStream(Protocol):
    """The adb stream under the service."""

    async def read_exactly(self, count: int) -> bytes: ...

    async def write(self, data: bytes) -> None: ...


class SyncService:
    """Serves one `sync:` stream until QUIT; every failure of a request is answered with FAIL and its reason."""

    def __init__(self, files: FileTree, stream: ByteStream) -> None:
        self._files = files
        self._stream = stream

    async def serve(self) -> None:
        """Answer requests one after another."""
        while True:
            request, length = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
            if request == b"QUIT":
                return
            if length > MAX_PATH:
                await self._fail("path too long")
                return
            path = (await self._stream.read_exactly(length)).decode("utf-8", "surrogateescape")
            if request == b"STAT":
                await self._stat_v1(path)
            elif request in (b"STA2", b"LST2"):
                await self._stream.write(self._stat_v2(request, path, follow=request == b"STA2"))
            elif request in (b"LIST", b"LIS2"):
                await self._list(path, version2=request == b"LIS2")
            elif request == b"SEND":
                await self._receive(path)
            elif request == b"RECV":
                await self._send(path)
            else:
                await self._fail(f"unknown command {request!r}")
                return

    async def _fail(self, message: str) -> None:
        data = message.encode("utf-8", "surrogateescape")
        await self._stream.write(_REQUEST.pack(b"FAIL", len(data)) + data)

    async def _stat_v1(self, path: str) -> None:
        try:
            info = self._files.stat(path, follow=False)
        except OSError:
            info = Stat(0, 0, 0)
        await self._stream.write(_STAT_V1.pack(b"STAT", info.mode, info.size & 0xFFFFFFFF, info.mtime & 0xFFFFFFFF))

    def _stat_v2(self, reply: bytes, path: str, *, follow: bool) -> bytes:
        try:
            return _pack_v2(reply, 0, self._files.stat(path, follow=follow))
        except OSError as error:
            return _pack_v2(reply, error.errno or 5, Stat(0, 0, 0, nlink=0))

    async def _list(self, path: str, *, version2: bool) -> None:
        try:
            names = [".", "..", *self._files.listdir(path)]
        except OSError:
            names = []
        out = bytearray()
        for name in names:
            data = name.encode("utf-8", "surrogateescape")
            full = str(PurePosixPath(path) / name)
            if version2:
                out += self._stat_v2(b"DNT2", full, follow=False) + struct.pack("<I", len(data)) + data
                continue
            try:
                info = self._files.stat(full, follow=False)
            except OSError:
                continue
            out += _DENT_V1.pack(b"DENT", info.mode, info.size & 0xFFFFFFFF, info.mtime & 0xFFFFFFFF, len(data)) + data
        await self._stream.write(bytes(out) + b"DONE" + bytes(_STAT_V2.size if version2 else _DENT_V1.size - 4))

    async def _receive(self, request: str) -> None:
        """SEND: the host's file becomes `path`; on failure the rest of its data is still taken, then answered with FAIL."""
        path, _, mode_text = request.rpartition(",")
        mode = int(mode_text) if mode_text.isdecimal() else 0
        failure = None
        stored = False
        while True:
            kind, length = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
            if kind == b"DONE":
                mtime = length
                break
            if kind != b"DATA" or length > MAX_DATA:
                await self._fail(f"invalid data message {kind!r} of {length} bytes")
                return
            data = await self._stream.read_exactly(length)
            if failure is None:
                try:
                    self._store(path, mode, data, first=not stored)
                    stored = True
                except OSError as error:
                    failure = error
        try:
            if failure is not None:
                raise failure
            if not stored:
                self._store(path, mode, b"", first=True)
            if not st.S_ISLNK(mode):
                self._files.chmod(path, _shared_mode(mode))
                self._files.utime(path, mtime)
        except OSError as error:
            await self._fail(f"couldn't create file: {error.strerror}")
            return
        await self._stream.write(_REQUEST.pack(b"OKAY", 0))

    def _store(self, path: str, mode: int, data: bytes, *, first: bool) -> None:
        if first:
            self._make_parents(path)
        if st.S_ISLNK(mode):
            if first:
                self._files.symlink(data.rstrip(b"\0").decode("utf-8", "surrogateescape"), path)
            return
        with self._files.open_write(path, append=not first) as file:
            file.write(data)

    def _make_parents(self, path: str) -> None:
        for parent in reversed(PurePosixPath(path).parents):
            try:
                self._files.stat(str(parent))
            except FileNotFoundError:
                self._files.mkdir(str(parent))

    async def _send(self, path: str) -> None:
        try:
            file = self._files.open_read(path)
        except OSError as error:
            await self._fail(f"open failed: {error.strerror}")
            return
        waiting = b""
        with file:
            while data := file.read(MAX_DATA):
                await self._stream.write(waiting)
                waiting = _REQUEST.pack(b"DATA", len(data)) + data
        await self._stream.write(waiting + _REQUEST.pack(b"DONE", 0))


def _pack_v2(reply: bytes, error: int, info: Stat) -> bytes:
    return _STAT_V2.pack(
        reply,
        error,
        info.device,
        info.inode,
        info.mode,
        info.nlink,
        info.uid,
        info.gid,
        info.size,
        info.mtime,
        info.mtime,
        info.mtime,
    )


def _shared_mode(mode: int) -> int:
    """What the owner may, group and others may too (adbd's file_sync_service.cpp)."""
    return (mode | ((mode >> 3) & 0o070) | ((mode >> 6) & 0o007)) & 0o777
