"""All threads' events in order of time, block by block, with the call path of the thread at each event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.curves import Word, in_sorted
from navitas.recording.parse.arrays import I32, I64, U8
from navitas.recording.parse.tables import ENTER, RESUME, CallEvents, Thread

PIECE_EVENTS = 1 << 17
"""The approximate number of events in memory at a time."""

CUT, POINT = 4, 5
"""Kinds in addition to those of events: the assumed end of a call whose exit was lost, and a point in time without an event."""

_NONE = np.empty(0, np.int64)
_NO_EVENTS = CallEvents(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.int32))


@dataclass(frozen=True, slots=True)
class Piece:
    """A section of a thread's stretch of events that begins at `since_ns`.

    `continues`: calls are open from the piece before. `end_ns`: the end of the stretch, None if the next piece continues it.
    `is_cut`: calls open at the end never ended. Otherwise the thread began to fold, and its fold table has the rest.
    """

    thread: int
    events: CallEvents
    since_ns: int
    continues: bool
    end_ns: int | None = None
    is_cut: bool = False


def pieces_of(index: int, thread: Thread) -> Iterator[Piece]:
    """All pieces of a thread, in order."""
    folds_from, folds_to = _epochs(thread)
    waiting: Piece | None = None
    fold = -1
    for block in thread.calls.blocks(PIECE_EVENTS):
        t_ns = block.t_ns
        inner = np.unique(np.searchsorted(t_ns, folds_to, side="right"))
        bounds = [0, *inner[(inner > 0) & (inner < len(t_ns))].tolist(), len(t_ns)]
        for low, high in pairwise(bounds):
            events = CallEvents(t_ns[low:high], block.kind[low:high], block.method[low:high])
            next_fold = int(np.searchsorted(folds_to, t_ns[low]))
            continues = waiting is not None and next_fold == fold
            if waiting is not None:
                yield waiting if continues else _ended(waiting, fold, folds_from, thread)
            since_ns = _last_event_ns(waiting) if waiting is not None and continues else int(t_ns[low])
            waiting, fold = Piece(index, events, since_ns, continues), next_fold
    if waiting is not None:
        yield _ended(waiting, fold, folds_from, thread)


def repaired(piece: Piece, open_methods: Sequence[int]) -> Piece:
    """Return the piece with matching events: drop exits without an entry; cut callees without an exit when the caller exits."""
    methods = list(open_methods)
    is_open = Counter(methods)
    rows: list[int] = []
    kinds: list[int] = []
    methods_of_rows: list[int] = []

    def take(row: int, kind: int, method: int) -> None:
        rows.append(row)
        kinds.append(kind)
        methods_of_rows.append(method)

    for row, (kind, method) in enumerate(zip(piece.events.kind.tolist(), piece.events.method.tolist(), strict=True)):
        if kind in (ENTER, RESUME):
            methods.append(method)
            is_open[method] += 1
            take(row, kind, method)
        elif is_open[method]:
            while methods[-1] != method:
                take(row, CUT, methods[-1])
                is_open[methods.pop()] -= 1
            take(row, kind, method)
            is_open[methods.pop()] -= 1
    events = CallEvents(piece.events.t_ns[rows], np.array(kinds, np.uint8), np.array(methods_of_rows, np.int32))
    return replace(piece, events=events if rows else _NO_EVENTS)


@dataclass(frozen=True, slots=True)
class Points:
    """The points of several pieces: for each, a point at its start, its events and marks in order of time, and its end if known.

    Piece i has the points start[i] … start[i + 1] − 1. `segment_start` has the indexes of pieces' starts and of marks.
    `kind` is the event at the point (tables.ENTER …, `CUT`, `POINT`).
    """

    start: I64
    segment_start: I64
    t_ns: I64
    kind: U8
    method: I32


def points_of(pieces: Sequence[Piece], marks: I64) -> Points:
    """Concatenate pieces. A mark precedes the events at its time; marks up to a piece's start are left out."""
    since_ns = np.array([piece.since_ns for piece in pieces])
    until_ns = np.array([_last_event_ns(piece) if piece.end_ns is None else piece.end_ns for piece in pieces])
    first, last = (np.searchsorted(marks, edge_ns, side="right") for edge_ns in (since_ns, until_ns))
    sizes = [1 + len(piece.events) + (piece.end_ns is not None) for piece in pieces]
    start = np.concatenate([[0], np.cumsum(sizes + last - first)])
    t_ns = np.empty(start[-1], np.int64)
    kind = np.full(start[-1], POINT, np.uint8)
    method = np.zeros(start[-1], np.int32)
    starts = [start[:-1]]
    t_ns[start[:-1]] = since_ns
    for piece, at, low, high in zip(pieces, (start[:-1] + 1).tolist(), first.tolist(), last.tolist(), strict=True):
        events = piece.events
        places = np.searchsorted(events.t_ns, marks[low:high], side="left") if high > low else _NONE
        for shift, (begin, end) in enumerate(pairwise([0, *places.tolist(), len(events)])):
            to = slice(at + begin + shift, at + end + shift)
            t_ns[to], kind[to], method[to] = events.t_ns[begin:end], events.kind[begin:end], events.method[begin:end]
        if high > low:
            starts.append(at + places + np.arange(high - low))
            t_ns[starts[-1]] = marks[low:high]
        if piece.end_ns is not None:
            t_ns[at + len(events) + high - low] = piece.end_ns
    return Points(start, np.sort(np.concatenate(starts)), t_ns, kind, method)


