"""Full call events (chunk type 1) as columns, decoded block by block on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import I64, U64, Bool
from navitas.recording.parse.chunks import Chunk, release
from navitas.recording.parse.methodmap import RESERVED_ID, Span
from navitas.recording.parse.tables import CallEvents

_DELTA_BITS, _KIND_SHIFT = 40, 62
_DELTA_MASK = np.uint64((1 << _DELTA_BITS) - 1)
_METHOD_MASK = np.uint64((1 << (_KIND_SHIFT - _DELTA_BITS)) - 1)
_METHOD_FIELD = _METHOD_MASK << np.uint64(_DELTA_BITS)
_RESERVED = np.uint64(RESERVED_ID << _DELTA_BITS)
_RELEASE_EVERY = 1 << 22

NO_CALLS = CallEvents(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.int32))


@dataclass(frozen=True, slots=True)
class _Part:
    """One chunk's events. `kept` selects the events whose method has a row in `span`; None selects all, which are in the map."""

    chunk: Chunk
    span: Span
    kept: Bool | None

    @property
    def words(self) -> U64:
        words = np.frombuffer(self.chunk.payload, "<u8")
        return words if self.kept is None else words[self.kept]

    @property
    def count(self) -> int:
        return self.chunk.count if self.kept is None else int(np.count_nonzero(self.kept))


class EncodedCalls:
    """One thread's events as encoded in its chunks, in order (a `CallStream`). Decoded times are non-decreasing."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = [part for part in parts if part.count]
        self._count = sum(part.count for part in self._parts)
        edges = [[part.chunk.base_ns + int(part.words[i] & _DELTA_MASK) for i in (0, -1)] for part in self._parts]
        self._span = (edges[0][0], max(map(max, edges))) if edges else (0, 0)

    def __len__(self) -> int:
        return self._count

    @property
    def span_ns(self) -> tuple[int, int]:
        """Times of the first and the last event; (0, 0) if there are none."""
        return self._span

    def blocks(self, events: int) -> Iterator[CallEvents]:
        """Yield the events in blocks of about `events` events. Each block holds whole chunks."""
        waiting: list[_Part] = []
        size = read = 0
        latest = self._span[0]
        for part in self._parts:
            waiting.append(part)
            size += part.count
            if size >= events:
                block = _decoded(waiting, size, latest, self._span[1])
                latest = int(block.t_ns[-1])
                yield block
                waiting, read, size = [], read + size, 0
                if read >= _RELEASE_EVERY:
                    release(part.chunk.payload)
                    read = 0
        if waiting:
            yield _decoded(waiting, size, latest, self._span[1])
            release(waiting[-1].chunk.payload)

    def whole(self) -> CallEvents:
        """Return all events in one table."""
        return next(self.blocks(max(self._count, 1)), NO_CALLS)


def encoded_calls(chunks: Sequence[Chunk], known: dict[int, Span]) -> tuple[EncodedCalls, int]:
    """Return one thread's events from its chunks in order, and the number of events dropped because no map has their method id.

    Events with the runtime's reserved ids are left out and not counted.
    Every chunk's map must be in `known` (see `methodmap.check_maps`).
    """
    parts = []
    total = own = 0
    for chunk in chunks:
        span = known[chunk.map_id]
        kept = None
        words = np.frombuffer(chunk.payload, "<u8")
        if not _are_all_in(span, words):
            ids = _ids(words)
            kept = span.rows(ids)[1]
            own += int(np.count_nonzero(~kept & (ids >= RESERVED_ID)))
        parts.append(_Part(chunk, span, kept))
        total += chunk.count
    calls = EncodedCalls(parts)
    if chunks:
        release(chunks[-1].payload)
    return calls, total - len(calls) - own


def reserved_calls(chunks: Sequence[Chunk]) -> tuple[CallEvents, I64]:
    """Return the events with the runtime's reserved method ids, and the number of each event's chunk."""
    payloads = [np.empty(0, np.uint64), *(np.frombuffer(chunk.payload, "<u8") for chunk in chunks)]
    parts = [words[(words & _METHOD_FIELD) >= _RESERVED] for words in payloads]
    words, number = np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    t_ns = (words & _DELTA_MASK).view(np.int64) + np.array([0, *(chunk.base_ns for chunk in chunks)], np.int64)[number]
    return CallEvents(t_ns, (words >> np.uint64(_KIND_SHIFT)).astype(np.uint8), _ids(words).astype(np.int32)), number


def _are_all_in(span: Span, words: U64) -> bool:
    if not len(words):
        return True
    if span.places is None:
        return bool((words & _METHOD_FIELD).max() < np.uint64(min(span.size << _DELTA_BITS, (1 << 64) - 1)))
    ids = _ids(words)
    return bool(ids.max() < span.size and span.places.take(ids, mode="clip").min())


def _ids(words: U64) -> I64:
    ids = words >> np.uint64(_DELTA_BITS)
    ids &= _METHOD_MASK
    return ids.view(np.int64)


def _decoded(parts: Sequence[_Part], size: int, earliest_ns: int, latest_ns: int) -> CallEvents:
    t_ns = np.empty(size, np.int64)
    kind = np.empty(size, np.uint8)
    method = np.empty(size, np.int32)
    at = 0
    for part in parts:
        words = part.words
        to = at + len(words)
        t_ns[at:to] = words & _DELTA_MASK
        t_ns[at:to] += part.chunk.base_ns
        kind[at:to] = words >> np.uint64(_KIND_SHIFT)
        if part.kept is None:
            part.span.own_rows(_ids(words), method[at:to])
        else:
            method[at:to] = part.span.rows(_ids(words))[0]
        at = to
    if (t_ns[1:] < t_ns[:-1]).any():
        np.maximum.accumulate(t_ns, out=t_ns)
    if t_ns[0] < earliest_ns or t_ns[-1] > latest_ns:
        np.clip(t_ns, earliest_ns, latest_ns, out=t_ns)
    return CallEvents(t_ns, kind, method)
