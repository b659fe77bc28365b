"""The samples among the events of a JFR chunk, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import I64, U8, ColumnTable
from navitas.recording.parse.jfr.jfr_file import HEADER, JfrChunk
from navitas.recording.parse.jfr.jfr_types import JfrType, JfrTypes, Value
from navitas.recording.parse.jfr.jfr_varints import MOST_BYTES, varint_at, varints_at

_BLOCK_BYTES = 4 << 20
_SPARE_BYTES = 128
"""What is read beyond a block: the begin of an event whose fields are numbers is shorter."""
_READ = ("jdk.ActiveSetting", "jdk.JVMInformation")
_STATE = "state"
"""The field of a sample for its thread's state, which not all have."""


@dataclass(frozen=True, slots=True)
class SampleEvent:
    """A type of event that samples a thread, and its fields for the thread and its stack."""

    name: str
    thread: str
    stack: str


CPU_EVENTS = (
    SampleEvent("jdk.ExecutionSample", "sampledThread", "stackTrace"),
    SampleEvent("jdk.CPUTimeSample", "eventThread", "stackTrace"),
)
WALL_EVENTS = (SampleEvent("profiler.WallClockSample", "sampledThread", "stackTrace"),)
"""Samples at intervals of wall time."""


@dataclass(frozen=True, slots=True)
class JfrSamples(ColumnTable):
    """Samples: time in ticks, and ids of threads, stacks and threads' states (-1: none)."""

    ticks: I64
    thread: I64
    stack: I64
    state: I64


_NONE = JfrSamples(*np.empty((4, 0), np.int64))


@dataclass(frozen=True, slots=True)
class JfrEvents:
    """The events of a block that are read: samples by CPU time (True) and by wall time, and others as values.

    `damaged` counts the samples that were left out.
    """

    samples: dict[bool, JfrSamples]
    damaged: dict[bool, int]
    others: tuple[tuple[str, dict[str, Value]], ...]


def jfr_events(chunk: JfrChunk, types: JfrTypes) -> Iterator[JfrEvents]:
    """Yield the events of a chunk, block by block. Raises `RecordingError` if their lengths are wrong."""
    readers = {
        kind.id: (event, _places(kind, types, event))
        for event in (*CPU_EVENTS, *WALL_EVENTS)
        if (kind := types.by_name.get(event.name)) is not None
    }
    others = {kind.id: kind.name for name in _READ if (kind := types.by_name.get(name)) is not None}
    for begin, data, at in _event_blocks(chunk):
        parts, damaged = {True: [_NONE], False: [_NONE]}, {True: 0, False: 0}
        values: list[tuple[str, dict[str, Value]]] = []
        sizes, after = varints_at(data, at)
        kinds, after = varints_at(data, after)
        ends = at + sizes
        for number, (event, places) in readers.items():
            rows = np.flatnonzero(kinds == number)
            if len(rows):
                samples = _NONE if places is None else _columns(data, after[rows], ends[rows], places)
                parts[event in CPU_EVENTS].append(samples)
                damaged[event in CPU_EVENTS] += len(rows) - len(samples)
        for number, name in others.items():
            for row in np.flatnonzero(kinds == number).tolist():
                # A setting or a JVM that cannot be read is one that the file does not name.
                if (value := _value(chunk, types, begin + int(after[row]), begin + int(ends[row]), number)) is not None:
                    values.append((name, value))
        yield JfrEvents({by_cpu: JfrSamples.joined(own) for by_cpu, own in parts.items()}, damaged, tuple(values))


@dataclass(frozen=True, slots=True)
class _Places:
    """The fields of an event up to the last one needed: whether each is a number (else one byte); places of those needed."""

    numbers: tuple[bool, ...]
    needed: tuple[int, ...]


def _places(kind: JfrType, types: JfrTypes, event: SampleEvent) -> _Places | None:
    """Return how the fields of samples are laid out; None if they cannot be read."""
    names = [field.name for field in kind.fields]
    if not {"startTime", event.thread, event.stack} <= set(names):
        return None
    wanted = ("startTime", event.thread, event.stack, *([_STATE] if _STATE in names else []))
    needed = tuple(map(names.index, wanted))
    before = kind.fields[: max(needed) + 1]
    numbers = tuple(map(types.is_number, before))
    is_byte = (types.by_id[field.type_id].name in ("byte", "boolean") and not field.is_array for field in before)
    if (
        not all(number or byte for number, byte in zip(numbers, is_byte, strict=True))
        or len(before) > _SPARE_BYTES // MOST_BYTES - 2
    ):
        return None
    return _Places(numbers, needed)


def _columns(data: U8, at: I64, ends: I64, places: _Places) -> JfrSamples:
    """Return the samples that end before their events do."""
    columns = []
    for is_number in places.numbers:
        values, at = varints_at(data, at) if is_number else (data[at].astype(np.int64), at + 1)
        columns.append(values)
    ticks, thread, stack, *states = (columns[number] for number in places.needed)
    return JfrSamples(ticks, thread, stack, states[0] if states else np.full(len(ticks), -1)).chosen(at <= ends)


def _value(chunk: JfrChunk, types: JfrTypes, at: int, end: int, type_id: int) -> dict[str, Value] | None:
    try:
        value, _ = types.value_at(chunk.data[:end], at, type_id)
    except (IndexError, KeyError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _event_blocks(chunk: JfrChunk) -> Iterator[tuple[int, U8, I64]]:
    """Yield blocks of a chunk: where each begins, its bytes, and where its events begin in them.

    An event may end after its block, but its numbers do not. Raises `RecordingError` for wrong lengths. In an unfinished chunk,
    events end where its data do.
    """
    data, begin = chunk.data, HEADER.size
    while begin < len(data):
        block = bytes(data[begin : begin + _BLOCK_BYTES + _SPARE_BYTES])
        limit = min(_BLOCK_BYTES, len(data) - begin)
        padded = block + bytes(_SPARE_BYTES + 2 * MOST_BYTES)
        starts: list[int] = []
        append = starts.append
        at = 0
        while at < limit:
            size = block[at]
            if size > 127:
                size, _ = varint_at(memoryview(padded), at)
            if size < 2:
                raise chunk.error(f"an event at byte {begin + at:,} of the chunk has the length {size}")
            append(at)
            at += size
        if begin + at > len(data):
            if chunk.is_finished:
                raise chunk.error(f"an event at byte {begin + starts[-1]:,} of the chunk is longer than the chunk")
            starts.pop()
        yield begin, np.frombuffer(padded, np.uint8), np.array(starts, np.int64)
        begin += at
