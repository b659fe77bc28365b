"""Read a text trace of any size in blocks of whole lines. Of an HTML page, only the embedded traces."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.recording.parse.trace.text_buffer import PAD, Places, TextBuffer

BLOCK_BYTES: Final = 2 << 20
"""Also the limit of a line's length. Small enough for a processor's cache."""
_HEAD_BYTES = 1024
_NEWLINE = ord("\n")
_BEGINS = (b"# tracer:", b'class="trace-data"')
_MAX_TRACES = 1000
_END, _STRING_END = b"</script", b'";\n'


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file: `text`, the position of each line's newline, and the number of lines before the block."""

    text: TextBuffer
    ends: Places
    lines_before: int
    overlong: bool = False


def read_blocks(source: Path | bytes, block_bytes: int) -> Iterator[Block]:
    """Yield the lines of a trace in order. A block is valid until the next one is requested.

    Raises `RecordingError` if the file cannot be read.
    """
    if isinstance(source, bytes):
        yield from _blocks(io.BytesIO(source), block_bytes)
        return
    try:
        with open_regular(source) as stream:
            yield from _blocks(stream, block_bytes)
    except OSError as error:
        raise RecordingError(f"{source}: cannot be read: {error.strerror}", "Check the recording's files.") from error


def _blocks(stream: BinaryIO | io.RawIOBase, block_bytes: int) -> Iterator[Block]:
    buffer = bytearray(b" ") * (block_bytes + 2 * PAD + 1)
    view = memoryview(buffer)
    room = PAD + block_bytes
    text = TextBuffer(buffer, PAD, PAD)
    end, lines, page = PAD, 0, None
    while size := stream.readinto(view[end:room]):  # type: ignore[union-attr]
        if (
            not lines
            and end == PAD
            and buffer[PAD : PAD + _HEAD_BYTES].lstrip().lower().startswith((b"<!doctype html", b"<html"))
        ):
            page = _Page()
        end += size
        ends = np.flatnonzero(text.bytes[PAD:end] == _NEWLINE) + PAD
        overlong = not len(ends) and end == room
        if overlong:
            ends = np.array([end])
            buffer[end] = _NEWLINE
        if len(ends):
            yield from _traces(text, ends, lines, page, overlong)
            lines += len(ends) - overlong
            whole = min(end, int(ends[-1]) + 1)
            view[PAD : PAD + end - whole] = view[whole:end]
            end = PAD + end - whole
    if end > PAD:
        buffer[end] = _NEWLINE
        yield from _traces(text, np.array([end]), lines, page, False)


def _traces(text: TextBuffer, ends: Places, lines: int, page: _Page | None, overlong: bool) -> Iterator[Block]:
    if page is None:
        yield Block(text.part(PAD, int(ends[-1]) + 1), ends, lines, overlong)
        return
    for low, high in page.traces(text.buffer, int(ends[-1]) + 1):
        first, last = np.searchsorted(ends, (low, high))
        if last > first:
            yield Block(text.part(low, high), ends[first:last], lines + int(first), overlong)


class _Page:
    """The traces in an HTML page, over several blocks.

    A trace is the text of a script, or in old pages a string (each line ends with `\\n\\`).
    """

    def __init__(self) -> None:
        self._end = b""
        self._begun = 0

    def traces(self, buffer: bytes | bytearray, end: int) -> Iterator[tuple[int, int]]:
        """Yield the (start, end) positions of the traces within some lines."""
        at = PAD
        while at < end:
            if not self._end:
                at = self._begin(buffer, at, end)
                continue
            # More traces than in any real page: the rest counts as one trace, so its lines are reported.
            found = buffer.find(self._end, at, end) if self._begun <= _MAX_TRACES else -1
            if found < 0:
                stop = end
            elif self._end == _STRING_END:
                stop = found + len(_STRING_END)
            else:
                stop = max(at, buffer.rfind(b"\n", at, found) + 1)
            if stop > at:
                yield at, stop
            if found >= 0:
                self._end = b""
                stop = buffer.find(b"\n", found, end) + 1
            at = stop

    def _begin(self, buffer: bytes | bytearray, at: int, end: int) -> int:
        """Return where the next trace begins, searching from the start of a line; `end` if there is none."""
        marks = [found for mark in _BEGINS if (found := buffer.find(mark, at, end)) >= 0]
        if not marks:
            return end
        mark = min(marks)
        behind = buffer.find(b"\n", mark, end) + 1
        if buffer[mark] != ord("#") or mark == at or buffer[mark - 1] == ord("\n"):
            self._begun += 1
            self._end = _STRING_END if buffer[behind - 3 : behind] == b"n\\\n" else _END
        return behind
