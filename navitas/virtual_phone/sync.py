"""adb's sync service: stat, list, send and receive files (AOSP packages/modules/adb, SYNC.TXT and file_sync_protocol.h)."""

from __future__ import annotations

import contextlib
import stat as st
import struct
from pathlib import PurePosixPath

from navitas.virtual_phone.adbd import AdbStream
from navitas.virtual_phone.file_tree import FileTree, Stat

MAX_DATA = 64 * 1024
MAX_PATH = 1024

_REQUEST = struct.Struct("<4sI")
_STAT_V1 = struct.Struct("<4sIII")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V1 = struct.Struct("<4sIIII")


class SyncService:
    """Serves one `sync:` stream until QUIT. Every failed request is answered with FAIL and the reason."""

    def __init__(self, files: FileTree, stream: AdbStream) -> None:
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
                if not await self._receive(path):
                    return
            elif request == b"RECV":
                if not await self._send(path):
                    return
            else:
                await self._fail(f"unknown command {int.from_bytes(request, 'little'):08x}")
                return

    async def _fail(self, message: str) -> bool:
        """Report an error to the host. Returns False, because adbd then disconnects."""
        data = message.encode("utf-8", "surrogateescape")
        await self._stream.write(_REQUEST.pack(b"FAIL", len(data)) + data)
        return False

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

    async def _receive(self, request: str) -> bool:
        """SEND: store the host's file at `path`. After a failure, receive the rest of its data, then answer with FAIL."""
        path, comma, mode_text = request.rpartition(",")
        mode = _number(mode_text)
        if not comma or mode is None:
            return await self._fail("bad mode" if comma else "missing , in ID_SEND_V1")
        incoming = _IncomingFile(self._files, path, mode)
        failure = ""
        while True:
            kind, length = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
            if kind == b"DONE":
                break
            if kind != b"DATA" or length > MAX_DATA:
                return await self._fail("invalid data message")
            data = await self._stream.read_exactly(length)
            failure = failure or incoming.take(data)
        failure = failure or incoming.end(mtime=length)
        if failure:
            return await self._fail(failure)
        await self._stream.write(_REQUEST.pack(b"OKAY", 0))
        return True

    async def _send(self, path: str) -> bool:
        """RECV: send a file's content in pieces."""
        try:
            file = self._files.open_read(path)
        except OSError as error:
            # Opening a folder works there; reading fails.
            step = "read" if isinstance(error, IsADirectoryError) else "open"
            return await self._fail(f"{step} failed: {error.strerror}")
        waiting = b""
        with file:
            while data := file.read(MAX_DATA):
                await self._stream.write(waiting)
                waiting = _REQUEST.pack(b"DATA", len(data)) + data
        await self._stream.write(waiting + _REQUEST.pack(b"DONE", 0))
        return True


class _IncomingFile:
    """A file or symlink from the host. `take` and `end` return the error in adbd's words, or an empty string."""

    def __init__(self, files: FileTree, path: str, mode: int) -> None:
        self._files = files
        self._path = path
        self._mode = mode
        self._begun = False

    def take(self, data: bytes) -> str:
        """Store the next piece."""
        return (not self._begun and self._begin(data)) or self._append(data)

    def end(self, mtime: int) -> str:
        """Complete the file: set permissions and time."""
        failure = not self._begun and self._begin(b"")
        if failure or st.S_ISLNK(self._mode):
            return failure or ""
        try:
            # Group and others get the owner's permissions, too (adbd's file_sync_service.cpp).
            self._files.chmod(self._path, (self._mode | self._mode >> 3 & 0o070 | self._mode >> 6 & 0o007) & 0o777)
            self._files.utime(self._path, mtime)
        except OSError as error:
            return f"couldn't create file: {error.strerror}"
        return ""

    def _begin(self, data: bytes) -> str:
        self._begun = True
        try:
            self._make_parents()
        except OSError as error:
            return f"secure_mkdirs() failed: {error.strerror}"
        is_link = st.S_ISLNK(self._mode)
        what = "symlink failed" if is_link else "couldn't create file"
        try:
            self._remove_old()
            if is_link:
                self._files.symlink(data.rstrip(b"\0").decode("utf-8", "surrogateescape"), self._path)
            else:
                self._files.open_write(self._path).close()
        except OSError as error:
            return f"{what}: {error.strerror}"
        return ""

    def _remove_old(self) -> None:
        """Remove an existing entry unless it is a folder, so that nothing is written through a symlink."""
        with contextlib.suppress(FileNotFoundError):
            if not self._files.stat(self._path, follow=False).is_dir:
                self._files.remove(self._path)

    def _append(self, data: bytes) -> str:
        if st.S_ISLNK(self._mode):
            return ""
        try:
            with self._files.open_write(self._path, append=True) as file:
                file.write(data)
        except OSError as error:
            return f"write failed: {error.strerror}"
        return ""

    def _make_parents(self) -> None:
        for parent in reversed(PurePosixPath(self._path).parents):
            try:
                self._files.stat(str(parent))
            except FileNotFoundError:
                self._files.mkdir(str(parent))


def _number(text: str) -> int | None:
    """Parse a C number: decimal, octal or hexadecimal. Returns None if the text is not a number."""
    try:
        return int(text, 8) if text.startswith("0") and text.isdecimal() else int(text, 0)
    except ValueError:
        return None


def _pack_v2(reply: bytes, error: int, info: Stat) -> bytes:
    ids = (info.device, info.inode, info.mode, info.nlink, info.uid, info.gid)
    return _STAT_V2.pack(reply, error, *ids, info.size, *[info.mtime] * 3)  # of access, change and change of the state
