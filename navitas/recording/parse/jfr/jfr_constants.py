"""The constants of a JFR chunk: threads, names, and stacks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from navitas.recording.parse.arrays import I64
from navitas.recording.parse.jfr.jfr_file import JfrChunk
from navitas.recording.parse.jfr.jfr_types import JfrType, JfrTypes, Value
from navitas.recording.parse.jfr.jfr_varints import all_varints, varint_at

_CHECKPOINT = 1
_KEPT = (
    "java.lang.Thread",
    "java.lang.Class",
    "java.lang.String",
    "jdk.types.Method",
    "jdk.types.Symbol",
    "jdk.types.FrameType",
    "jdk.types.ThreadState",
)
_STACK, _FRAME = "jdk.types.StackTrace", "jdk.types.StackFrame"
_STACK_FIELDS, _FRAME_FIELDS = ["truncated", "frames"], ["method", "lineNumber", "bytecodeIndex", "type"]
_WINDOW_BYTES = 1 << 20
_LONGEST_NUMBER = 9


@dataclass(frozen=True, slots=True)
class JfrStacks:
    """Stacks, innermost frame first: that of `ids[i]` is the rows `start[i]` to `start[i + 1]` of `method` and `frame_type`.

    `truncated` marks stacks that the profiler cut at its limit of depth.
    """

    ids: I64
    truncated: I64
    start: I64
    method: I64
    frame_type: I64


@dataclass(frozen=True, slots=True)
class JfrConstants:
    """The constants of a chunk, by name of the type and id, and its stacks."""

    values: dict[str, dict[int, Value]]
    stacks: JfrStacks

    def text(self, value: Value | None) -> str:
        """Return a text, of which `value` may be the id. A missing one is empty."""
        text = self.values["java.lang.String"].get(value) if isinstance(value, int) else value
        return text if isinstance(text, str) else ""

    def fields(self, type_name: str, key: Value | None) -> dict[str, Value]:
        """Return the fields of a constant; none if it is missing."""
        constant = self.values[type_name].get(key) if isinstance(key, int) else None
        return constant if isinstance(constant, dict) else {}

    def symbol(self, key: Value | None) -> str:
        """Return the text of a symbol; empty if it is missing."""
        return self.text(self.fields("jdk.types.Symbol", key).get("string"))


@dataclass(slots=True)
class _Columns:
    """Stacks while they are read. `frames` are rows of a method and a type."""

    ids: list[int] = field(default_factory=list)
    truncated: list[int] = field(default_factory=list)
    frames: list[I64] = field(default_factory=list)

    def table(self) -> JfrStacks:
        lengths = [len(frames) for frames in self.frames]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        frames = np.concatenate([np.empty((0, 2), np.int64), *self.frames])
        ids, truncated = np.array(self.ids, np.int64), np.array(self.truncated, np.int64)
        return JfrStacks(ids, truncated, start, frames[:, 0].copy(), frames[:, 1].copy())


def jfr_constants(chunk: JfrChunk, types: JfrTypes) -> JfrConstants:
    """Read the constants of a finished chunk. Raises `RecordingError` if they are damaged."""
    try:
        return _constants(chunk, types)
    except (IndexError, KeyError, ValueError) as error:
        raise chunk.error("the chunk's constants are damaged") from error


def _constants(chunk: JfrChunk, types: JfrTypes) -> JfrConstants:
    values: dict[str, dict[int, Value]] = {name: {} for name in _KEPT}
    stacks = _Columns()
    at, end = chunk.constants, len(chunk.data)
    while True:
        # Checkpoints do not overlap, and each names the one before it. So the search ends.
        size, after = varint_at(chunk.data, at)
        if size <= 0 or at + size > end:
            raise ValueError("length")
        data = chunk.data[: at + size]
        kind, after = varint_at(data, after)
        if kind != _CHECKPOINT:
            raise ValueError("no checkpoint")
        _, after = varint_at(data, after)
        _, after = varint_at(data, after)
        back, after = varint_at(data, after)
        _read_pools(data, after + 1, types, values, stacks)  # after a byte of flags
        if back == 0:
            break
        at, end = at + back, at
        if not 0 < at < end:
            raise ValueError("order of checkpoints")
    return JfrConstants(values, stacks.table())


def _read_pools(data: memoryview, at: int, types: JfrTypes, values: dict[str, dict[int, Value]], stacks: _Columns) -> None:
    pools, at = varint_at(data, at)
    for _ in range(pools):
        type_id, at = varint_at(data, at)
        count, at = varint_at(data, at)
        pool = types.by_id[type_id]
        if pool.name == _STACK:
            _check_layout(pool, types)
            at = _read_stacks(data, at, count, stacks)
            continue
        kept = values.get(pool.name)
        for _ in range(count):
            key, at = varint_at(data, at)
            value, at = types.value_at(data, at, type_id)
            if kept is not None:
                kept[key] = value


def _check_layout(stack: JfrType, types: JfrTypes) -> None:
    """Check that stacks are numbers of at least a byte with continuation, as in all versions so far. Raises `ValueError`."""
    frame = types.by_name[_FRAME]
    is_known = [field.name for field in stack.fields] == _STACK_FIELDS and [field.name for field in frame.fields] == _FRAME_FIELDS
    if not (is_known and all(map(types.is_number, frame.fields)) and stack.fields[1].is_array):
        raise ValueError("stacks have another layout")


def _read_stacks(data: memoryview, at: int, count: int, stacks: _Columns) -> int:
    """Read a pool of stacks, and return the position after it. Its numbers are decoded many at once."""
    window = _Numbers(data, at)
    for _ in range(count):
        key, truncated, frames = window.take(3).tolist()
        if frames < 0 or 4 * frames > len(data):
            raise ValueError("number of frames")
        stacks.ids.append(key)
        stacks.truncated.append(truncated)
        stacks.frames.append(window.take(4 * frames).reshape(-1, 4)[:, ::3].copy())  # method and type
    return window.position


class _Numbers:
    """The numbers from a position on."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._from = at
        self._values = np.empty(0, np.int64)
        self._after = np.empty(0, np.int64)
        self._taken = 0

    @property
    def position(self) -> int:
        """The position after the last number taken."""
        return self._from + (int(self._after[self._taken - 1]) if self._taken else 0)

    def take(self, count: int) -> I64:
        """Return the next numbers. Raises `IndexError` if the data end before."""
        if self._taken + count > len(self._values):
            self._from = self.position
            wanted = self._data[self._from : self._from + max(_WINDOW_BYTES, _LONGEST_NUMBER * count)]
            self._values, self._after = all_varints(np.frombuffer(wanted, np.uint8))
            self._taken = 0
            if count > len(self._values):
                raise IndexError
        self._taken += count
        return self._values[self._taken - count : self._taken]
