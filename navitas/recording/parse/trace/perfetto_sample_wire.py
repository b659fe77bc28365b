"""Parse packets of stack samples by protobuf's wire format, many at once and without an object for each.

For packets in any other form than that of traced_perf, protobuf decodes the packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.trace.perfetto_wire import LONGER, PAD, Buffer

_LONGEST = 1024
_SAMPLE_TAG = b"\x92\x04"  # field 66, perf_sample
_ZLIB_TAG, _ZSTD_TAG = b"\x92\x03", b"\xaa\x08"  # fields 50 and 133, compressed packets
_VARINT, _CONTENT = 0, 2
_MOST_FIELDS = 24
_U32 = (1 << 32) - 1
_LAST_REASON = 4  # PROFILER_SKIP_NOT_IN_SCOPE
# Fields of TracePacket.
_TIME, _SEQUENCE, _FLAGS, _CLOCK = 8, 10, 13, 58
_INTERNED, _SAMPLE = 12, 66
# Fields of PerfSample.
_PID, _TID, _STACK, _ERROR, _SKIPPED = 2, 3, 4, 16, 18
STATE_CLEARED: Final = 1
NO_RUN: Final = -1


class _Form(NamedTuple):
    """Fields of a message: numbers and contents to read, and others that it may have."""

    numbers: tuple[int, ...]
    contents: tuple[int, ...]
    ignored: tuple[int, ...]


# The service adds uid and process of the writer, and its first packet. Samples have CPU, its mode and counters.
_PACKET = _Form((_TIME, _SEQUENCE, _FLAGS, _CLOCK), (_INTERNED, _SAMPLE), (3, 79, 87))
_PERF_SAMPLE = _Form((_PID, _TID, _STACK, _ERROR, _SKIPPED), (), (1, 5, 6, 7))


class WireSample(NamedTuple):
    """A packet with a sample. `interned` is where the data that it interns begin and end in the packet."""

    timestamp: int
    clock: int
    sequence: int
    flags: int
    pid: int
    tid: int
    stack_iid: int
    unwind_error: int
    is_skipped: bool
    interned: tuple[int, int]


def may_be_sample(data: bytes) -> bool:
    """Whether a packet may be one that `scan_samples` reads. It is not compressed."""
    return len(data) <= _LONGEST and _SAMPLE_TAG in data and _ZLIB_TAG not in data and _ZSTD_TAG not in data


class WireSamples:
    """The samples of packets, as columns: row i is of packet i, unless it is not `good`: then protobuf has to decode it.

    Neighboring rows with one `run` are plain samples of one sequence and clock: each has a stack, without an error, and nothing
    else. Other rows have `NO_RUN`.
    """

    def __init__(self, good: Bool, columns: Sequence[I64], is_skipped: Bool, low: I64, high: I64) -> None:
        self._good, self._columns, self._is_skipped, self._low, self._high = good, columns, is_skipped, low, high
        self.timestamp, self.clock, self.sequence, flags, self.pid, self.tid, self.stack_iid, error = columns
        is_plain = good & ~is_skipped & (high == low) & (flags & STATE_CLEARED == 0) & (error == 0)
        new = np.zeros(len(good), bool)
        for column in (self.clock, self.sequence, is_plain):
            new[1:] |= column[1:] != column[:-1]
        self.run = np.where(is_plain, np.cumsum(new), NO_RUN)

    def row(self, row: int) -> WireSample | None:
        """Return a sample, None if protobuf has to decode its packet."""
        if not self._good[row]:
            return None
        numbers = (int(column[row]) for column in self._columns)
        span = int(self._low[row]), int(self._high[row])
        return WireSample._make((*numbers, bool(self._is_skipped[row]), span))


def scan_samples(packets: Sequence[bytes]) -> WireSamples:
    """Return the samples of packets."""
    buffer = Buffer(b"".join((*packets, bytes(PAD))))
    size = np.fromiter(map(len, packets), np.int64, len(packets))
    end = np.cumsum(size)
    start = end - size
    outer = _Fields(_PACKET, buffer, start, end)
    at, to = outer.spans[_SAMPLE]
    inner = _Fields(_PERF_SAMPLE, buffer, at, to)
    good = outer.good & inner.good & (to > at)
    low, high = (np.maximum(end_of - start, 0) for end_of in outer.spans[_INTERNED])
    columns = [outer.numbers[field] for field in (_TIME, _CLOCK, _SEQUENCE, _FLAGS)]
    columns += [inner.numbers[field] for field in (_PID, _TID, _STACK, _ERROR)]
    is_skipped = inner.given[_SKIPPED]
    good &= ~is_skipped | (inner.numbers[_SKIPPED] <= _LAST_REASON)
    good &= np.all([column <= _U32 for column in columns[1:]], axis=0)
    return WireSamples(good, columns, is_skipped, low, high)


class _Fields:
    """The fields of many messages: numbers, where contents begin and end, and which messages have no other fields.

    Of a field that occurs several times, the last one counts, and contents may occur once.
    """

    def __init__(self, form: _Form, buffer: Buffer, start: I64, end: I64) -> None:
        count = len(start)
        self.numbers: dict[int, I64] = {field: np.zeros(count, np.int64) for field in form.numbers}
        self.given: dict[int, Bool] = {field: np.zeros(count, bool) for field in form.numbers}
        self.spans = {field: (np.zeros(count, np.int64), np.zeros(count, np.int64)) for field in form.contents}
        self.good: Bool = np.ones(count, bool)
        self._buffer, self._ignored = buffer, form.ignored
        at, rows = start.copy(), np.arange(count)
        for _ in range(_MOST_FIELDS):
            rows = rows[at[rows] < end[rows]]
            if not len(rows):
                return
            at[rows] = self._step(rows, at[rows], end[rows])
        self.good[rows[at[rows] < end[rows]]] = False

    def _step(self, rows: I64, at: I64, end: I64) -> I64:
        """Read one field of each message in `rows`. Returns where the next one begins; the end for a message that is not good."""
        tag, tag_size = self._buffer.varints(at)
        value, value_size = self._buffer.varints(np.minimum(at + tag_size, end))
        field, kind = tag >> 3, tag & 7
        content = at + tag_size + value_size
        following = content + np.where(kind == _CONTENT, value, 0)
        good = (tag_size < LONGER) & (value_size < LONGER) & (following <= end)
        expected = np.isin(field, self._ignored) & ((kind == _VARINT) | (kind == _CONTENT))
        for number, column in self.numbers.items():
            own = (field == number) & (kind == _VARINT)
            column[rows[own]] = value[own]
            self.given[number][rows[own]] = True
            expected |= own
        for number, (begins, ends) in self.spans.items():
            own = (field == number) & (kind == _CONTENT) & good
            own &= ends[rows] == 0
            begins[rows[own]], ends[rows[own]] = content[own], following[own]
            expected |= own
        good &= expected
        self.good[rows[~good]] = False
        return np.where(good, following, end)
