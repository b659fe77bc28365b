"""Standard streams of shell commands: byte sources and sinks, and the pipe that is both."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO, Protocol

PIECE_BYTES = 65536


def encode(text: str) -> bytes:
    """Bytes of a shell string, in which undecodable bytes were kept as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Shell string of any bytes."""
    return data.decode("utf-8", "surrogateescape")


class BrokenPipe(Exception):
    """Nobody will read what is written: the writing command ends, like on SIGPIPE."""


class InputSource(Protocol):
    """Where a command reads from."""

    async def read(self) -> bytes:
        """Next piece; empty at the end."""
        ...

    def close(self) -> None:
        """No more reads will come."""
        ...


class Sink(Protocol):
    """Where a command writes to."""

    async def write(self, data: bytes) -> None:
        """Write all of `data`; raises `BrokenPipe` when nobody reads."""
        ...

    def close(self) -> None:
        """No more writes will come."""
        ...


class BytesSource:
    """Fixed bytes."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data

    def close(self) -> None:
        self._data = b""


class FileSource:
    """An open file, read in pieces; other commands get their turn between them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def read(self) -> bytes:
        await asyncio.sleep(0)
        return self._file.read(PIECE_BYTES)

    def close(self) -> None:
        self._file.close()


class FileSink:
    """An open file; each write reaches it at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        await asyncio.sleep(0)

    def close(self) -> None:
        self._file.close()


class _Discard:
    """Takes everything, like /dev/null."""

    async def write(self, data: bytes) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        """Nothing to release."""


DISCARD = _Discard()


class BufferSink:
    """Keeps everything, for `$(...)`."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None:
        """Nothing to release."""


class CallSink:
    """Hands every piece to a function, such as a stream's `write`."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write

    async def write(self, data: bytes) -> None:
        if data:
            await self._write(data)

    def close(self) -> None:
        """The stream belongs to the service that opened it."""


class Pipe:
    """A bounded pipe between two commands of a pipeline: source of one, sink of the other."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()
        self._write_closed = False
        self._read_closed = False
        self.reader = _PipeReader(self)

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def write(self, data: bytes) -> None:
        if self._read_closed:
            raise BrokenPipe
        if not data:
            return
        self._pieces.append(data)
        self._size += len(data)
        self._changed.set()
        while self._size > PIECE_BYTES and not self._read_closed:
            await self._wait()

    def close(self) -> None:
        self._write_closed = True
        self._changed.set()

    async def read(self) -> bytes:
        """Next piece; empty when the writing side was closed."""
        while not self._pieces and not self._write_closed:
            await self._wait()
        if not self._pieces:
            return b""
        data = self._pieces.popleft()
        self._size -= len(data)
        self._changed.set()
        return data

    def close_read(self) -> None:
        """Nobody reads any more."""
        self._read_closed = True
        self._pieces.clear()
        self._size = 0
        self._changed.set()


class _PipeReader:
    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    async def read(self) -> bytes:
        return await self._pipe.read()

    def close(self) -> None:
        self._pipe.close_read()


class Input:
    """A command's standard input: pieces or lines; `read` in a loop's body leaves the rest to the next reader."""

    def __init__(self, source: InputSource) -> None:
        self._source = source
        self._piece = b""
        self._at = 0

    async def read(self) -> bytes:
        """Next piece; empty at the end."""
        if self._at < len(self._piece):
            return self._take(len(self._piece))
        return await self._source.read()

    def _take(self, end: int) -> bytes:
        """The waiting piece up to `end`; what follows stays, uncopied."""
        data = self._piece[self._at : end]
        self._at = end
        return data

    async def _fill(self) -> bool:
        """Have a piece waiting; false at the end."""
        if self._at >= len(self._piece):
            self._piece, self._at = await self._source.read(), 0
        return bool(self._piece)

    async def read_all(self) -> bytes:
        """Everything until the end."""
        pieces = []
        while data := await self.read():
            pieces.append(data)
        return b"".join(pieces)

    async def readline(self) -> bytes:
        """Next line with its line end (the last may lack it); empty at the end."""
        return await self.read_up_to(sys.maxsize)

    async def read_up_to(self, count: int) -> bytes:
        """Next line, but at most `count` bytes of it."""
        pieces: list[bytes] = []
        while count and await self._fill():
            newline = self._piece.find(b"\n", self._at, self._at + count)
            pieces.append(self._take(newline + 1 if newline >= 0 else min(len(self._piece), self._at + count)))
            count -= len(pieces[-1])
            if newline >= 0:
                break
        return b"".join(pieces)

    async def lines(self) -> AsyncIterator[bytes]:
        """All lines to come, as by `readline`."""
        while line := await self.readline():
            yield line

    async def batches(self) -> AsyncIterator[bytes]:
        """All lines to come, as many at once as are there; only the last may lack its line end."""
        open_line: list[bytes] = []
        while piece := await self.read():
            end = piece.rfind(b"\n") + 1
            if end:
                yield b"".join([*open_line, piece[:end]])
                open_line.clear()
            if piece[end:]:
                open_line.append(piece[end:])
        if open_line:
            yield b"".join(open_line)

    def close(self) -> None:
        """No more reads will come."""
        self._source.close()
