"""Decode the events of many bundles together, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from navitas.android.perfetto.messages import message_class
from navitas.recording.parse.arrays import I64, U8, U64, Bool, ColumnTable
from navitas.recording.parse.tables import TID_LIMIT, TIME_LIMIT_NS
from navitas.recording.parse.trace.perfetto_wire import COMMS, LONGER, PAD, STATES, TIDS, TIMES, Buffer, Scan, packed
from navitas.recording.parse.trace.trace_builder import state_of_numbers

OTHER, IDLE, FREQUENCY = 0, 1, 2
_POWER: Final = {"cpu_idle": IDLE, "cpu_frequency": FREQUENCY}
# The first byte of an event's fields (number and wire type), and of those of cpu_idle and cpu_frequency.
_TIMESTAMP, _PID, _CPU_FREQUENCY, _CPU_IDLE = 0x08, 0x10, 0x5A, 0x6A
_STATE, _CPU_ID = 0x08, 0x10
_U32 = (1 << 32) - 1
_EVENTS_AT_ONCE: Final = 1 << 16
"""About the number of kernel events in one mebibyte. A forged packet may have hundreds of times as many."""
Other = tuple[int, str, Any]
"""An event: its row in the bundle, its name, and its message."""


@dataclass(frozen=True, slots=True)
class Power(ColumnTable):
    """Events cpu_idle and cpu_frequency among all events: time (at most `TIME_LIMIT_NS`), kind, and both fields."""

    t_ns: I64
    kind: U8
    state: I64
    cpu: I64


@dataclass(frozen=True, slots=True)
class Columns:
    """A bundle's events. `power` has a row for each event; `others` are the other events by row. The arrays are of its switches.

    Threads with impossible numbers are 0. The arrays may differ in length.
    """

    power: Power
    others: tuple[Other, ...]
    deltas: U64
    prev_state: U8
    next_tid: I64
    comm: I64


def decode(scans: Sequence[Scan]) -> list[Columns | None]:
    """Return the columns of each bundle, or None for a bundle with an event or array that protobuf would reject."""
    rows = [0, *accumulate(len(scan.sizes) for scan in scans)]
    damaged = np.zeros(len(scans), bool)
    power, others = _events(scans, rows, damaged)
    arrays = [_array(scans, number, damaged) for number in (TIMES, STATES, TIDS, COMMS)]
    deltas, states, tids, comms = (values for values, _ in arrays)
    columns: list[NDArray[Any]] = [
        deltas,
        state_of_numbers(states.view(np.int64)),
        _tids(tids),
        (comms & np.uint64(_U32)).view(np.int64),
    ]
    decoded: list[Columns | None] = []
    for place, (low, high) in enumerate(pairwise(rows)):
        parts = (column[bounds[place] : bounds[place + 1]] for column, (_, bounds) in zip(columns, arrays, strict=True))
        decoded.append(None if damaged[place] else Columns(power.chosen(slice(low, high)), tuple(others[place]), *parts))
    return decoded


def _events(scans: Sequence[Scan], rows: Sequence[int], damaged: Bool) -> tuple[Power, list[list[Other]]]:
    """Return the power events of all bundles, and each bundle's other events as protobuf messages. Sets `damaged` on errors."""
    data = b"".join((*(scan.data for scan in scans), bytes(PAD)))
    buffer = Buffer(data)
    offsets = np.array([0, *accumulate(len(scan.data) for scan in scans)], np.int64)
    at = np.fromiter(chain.from_iterable(scan.sizes for scan in scans), np.int64, rows[-1])
    at += np.repeat(offsets[:-1], np.diff(rows))
    power = Power(np.zeros_like(at), np.zeros(len(at), np.uint8), np.zeros_like(at), np.zeros_like(at))
    others: list[list[Other]] = [[] for _ in scans]
    event_of = message_class("FtraceEvent").FromString
    for first in range(0, len(at), _EVENTS_AT_ONCE):
        part = power.chosen(slice(first, first + _EVENTS_AT_ONCE))
        content, size = buffer.varints(at[first : first + _EVENTS_AT_ONCE])
        start = at[first : first + _EVENTS_AT_ONCE] + size
        end = start + content
        rest = _power(buffer, start, end, part)
        bundle_of = np.searchsorted(rows, rest + first, side="right") - 1
        for row, bundle, low, high in np.stack((rest, bundle_of, start[rest], end[rest]), axis=1).tolist():
            try:
                event = event_of(data[low:high])
            except DecodeError:
                damaged[bundle] = True
                continue
            part.t_ns[row] = min(event.timestamp, TIME_LIMIT_NS)
            name = event.WhichOneof("event")
            if name in _POWER:
                fields = getattr(event, name)
                part.kind[row], part.state[row], part.cpu[row] = _POWER[name], fields.state, fields.cpu_id
            elif name is not None:
                others[bundle].append((first + row - rows[bundle], name, event))
    return power, others


def _array(scans: Sequence[Scan], number: int, damaged: Bool) -> tuple[U64, list[int]]:
    """Return one array of all bundles in sequence, and the bounds of each bundle's part."""
    values, ends, bad = packed([scan.arrays.get(number, b"") for scan in scans])
    damaged |= bad
    return values, [0, *ends.tolist()]


def _tids(values: U64) -> I64:
    """Convert protobuf's int32 to thread ids."""
    tid = values.astype(np.uint32).view(np.int32).astype(np.int64)
    tid[(tid < 0) | (tid >= TID_LIMIT)] = 0
    return tid


def _power(buffer: Buffer, start: I64, end: I64, into: Power) -> I64:
    """Decode events that have only numbers in the kernel's order. Returns the rows of all other events."""
    byte = buffer.bytes
    good = byte[start] == _TIMESTAMP
    at = start + 1
    t_ns, size = buffer.varints(at)
    good &= size < LONGER
    at += size
    has_pid = byte[at] == _PID
    _, size = buffer.varints(at + 1)
    good &= (size < LONGER) | ~has_pid
    at += np.where(has_pid, 1 + size, 0)
    tag = byte[at]
    kind = np.where(tag == _CPU_IDLE, IDLE, np.where(tag == _CPU_FREQUENCY, FREQUENCY, OTHER)).astype(np.uint8)
    good &= kind != OTHER
    content, size = buffer.varints(at + 1)
    at += 1 + size
    good &= (size < LONGER) & (at + content == end) & (byte[at] == _STATE)
    state, size = buffer.varints(at + 1)
    at += 1 + size
    good &= (size < LONGER) & (state <= _U32) & (byte[at] == _CPU_ID)
    cpu, size = buffer.varints(at + 1)
    good &= (size < LONGER) & (cpu <= _U32) & (at + 1 + size == end)
    into.t_ns[good] = np.minimum(t_ns[good], TIME_LIMIT_NS)
    into.kind[good], into.state[good], into.cpu[good] = kind[good], state[good], cpu[good]
    return np.flatnonzero(~good)
