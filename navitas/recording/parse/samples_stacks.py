"""Collects the stacks of a profiler: equal stacks once, as a forest in which stacks share their outer frames."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

import numpy as np

from navitas.recording.parse.stack_samples import NO_STACK, Frame, Stacks

DEEPEST: Final = 2048
"""Number of frames of a stack that are kept: the innermost ones. No profiler unwinds more than 1024."""
ROWS_LIMIT: Final = 1 << 21

F = TypeVar("F", bound=Hashable)


def stack_key(text: bytes) -> bytes:
    """Return what stands for the text of a stack in a table: 16 bytes, of texts that may have many thousands."""
    return hashlib.blake2b(text, digest_size=16).digest()


class ForestRows:
    """The rows of a forest, at most `limit`: each is the number of a frame, called by an earlier row."""

    def __init__(self, limit: int = ROWS_LIMIT) -> None:
        self.limit = limit
        self.parent, self.frame = array("i"), array("i")
        self._rows: dict[int, int] = {}

    def row(self, parent: int, frame: int) -> int:
        """Return the row of a frame that `parent` calls, `NO_STACK` if there is no room for one."""
        key = (parent + 1) << 32 | frame
        row = self._rows.get(key)
        if row is None:
            if len(self.parent) >= self.limit:
                return NO_STACK
            row = self._rows[key] = len(self.parent)
            self.parent.append(parent)
            self.frame.append(frame)
        return row

    def table(self) -> Stacks:
        """Return the rows."""
        return Stacks(np.array(self.parent, np.int32), np.array(self.frame, np.int32))


class StackForest(Generic[F]):
    """Rows of frames: row i is a frame, called by an earlier row.

    `cut` is the number of stacks that lost frames here: outer ones beyond `DEEPEST`, or inner ones beyond two million rows.
    """

    def __init__(self, rows_limit: int = ROWS_LIMIT) -> None:
        self.frames: list[F] = []
        self.cut = 0
        self._numbers: dict[F, int] = {}
        self._rows = ForestRows(rows_limit)

    def __len__(self) -> int:
        return len(self._rows.parent)

    def __contains__(self, frame: F) -> bool:
        return frame in self._numbers

    def stack(self, frames: Iterable[F], row: int = NO_STACK) -> int:
        """Return the row of a stack's innermost frame. `frames` come outermost first and are called by `row`."""
        listed = list(frames)
        if len(listed) > DEEPEST:
            self.cut += 1
            del listed[:-DEEPEST]
        for frame in listed:
            number = self._numbers.setdefault(frame, len(self._numbers))
            if number == len(self.frames):
                self.frames.append(frame)
            inner = self._rows.row(row, number)
            if inner == NO_STACK:
                self.cut += 1
                return row
            row = inner
        return row

    def table(self) -> Stacks:
        """Return the rows. Their frames are places in `frames`."""
        return self._rows.table()

    def named(self, named: Callable[[F], tuple[Frame, ...]]) -> tuple[StackForest[Frame], list[int]]:
        """Return the forest of what each frame becomes (functions, outermost first), and the new row of each row."""
        forest: StackForest[Frame] = StackForest(self._rows.limit)
        functions = [named(frame) for frame in self.frames]
        rows: list[int] = []
        for parent, frame in zip(self._rows.parent, self._rows.frame, strict=True):
            rows.append(forest.stack(functions[frame], NO_STACK if parent < 0 else rows[parent]))
        forest.cut += self.cut
        return forest, rows
