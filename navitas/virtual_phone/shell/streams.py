"""Standard streams of shell commands: byte sources and sinks, and the pipe, which is both."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO, Protocol

PIECE_BYTES = 65536


def encode(text: str) -> bytes:
    """Return the bytes of a shell string, whose undecodable bytes are surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Return any bytes as a shell string."""
    return data.decode("utf-8", "surrogateescape")


class BrokenPipe(Exception):
    """There is no reader: the writing command ends, as on SIGPIPE."""


class InputSource(Protocol):
    """The input of a command."""

    async def read(self) -> bytes:
        """Return the next piece; empty at the end."""
        ...

    def close(self) -> None:
        """End reading."""
        ...


class Sink(Protocol):
    """The output of a command."""

    async def write(self, data: bytes) -> None:
        """Write all of `data`. Raises `BrokenPipe` if there is no reader."""
        ...

    def close(self) -> None:
        """End writing."""
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
    """An open file, read in pieces, between which other commands run."""

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
    """Discards all data, like /dev/null."""

    async def write(self, data: bytes) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        """Do nothing: there is no resource."""


DISCARD = _Discard()


class BufferSink:
    """Keeps all data, for `$(...)`."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None:
        """Do nothing: there is no resource."""


class CallSink:
    """Passes every piece to a function, such as a stream's `write`."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write

    async def write(self, data: bytes) -> None:
        if data:
            await self._write(data)

    def close(self) -> None:
        """Do nothing: the stream belongs to the service that opened it."""


class Pipe:
    """A bounded pipe between two commands of a pipeline: a source for one, a sink for the other."""

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
        """Return the next piece; empty if the writing side is closed."""
        while not self._pieces and not self._write_closed:
            await self._wait()
        if not self._pieces:
            return b""
        data = self._pieces.popleft()
        self._size -= len(data)
        self._changed.set()
        return data

    def close_read(self) -> None:
        """Close the reading side."""
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
    """A command's standard input, in pieces or lines. `read` in a loop's body leaves the rest to the next reader."""

    def __init__(self, source: InputSource) -> None:
        self._source = source
        self._piece = b""
        self._at = 0

    async def read(self) -> bytes:
        """Return the next piece; empty at the end."""
        if self._at < len(self._piece):
            return self._take(len(self._piece))
        return await self._source.read()

    def _take(self, end: int) -> bytes:
        """Return the buffered piece up to `end`. The rest stays, without a copy."""
        data = self._piece[self._at : end]
        self._at = end
        return data

    async def _fill(self) -> bool:
        """Buffer a piece. Returns False at the end."""
        if self._at >= len(self._piece):
            self._piece, self._at = await self._source.read(), 0
        return bool(self._piece)

    async def read_all(self) -> bytes:
        """Return everything up to the end."""
        pieces = []
        while data := await self.read():
            pieces.append(data)
        return b"".join(pieces)

    async def readline(self) -> bytes:
        """Return the next line with its line end (the last one may lack it); empty at the end."""
        return await self.read_up_to(sys.maxsize)

    async def read_up_to(self, count: int) -> bytes:
        """Return at most `count` bytes of the next line."""
        pieces: list[bytes] = []
        while count and await self._fill():
            newline = self._piece.find(b"\n", self._at, self._at + count)
            pieces.append(self._take(newline + 1 if newline >= 0 else min(len(self._piece), self._at + count)))
            count -= len(pieces[-1])
            if newline >= 0:
                break
        return b"".join(pieces)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield all lines, as by `readline`."""
        while line := await self.readline():
            yield line

    async def batches(self) -> AsyncIterator[bytes]:
        """Yield all lines, in batches. Only the last one may lack its line end."""
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
        """End reading."""
        self._source.close()
