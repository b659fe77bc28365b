"""Read a text trace of any size in blocks of whole lines, and parse the heads of all lines of a block together.

Of an HTML page, only the embedded traces are read. The head of a line has the core, the time, and where the event's name begins.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from navitas.base.regular_files import open_regular
from navitas.recording.parse.arrays import I64, U8, Bool
from navitas.recording.parse.trace.text_buffer import PAD, Places, TextBuffer
from navitas.recording.raw import readable

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
    with readable(source), open_regular(source) as stream:
        yield from _blocks(stream, block_bytes)


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


_NS_PER_S, _NS_PER_US = 1_000_000_000, 1000
_SECONDS_DIGITS = 9
_BACKSLASH = ord("\\")
_BLANKS = b" \r\t"
_IS_BLANK = np.isin(np.arange(256), list(_BLANKS))
_FEW_BLANKS = 64


@dataclass(frozen=True, slots=True)
class TraceLines:
    """The lines of a block, from `start` to `end` (without trailing blanks).

    The columns `bracket` to `t_ns` have one entry per event line. `row` is its line, `bracket` the position of its core's
    bracket, and `event` the position of its event's name. `other` are the lines that are not events, and `comment` the lines
    that begin with `#`. Empty lines are in neither.
    """

    start: Places
    end: Places
    row: Places
    bracket: Places
    event: Places
    cpu: I64
    t_ns: I64
    other: Places
    comment: Places


class Layout:
    """Finds the heads. A trace has few layouts, so it tries the offsets that matched last first."""

    def __init__(self) -> None:
        self._brackets = list(range(18, 44)) + list(range(4, 18))
        self._colons = list(range(7, 46))

    def heads(self, text: TextBuffer, ends: Places) -> TraceLines:
        """Return the heads of all lines of a block. `ends` are the ends of the lines."""
        data = text.bytes
        start = np.append(text.low, ends[:-1] + 1)
        end = _stripped(text, start, ends)
        filled = end > start
        comment = filled & (data[start] == ord("#"))
        rows = np.flatnonzero(filled & ~comment)
        bracket = self._try(self._brackets, start[rows], end[rows], lambda at: _is_cpu(data, at))
        found = np.flatnonzero(bracket >= 0)
        colon = self._try(self._colons, bracket[found], end[rows[found]], lambda at: _is_time_end(data, at))
        found = found[colon >= 0]
        colon = colon[colon >= 0]
        t_ns, good = _times(text, colon)
        found, colon, t_ns = found[good], colon[good], t_ns[good]
        other = np.ones(len(rows), bool)
        other[found] = False
        bracket = bracket[found]
        hundreds, tens, ones = (data[bracket + place].astype(np.int64) - ord("0") for place in (1, 2, 3))
        cpu = 100 * hundreds + 10 * tens + ones
        return TraceLines(start, end, rows[found], bracket, colon + 2, cpu, t_ns, rows[other], np.flatnonzero(comment))

    def _try(self, offsets: list[int], base: Places, end: Places, fits: Callable[[Places], Bool]) -> Places:
        """Return, for each base, the position at the first matching offset before the line's end; -1 if none matches."""
        place = np.full(len(base), -1, np.int64)
        remaining = np.arange(len(base))
        most, best = 0, 0
        for offset in tuple(offsets):
            if not len(remaining):
                break
            at = base[remaining] + offset
            good = at < end[remaining]
            good &= fits(np.where(good, at, base[remaining]))
            hits = int(np.count_nonzero(good))
            if hits:
                place[remaining[good]] = at[good]
                remaining = remaining[~good]
            if hits > most:
                most, best = hits, offset
        if most:
            offsets.remove(best)
            offsets.insert(0, best)
        return place


def _stripped(text: TextBuffer, start: Places, end: Places) -> Places:
    """Return the lines' ends without trailing blanks and without the end of lines of a JavaScript string (`\\n\\`)."""
    data, end = text.bytes, end.copy()
    last = data[end - 1]
    if np.any(last == _BACKSLASH):
        quoted = (last == _BACKSLASH) & (data[end - 2] == ord("n")) & (data[end - 3] == _BACKSLASH) & (end - 3 >= start)
        end[quoted] -= 3
    blank = np.flatnonzero(_IS_BLANK[data[end - 1]])
    for _ in range(_FEW_BLANKS):
        if not len(blank := blank[(end[blank] > start[blank]) & _IS_BLANK[data[end[blank] - 1]]]):
            return end
        end[blank] -= 1
    for line in blank.tolist():
        low = int(start[line])
        end[line] = low + len(text.buffer[low : int(end[line])].rstrip(_BLANKS))
    return end


def _is_digit(values: U8) -> Bool:
    digit: Bool = (values - np.uint8(ord("0"))) <= 9
    return digit


def _is_cpu(data: U8, at: Places) -> Bool:
    fits: Bool = (data[at] == ord("[")) & (data[at + 4] == ord("]")) & _is_digit(data[at + 1]) & _is_digit(data[at + 2])
    return fits


def _is_time_end(data: U8, at: Places) -> Bool:
    fits: Bool = (data[at] == ord(":")) & (data[at + 1] == ord(" ")) & _is_digit(data[at - 1])
    fits &= (data[at - 7] == ord(".")) | (data[at - 10] == ord("."))
    return fits


def _times(text: TextBuffer, colon: Places) -> tuple[I64, Bool]:
    """Return the times in ns, from seconds with 6 or 9 decimals before the colons, and whether each is valid."""
    fraction, digits = text.number_before(colon)
    seconds, some = text.number_before(colon - digits - 1)
    good = ((digits == 6) | (digits == 9)) & text.has(colon - digits - 1, b".") & (some > 0) & (some <= _SECONDS_DIGITS)
    return np.where(good, seconds, 0) * _NS_PER_S + np.where(digits == 6, fraction * _NS_PER_US, fraction), good
