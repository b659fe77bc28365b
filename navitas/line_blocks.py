"""Bytes → blocks of whole lines, in bounded memory for any input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray

LINE_LIMIT = 1 << 20
"""Longer lines are refused, and never kept in memory."""
_NEWLINE = ord("\n")
_BOM = b"\xef\xbb\xbf"
_WHITE = np.frombuffer(b" \t\r\v\f", np.uint8)
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused row, and the reason. `text` is the beginning of the row."""

    row: int
    reason: str
    text: bytes


class LineSequence(Sequence[bytes]):
    """Non-empty lines kept as one text, and split on first use. `size` is their number, if it is known."""

    def __init__(self, data: bytes = b"", size: int | None = None) -> None:
        self.data = data
        self._size = size if size is not None else data.count(b"\n") + 1 if data else 0
        self._cut: list[bytes] | None = None

    @classmethod
    def join(cls, lines: Iterable[bytes]) -> LineSequence:
        """Join these lines."""
        return cls(b"\n".join(lines))

    def __len__(self) -> int:
        return self._size

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
        whole, newline, rest = (data, b"", b"") if end else data.rpartition(b"\n")
        if not end and not newline:
            self._keep(self._rest + rest)
            return LineBlock()
        text = self._rest + whole
        if self.number == 0:
            text = text.removeprefix(_BOM)
        block = self._block(text)
        self._keep(rest)
        return block

    def _keep(self, rest: bytes) -> None:
        """Keep the beginning of a line."""
        self._rest = rest
        if len(rest) > LINE_LIMIT:
            self._rest, self._too_long = rest[:_SHOWN], True

    def _block(self, text: bytes) -> LineBlock:
        first = self.number + 1
        ends = np.append(np.flatnonzero(np.frombuffer(text, np.uint8) == _NEWLINE), len(text))
        self.number += len(ends)
        begins_too_long, self._too_long = self._too_long, False
        longest = int(np.diff(ends, prepend=-1).max()) - 1
        if not (begins_too_long or longest > LINE_LIMIT or b"\r" in text or _may_have_blanks(text, ends)):
            return LineBlock(range(first, self.number + 1), LineSequence(text, len(ends)))
        numbers, lines, refused = [], [], []
        for number, line in enumerate(text.split(b"\n"), first):
            if len(line) > LINE_LIMIT or (begins_too_long and number == first):
                refused.append(Refusal(number, "the line is longer than 1 MiB", line[:_SHOWN]))
            elif line and not line.isspace():
                numbers.append(number)
                lines.append(line.removesuffix(b"\r"))
        return LineBlock(numbers, LineSequence.join(lines), refused)


def _may_have_blanks(text: bytes, ends: NDArray[np.int64]) -> bool:
    """Whether a line is empty, or begins with white space. `ends` are the ends of lines."""
    starts = np.append(0, ends[:-1] + 1)
    if np.any(starts == ends):
        return True
    return bool(np.isin(np.frombuffer(text, np.uint8)[starts], _WHITE).any())
