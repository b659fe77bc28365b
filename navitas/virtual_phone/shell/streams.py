"""Standard streams of shell commands: byte sources and sinks, and the pipe, which is both."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO, TypeAlias

PIECE_BYTES = 65536


def encode(text: str) -> bytes:
    """Return the bytes of a shell string, whose undecodable bytes are surrogates."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Return any bytes as a shell string."""
    return data.decode("utf-8", "surrogateescape")


class BrokenPipe(Exception):
    """There is no reader: the writing command ends, as on SIGPIPE."""


Read: TypeAlias = Callable[[], Awaitable[bytes]]
"""Returns the next piece of a command's input; empty at the end."""
Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Writes all bytes of a command's output. Raises `BrokenPipe` if there is no reader."""


async def discard(data: bytes) -> None:
    """Drop all data, like /dev/null."""
    await asyncio.sleep(0)


def file_writer(file: BinaryIO) -> Write:
    """Return the output to an open file; each write reaches it at once."""

    async def write(data: bytes) -> None:
        file.write(data)
        file.flush()
        await asyncio.sleep(0)

    return write


class OutputBuffer:
    """Keeps all output, for `$(...)`."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: bytes) -> None:
        self.data += data


class Pipe:
    """A bounded pipe between two commands of a pipeline: a source for one, a sink for the other."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()
        self._write_closed = False
        self._read_closed = False
        self.reader = Input(self.read, self.close_read)

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


class Input:
    """A command's standard input, in pieces or lines. `read` in a loop's body leaves the rest to the next reader."""

    def __init__(self, read: Read, close: Callable[[], None] = lambda: None) -> None:
        self._read = read
        self.close = close
        self._piece = b""
        self._at = 0

    @classmethod
    def of_bytes(cls, data: bytes = b"") -> Input:
        """Return fixed bytes."""
        pieces = [data]

        async def read() -> bytes:
            return pieces.pop() if pieces else b""

        return cls(read)

    @classmethod
    def of_file(cls, file: BinaryIO) -> Input:
        """Return an open file, read in pieces, between which other commands run."""

        async def read() -> bytes:
            await asyncio.sleep(0)
            return file.read(PIECE_BYTES)

        return cls(read, file.close)

    async def read(self) -> bytes:
        """Return the next piece; empty at the end."""
        if self._at < len(self._piece):
            return self._take(len(self._piece))
        return await self._read()

    def _take(self, end: int) -> bytes:
        """Return the buffered piece up to `end`. The rest stays, without a copy."""
        data = self._piece[self._at : end]
        self._at = end
        return data

    async def _fill(self) -> bool:
        """OutputBuffer a piece. Returns False at the end."""
        if self._at >= len(self._piece):
            self._piece, self._at = await self._read(), 0
        return bool(self._piece)

    async def read_all(self) -> bytes:
        """Return everything up to the end."""
        pieces = []
        while data := await self.read():
            pieces.append(data)
        return b"".join(pieces)

    async def readline(self) -> bytes:
        """Return the next line with its line end (the last one may lack it); empty at the end."""
        pieces: list[bytes] = []
        while await self._fill():
            newline = self._piece.find(b"\n", self._at)
            pieces.append(self._take(newline + 1 if newline >= 0 else len(self._piece)))
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
