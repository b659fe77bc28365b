"""Parse packets of stack samples by protobuf's wire format, many at once and without an object for each.

For packets in any other form than that of traced_perf, and for those that intern data, protobuf decodes the packet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.trace.perfetto_wire import CONTENT, LONGER, PAD, VARINT, Buffer

_LONGEST = 1024
_MOST_FIELDS = 24
_U32 = (1 << 32) - 1
_LAST_REASON = 4  # PROFILER_SKIP_NOT_IN_SCOPE
STATE_CLEARED: Final = 1
SKIPPED: Final = -1
"""Stands for the interned stack of a sample that has none."""
_OTHER, _IGNORED, _READ = 0, 1, 2


class _Form:
    """Fields of a message: numbers and contents to read, and numbers that it may have.

    A field has a slot: `_OTHER`, `_IGNORED`, or one of its own from `_READ` on, first those of numbers. `slot_of` has the slot
    by a field's first two bytes, as a little-endian number. A tag has one of them or both.
    """

    def __init__(self, numbers: Sequence[int], contents: Sequence[int], ignored: Sequence[int]) -> None:
        self.first_content = _READ + len(numbers)
        self.slots = self.first_content + len(contents)
        tags = [field << 3 | VARINT for field in (*ignored, *numbers)] + [field << 3 | CONTENT for field in contents]
        slots = [_IGNORED] * len(ignored) + list(range(_READ, self.slots))
        by_bytes = np.full((256, 256), _OTHER, np.uint8)
        for tag, slot in zip(tags, slots, strict=True):
            second, first = (slice(None), tag) if tag < 0x80 else (tag >> 7, tag & 0x7F | 0x80)
            by_bytes[second, first] = slot
        self.slot_of = by_bytes.ravel()


# TracePacket: timestamp, sequence, its flags, clock; interned_data, perf_sample. The service adds uid and process of the writer,
# and its first packet.
_PACKET = _Form((8, 10, 13, 58), (12, 66), (3, 79, 87))
# PerfSample: pid, tid, interned stack, unwind_error, why there is no stack. It has CPU, its mode and counters.
_PERF_SAMPLE = _Form((2, 3, 4, 16, 18), (), (1, 5, 6, 7))


class PlainSamples(NamedTuple):
    """Neighboring packets with samples of one sequence and clock, as columns. Other packets do not depend on them.

    They are those from `low` to `high` of their block. `stack_iid` is `SKIPPED` for samples without a stack.
    """

    low: int
    high: int
    sequence: int
    clock: int
    timestamp: I64
    pid: I64
    tid: I64
    stack_iid: I64
    unwind_error: I64


def plain_samples(data: memoryview, begins: Sequence[int], ends: Sequence[int]) -> Iterator[PlainSamples]:
    """Yield the samples of a block of packets. `begins` and `ends` are where the content of each packet begins and ends."""
    start, end = np.array(begins, np.int64), np.array(ends, np.int64)
    short = np.flatnonzero(end - start <= _LONGEST)
    if not len(short):
        return
    buffer = Buffer(b"".join((data, bytes(PAD))))
    packet, packet_ends, is_plain = _fields(_PACKET, buffer, start[short], end[short])
    timestamp, sequence, flags, clock, interned, at = packet
    *_, interned_end, to = packet_ends
    sample, sample_ends, is_good = _fields(_PERF_SAMPLE, buffer, at, to)
    pid, tid, stack, error, reason = sample
    is_plain &= is_good & (to > at) & (interned == interned_end) & (flags & STATE_CLEARED == 0) & (reason <= _LAST_REASON)
    is_plain &= (packet[1:4] <= _U32).all(axis=0) & (sample <= _U32).all(axis=0)
    is_skipped = sample_ends[-1] > 0
    stack[is_skipped], error[is_skipped] = SKIPPED, 0
    rows = np.flatnonzero(is_plain)
    if not len(rows):
        return
    number, sequence, clock = short[rows], sequence[rows], clock[rows]
    columns = [column[rows] for column in (timestamp, pid, tid, stack, error)]
    begins_run = (np.diff(number) != 1) | (np.diff(sequence) != 0) | (np.diff(clock) != 0)
    for first, last in pairwise([0, *(np.flatnonzero(begins_run) + 1).tolist(), len(rows)]):
        low = int(number[first])
        run = low, low + last - first, int(sequence[first]), int(clock[first])
        yield PlainSamples(*run, *(column[first:last] for column in columns))


def _fields(form: _Form, buffer: Buffer, start: I64, end: I64) -> tuple[I64, I64, Bool]:
    """Return the fields of many messages: by slot from `_READ` on, its number or where its content begins, and where the field
    ends (0 if absent); and which messages have only fields of the form.

    Of a number that occurs several times, the last one counts. Contents may occur once.
    """
    read = np.zeros((2, form.slots, len(start)), np.int64)
    values, ends = read
    is_good, rows, at = np.ones(len(start), bool), np.arange(len(start)), start
    for _ in range(_MOST_FIELDS):
        is_open = at < end
        rows, at, end = rows[is_open], at[is_open], end[is_open]
        if not len(rows):
            break
        head = buffer.pairs[at]
        slot = form.slot_of[head]
        at = at + 1 + (head >> 7 & 1)
        value, size = buffer.varints(at)
        at += size
        is_content = slot >= form.first_content
        following = at + np.where(is_content, value, 0)
        good = (slot != _OTHER) & (size < LONGER) & (following <= end) & ~(is_content & (ends[slot, rows] > 0))
        values[slot, rows], ends[slot, rows] = np.where(is_content, at, value), following
        is_good[rows] = good
        at = np.where(good, following, end)
    is_good[rows[at < end]] = False
    return values[_READ:], ends[_READ:], is_good
