"""Bytes → blocks of whole lines, in bounded memory for any input."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, overload

import numpy as np
from numpy.typing import NDArray

LINE_LIMIT = 1 << 20
"""Longer lines are refused, and never kept in memory."""
_NEWLINE, _SPACE = ord("\n"), ord(" ")
_BOM = b"\xef\xbb\xbf"
_SHOWN = 2000
_BLOCK_BYTES = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused row, and the reason. `text` is the beginning of the row."""

    row: int
    reason: str
    text: bytes


class LineSequence(Sequence[bytes]):
    """Non-empty lines kept as one text, and split on first use. `ends` are where they end, if that is known."""

    def __init__(self, data: bytes = b"", ends: NDArray[np.int64] | None = None) -> None:
        self.data = data
        self.ends = ends if ends is not None else _ends(data) if data else np.zeros(0, np.int64)
        self._cut: list[bytes] | None = None

    @classmethod
    def join(cls, lines: Iterable[bytes]) -> LineSequence:
        return cls(b"\n".join(lines))

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> LineSequence: ...
    def __getitem__(self, index: int | slice) -> bytes | LineSequence:
        if index == 0 and self.data:
            return self.data.partition(b"\n")[0]
        return self._lines()[index] if isinstance(index, int) else LineSequence.join(self._lines()[index])

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._lines())

    def _lines(self) -> list[bytes]:
        if self._cut is None:
            self._cut = self.data.split(b"\n") if self.data else []
        return self._cut


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Consecutive non-empty lines with their numbers (from 1). `refused` has lines that are too long."""

    numbers: Sequence[int] = ()
    lines: LineSequence = field(default_factory=LineSequence)
    refused: list[Refusal] = field(default_factory=list)


class LineCutter:
    """Cuts bytes into lines. Keeps at most `LINE_LIMIT` bytes of an unfinished line."""

    def __init__(self) -> None:
        self.number = 0
        self._rest = b""
        self._too_long = False

    def cut(self, data: bytes, *, end: bool = False) -> LineBlock:
        """The lines that end in `data`. At the `end` of the content, also the unfinished line."""
        whole = len(data) if end else data.rfind(b"\n")
        if whole < 0:
            self._keep(self._rest + data)
            return LineBlock()
        text = b"".join((self._rest, memoryview(data)[:whole]))
        if self.number == 0:
            text = text.removeprefix(_BOM)
        block = self._block(text)
        self._keep(data[whole + 1 :])
        return block

    def _keep(self, rest: bytes) -> None:
        """Keep the beginning of a line."""
        self._rest = rest
        if len(rest) > LINE_LIMIT:
            self._rest, self._too_long = rest[:_SHOWN], True

    def _block(self, text: bytes) -> LineBlock:
        first = self.number + 1
        begins_too_long, self._too_long = self._too_long, False
        if len(text) <= LINE_LIMIT and not begins_too_long and (not text or text.isspace()):
            self.number += text.count(b"\n") + 1
            return LineBlock()
        ends = _ends(text)
        self.number += len(ends)
        starts = np.append(0, ends[:-1] + 1)
        is_long = ends - starts > LINE_LIMIT
        is_long[0] |= begins_too_long
        is_blank = starts == ends
        some = np.flatnonzero(~is_blank & ~is_long)
        for line in some[np.frombuffer(text, np.uint8)[starts[some]] <= _SPACE].tolist():
            is_blank[line] = text[starts[line] : ends[line]].isspace()
        refused, kept = np.flatnonzero(is_long).tolist(), np.flatnonzero(~(is_long | is_blank))
        if len(kept) == len(ends) and b"\r" not in text:
            return LineBlock(range(first, self.number + 1), LineSequence(text, ends))
        lines = (text[start:end] for start, end in zip(starts[kept].tolist(), ends[kept].tolist(), strict=True))
        return LineBlock(
            (kept + first).tolist(),
            LineSequence.join(line.removesuffix(b"\r") for line in lines),
            [Refusal(first + i, "the line is longer than 1 MiB", text[starts[i] : ends[i]][:_SHOWN]) for i in refused],
        )


def _ends(text: bytes) -> NDArray[np.int64]:
    """Where the lines of a text end."""
    return np.append(np.flatnonzero(np.frombuffer(text, np.uint8) == _NEWLINE), len(text))


def blocks_of(stream: IO[bytes]) -> Iterator[LineBlock]:
    """Yield all lines of a text in UTF-8 or UTF-16."""
    cutter, utf8 = LineCutter(), None
    while data := stream.read(_BLOCK_BYTES):
        utf8 = utf8 or utf8_of(data)
        yield cutter.cut(utf8(data))
    yield cutter.cut(b"", end=True)


def utf8_of(begin: bytes) -> Callable[[bytes], bytes]:
    """Return a function that makes pieces of a text UTF-8. PowerShell's `>` writes UTF-16."""
    if not begin.startswith(_UTF16):
        return lambda data: data
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    return lambda data: decoder.decode(data).encode()