def last_known_ns(thread: Thread) -> int:
    """The time of the last data of a thread that has events."""
    times = (thread.anchors.t_ns, thread.samples.t_ns, thread.folded.epoch_end_ns)
    return max([thread.calls.span_ns[1], *(int(t_ns[-1]) for t_ns in times if len(t_ns))])


def _epochs(thread: Thread) -> tuple[I64, I64]:
    """Start and end of each fold epoch, by end. Of epochs with the same end, the earliest start."""
    ends, inverse = np.unique(thread.folded.epoch_end_ns, return_inverse=True)
    starts = ends.copy()
    np.minimum.at(starts, inverse, thread.folded.epoch_start_ns)
    return starts, ends


def _ended(piece: Piece, fold: int, folds_from: I64, thread: Thread) -> Piece:
    last_ns = _last_event_ns(piece)
    if fold == len(folds_from):
        return replace(piece, end_ns=max(last_ns, last_known_ns(thread)), is_cut=True)
    return replace(piece, end_ns=max(last_ns, int(folds_from[fold])))


def _last_event_ns(piece: Piece) -> int:
    return int(piece.events.t_ns[-1]) if len(piece.events) else piece.since_ns


@dataclass(frozen=True, slots=True)
class EventBatch(Points):
    """Pieces of threads: piece i has the points start[i] … start[i + 1] − 1.

    From a point to the next one of its piece, the thread is in `path`. `depth` is the number of calls in `path`. Every exit
    matches an entry.
    """

    pieces: Sequence[Piece]
    path: I64
    depth: I64


def walk(threads: Sequence[Thread], paths: Paths, marks: I64) -> Iterator[EventBatch]:
    """Read every thread's events, with an additional point at each of the `marks`. New paths are added to `paths`.

    Exits without an entry (it was lost) are dropped. A call without an exit ends with the last data of its thread, or where
    the thread began to fold. After lost events, an exit ends the innermost open call of its method and cuts the calls above it.
    """
    waiting: list[Piece] = []
    size, carried = 0, OUTSIDE
    for index, thread in enumerate(threads):
        for piece in pieces_of(index, thread):
            waiting.append(piece)
            size += len(piece.events) + 2
            if size >= PIECE_EVENTS or piece.end_ns is None:
                batch = _batch(waiting, carried, paths, marks)
                carried = int(batch.path[-1])
                yield batch
                waiting, size = [], 0
    if waiting:
        yield _batch(waiting, carried, paths, marks)


def _batch(pieces: Sequence[Piece], carried: int, paths: Paths, marks: I64) -> EventBatch:
    """`carried` is the path that the first piece continues in, if it continues. No other piece can continue."""
    before = np.full(len(pieces), OUTSIDE)
    if pieces[0].continues:
        before[0] = carried
    points = points_of(pieces, marks)
    followed = _follow(points, before, paths)
    if followed is None:
        # An exit without an entry can hide another one, even in another piece: repair all pieces.
        pieces = [repaired(piece, paths.methods_of(path)) for piece, path in zip(pieces, before.tolist(), strict=True)]
        points = points_of(pieces, marks)
        followed = _follow(points, before, paths)
    assert followed is not None  # events of repaired pieces match
    columns = points.start, points.segment_start, points.t_ns, points.kind, points.method
    return EventBatch(*columns, pieces, *followed)


def _follow(points: Points, before: I64, paths: Paths) -> tuple[I64, I64] | None:
    """Path and depth at every point; None if an exit does not match an entry."""
    start, kind = points.start[:-1], points.kind
    enters = (kind == ENTER) | (kind == RESUME)
    step = (enters.view(np.int8) - ((kind != POINT) & ~enters).view(np.int8)).astype(np.int64)
    depth = _running(step, start, paths.depth[before])
    if depth.min() < 0:
        return None
    words = paths.words(points.method, depth - enters)
    words *= step.view(np.uint64)  # −1 subtracts the word, 0 ignores it
    sums = _running(words, start, paths.sum[before])
    path = paths.find(sums)
    unknown = np.flatnonzero(path < 0)
    if len(unknown):
        entered = unknown[enters[unknown]]
        fresh, first = np.unique(sums[entered], return_index=True)
        if not in_sorted(sums[unknown], fresh).all():
            return None
        entered = entered[np.sort(first)]
        paths.add(sums[entered], points.method[entered], depth[entered], sums[entered] - words[entered])
        path[unknown] = paths.find(sums[unknown])
    return path, depth


def _running(step: NDArray[Word], start: I64, before: NDArray[Word]) -> NDArray[Word]:
    """Running sums of the steps of each piece; piece i begins with before[i]. Integers wrap. A piece's first step is 0."""
    first = before.copy()
    first[1:] -= (before + np.add.reduceat(step, start))[:-1]
    step[start] = first
    total = np.cumsum(step)
    step[start] = 0
    return total
