"""Method traces of the versions 4 and 5: all parts are packets, and events are differences from the previous ones.

Two layouts of events share these versions. Their numbers are LEB128, and the previous values are 0 at the start of a packet.

- *whole*: method and action (signed), wall time, and in version 5 the thread's CPU time, in ns
  (ART, runtime/trace.cc: TraceWriter::FlushEntriesFormatV2);
- *short*: wall time and action, in version 5 another number, and for an entry the method, all signed. Times can be ticks of a
  counter (Perfetto: art_method_v2_tokenizer.cc).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.importing.art_records import MAX_PACKETS, MAX_TEXT, ArtHeader, Packets, ThreadEvents, check_threads
from navitas.recording.parse.arrays import I64, U64, Bool

MAX_EVENTS = 50_000_000
"""About as many as the largest file of version 3 has."""
_THREAD, _METHOD, _EVENTS = 0, 1, 2
_HEADS = tuple(struct.Struct(fields) for fields in ("<xI0sH", "<xQ0sH", "<xI3sI", "<x0s0sH"))
"""By kind of packet: whose it is, its count of events, and its size. The last kind is the summary, which is text."""
_BATCH_BYTES = 4 << 20
_NUMBER_BYTES = 10
_MORE, _BITS, _NEGATIVE = 0x80, 0x7F, 0x40
_ACTION = 3
_NS = 1_000_000_000
_LATEST_NS = 1 << 60
_REMEDY = "It is damaged, or in an early form of Android 15: copy it again, or trace without --profiler-output-version."


@dataclass(frozen=True, slots=True)
class _Block:
    """A packet of events: its thread, where its numbers are in the file, and how many events it states."""

    thread: int
    start: int
    end: int
    events: int


def packed_trace(data: bytes, header: ArtHeader, shown: str) -> tuple[Packets, Iterator[ThreadEvents]]:
    """Split a trace into packets, and return them with the events of each thread.

    A last packet that is cut off is left out. Raises `RecordingError` if the file is damaged, with the place, or if it has too
    many events, methods or threads.
    """
    lines: dict[bytes, bytes] = {}
    blocks: list[_Block] = []
    text, at, room, total = b"", header.records_at, MAX_TEXT, 0
    while at < len(data) and not text:
        kind = data[at]
        if kind >= len(_HEADS):
            raise _damaged(shown, at, f"a packet of the unknown kind {kind}")
        start = at + _HEADS[kind].size
        if start > len(data):
            break
        number, count, size = _HEADS[kind].unpack_from(data, at)
        end = start + size
        if end > len(data):
            break
        if kind == _EVENTS:
            events = int.from_bytes(count, "little")
            if events > size or (size and not events):
                raise _damaged(shown, at, f"a packet of {events:,} events in {size:,} bytes")
            blocks += [_Block(number, start, end, events)] if events else []
            total += events
        elif kind in (_THREAD, _METHOD):
            room -= size
            lines[(b"%d" if kind == _THREAD else b"%#x") % number] = data[start:end].replace(b"\n", b" ").strip()
        else:
            text = data[start:end]
        at = end
        if room < 0 or len(lines) > MAX_PACKETS:
            limit = f"{MAX_TEXT >> 20} MiB" if room < 0 else f"{MAX_PACKETS:,} entries"
            raise RecordingError(f"{shown}: more than {limit} of methods and threads", "Trace a shorter time.")
        if total > MAX_EVENTS or len(blocks) > MAX_PACKETS:
            limit = f"{MAX_EVENTS:,} entries and exits" if total > MAX_EVENTS else f"{MAX_PACKETS:,} packets of events"
            raise RecordingError(f"{shown}: more than {limit}", "Trace a shorter time.")
    check_threads(len({block.thread for block in blocks}), shown)
    methods, threads = (
        b"\n".join(b"%s\t%s" % item for item in lines.items() if item[0].startswith(b"0x") == is_method)
        for is_method in (True, False)
    )
    packets = Packets(text, methods, threads, b"", len(data) - at)
    return packets, _of_threads(_Reader(data, header, shown, _is_short(data, header, blocks)), blocks)


def _damaged(shown: str, at: int, cause: str) -> RecordingError:
    return RecordingError(f"{shown}: cannot be read at byte {at:,}: {cause}", _REMEDY)


def _is_short(data: bytes, header: ArtHeader, blocks: Sequence[_Block]) -> bool:
    """Whether events have the short layout: there is a counter, or most do not have as many numbers as the whole layout."""
    if header.has_counter:
        return True
    numbers = [np.count_nonzero(np.frombuffer(data, np.uint8, one.end - one.start, one.start) < _MORE) for one in blocks]
    width = 3 if header.has_two_clocks else 2
    fitting = sum(block.events for block, count in zip(blocks, numbers, strict=True) if count == width * block.events)
    return 2 * fitting < sum(block.events for block in blocks)


def _of_threads(reader: _Reader, blocks: Sequence[_Block]) -> Iterator[ThreadEvents]:
    for thread, own in groupby(sorted(blocks, key=attrgetter("thread")), attrgetter("thread")):
        parts = [reader.events(batch) for batch in _batches(own)]
        method, t_ns, *cpu_ns = (np.concatenate(column) for column in zip(*parts, strict=True))
        action = (method & np.uint64(_ACTION)).astype(np.uint8)
        ids = method & ~np.uint64(_ACTION)
        if reader.is_short:
            ids = _with_exits(ids, action == 0)
        yield ThreadEvents(thread, ids, action, _rising(t_ns), _rising(cpu_ns[0]) if cpu_ns else None)


def _batches(blocks: Iterator[_Block]) -> Iterator[list[_Block]]:
    batch, size = list[_Block](), 0
    for block in blocks:
        batch.append(block)
        size += block.end - block.start
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the events of packets."""

    data: bytes
    header: ArtHeader
    shown: str
    is_short: bool

    def events(self, blocks: Sequence[_Block]) -> tuple[U64 | I64, ...]:
        """Return columns: method with action (short layout: an exit has the action only), wall time and CPU time in ns."""
        numbers = self._numbers(blocks)
        per_block = np.array([block.events for block in blocks])
        method, *times = (self._short if self.is_short else self._whole)(blocks, numbers, per_block)
        for column in times:
            self._check_times(blocks, per_block, column, _NS)
        return method, *times

    def _check_times(self, blocks: Sequence[_Block], per_block: I64, times: U64 | I64, hz: int) -> None:
        for row in np.flatnonzero((times < -hz) | (times // hz > _LATEST_NS // _NS))[:1].tolist():
            block = blocks[int(np.searchsorted(np.cumsum(per_block), row, side="right"))]
            unit = "ns" if hz == _NS else f"ticks of {hz:,} Hz"
            raise _damaged(self.shown, block.start, f"a packet with the time {int(times[row]):,} {unit}")

    def _whole(self, blocks: Sequence[_Block], numbers: _Numbers, per_block: I64) -> tuple[U64 | I64, ...]:
        width = 3 if self.header.has_two_clocks else 2
        for row in np.flatnonzero(numbers.per_block != width * per_block)[:1].tolist():
            cause = f"a packet of {per_block[row]:,} events with {numbers.per_block[row]:,} numbers"
            raise _damaged(self.shown, blocks[row].start, cause)
        method = _restarting(numbers.signed(slice(0, None, width)), per_block)
        times = (_restarting(numbers.value[column::width], per_block) for column in range(1, width))
        return method, *(column.view(np.int64) for column in times)

    def _short(self, blocks: Sequence[_Block], numbers: _Numbers, per_block: I64) -> tuple[U64 | I64, ...]:
        """The second number of version 5 is left out: its meaning is not described."""
        before_method = 2 if self.header.has_two_clocks else 1
        signed = numbers.signed(slice(None))
        count = len(signed)
        low = (signed & np.uint64(_ACTION)).astype(np.uint8).tobytes() + bytes(count)
        is_first = bytearray(2 * count)
        steps = (before_method + 1, *[before_method] * _ACTION)
        end = 0
        for block, numbers_of in zip(blocks, numbers.per_block.tolist(), strict=True):
            at, end, action = end, end + numbers_of, 0
            if before_method * block.events <= numbers_of:
                for _ in range(block.events):  # only its own action shows where the next event begins
                    is_first[at] = 1
                    action = (action + low[at]) & _ACTION
                    at += steps[action]
            if at != end:
                raise _damaged(self.shown, block.start, f"a packet of {block.events:,} events with {numbers_of:,} numbers")
        rows = np.flatnonzero(np.frombuffer(is_first, np.uint8))
        stamp = _restarting(signed[rows], per_block)
        method = stamp & np.uint64(_ACTION)
        is_entry = method == 0
        entries = np.diff(np.concatenate([[0], np.cumsum(is_entry)])[np.concatenate([[0], np.cumsum(per_block)])])
        method[is_entry] = _restarting(signed[rows[is_entry] + before_method], entries) & ~np.uint64(_ACTION)
        ticks = stamp.view(np.int64) >> 2
        if hz := self.header.counter_hz:
            self._check_times(blocks, per_block, ticks, hz)  # of later ticks, the ns exceed 64 bits
        return method, ticks if not hz else ticks // hz * _NS + ticks % hz * _NS // hz

    def _numbers(self, blocks: Sequence[_Block]) -> _Numbers:
        view = memoryview(self.data)
        octets = np.frombuffer(b"".join([view[block.start : block.end] for block in blocks]), np.uint8)
        bounds = np.cumsum([0, *(block.end - block.start for block in blocks)])
        last = np.flatnonzero(octets < _MORE)
        first = np.concatenate([[0], last + 1])
        octets_of = np.diff(first)
        for row in np.flatnonzero(octets[bounds[1:] - 1] >= _MORE)[:1].tolist():
            raise _damaged(self.shown, blocks[row].end - 1, "the last number of a packet does not end")
        for row in np.flatnonzero(octets_of > _NUMBER_BYTES)[:1].tolist():
            block = int(np.searchsorted(bounds, first[row], side="right")) - 1
            raise _damaged(self.shown, blocks[block].start + int(first[row] - bounds[block]), "a number of more than 64 bits")
        value = (octets[first[:-1]] & _BITS).astype(np.uint64)
        used, rows = 1, np.flatnonzero(octets_of > 1)
        while len(rows):
            value[rows] |= (octets[first[rows] + used] & _BITS).astype(np.uint64) << np.uint64(7 * used)
            used += 1
            rows = rows[octets_of[rows] > used]
        return _Numbers(value, octets_of, (octets[last] & _NEGATIVE) > 0, np.diff(np.searchsorted(last, bounds)))


@dataclass(frozen=True, slots=True)
class _Numbers:
    """LEB128 numbers: values without a sign, sizes in bytes, whether they are negative if signed, and how many a packet has."""

    value: U64
    octets: I64
    is_negative: Bool
    per_block: I64

    def signed(self, rows: slice) -> U64:
        """Return signed numbers, modulo 2^64."""
        value, octets, is_negative = self.value[rows], self.octets[rows], self.is_negative[rows]
        chosen = np.flatnonzero(is_negative & (octets < _NUMBER_BYTES))
        value = value.copy()
        value[chosen] |= ~np.uint64(0) << (7 * octets[chosen]).astype(np.uint64)
        return value


def _restarting(steps: U64, per_block: I64) -> U64:
    """The running totals, which restart at each packet."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(steps, dtype=np.uint64)])
    return np.asarray(total[1:] - np.repeat(total[np.cumsum(per_block) - per_block], per_block), np.uint64)


def _rising(t_ns: I64) -> I64:
    return np.maximum.accumulate(np.maximum(t_ns, 0))


def _with_exits(ids: U64, is_entry: Bool) -> U64:
    """The ids with those of exits, which are of the innermost open call; 0 if no call is open."""
    depth = np.cumsum(np.where(is_entry, 1, -1))
    depth -= np.minimum(np.minimum.accumulate(depth), 0)  # an exit without an open call leaves the depth at 0
    is_matched = is_entry | (np.concatenate([[0], depth[:-1]]) > 0)
    rows = np.flatnonzero(is_matched)
    level = depth[rows] + ~is_entry[rows]
    few = np.uint16 if len(level) and level.max() < 1 << 16 else np.int64  # numpy sorts short integers ten times as fast
    rows = rows[np.argsort(level.astype(few), kind="stable")]  # at each level, an exit follows its entry
    exits = np.flatnonzero(~is_entry[rows])
    complete = ids.copy()
    complete[rows[exits]] = ids[rows[exits - 1]]
    return complete
