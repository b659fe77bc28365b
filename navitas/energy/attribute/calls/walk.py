"""All threads' events in order of time, block by block, with the call path of the thread at each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.stretches import PIECE_EVENTS, POINT, Piece, Points, pieces_of, points_of, repaired
from navitas.energy.attribute.curves import Word, in_sorted
from navitas.recording.parse.arrays import I64, U8
from navitas.recording.parse.tables import ENTER, RESUME, Thread


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Pieces of threads: piece i has the points start[i] … start[i + 1] − 1.

    `segment_start` has the indexes of pieces' starts and of marks. From a point to the next one of its piece, the thread is in
    `path`. `kind` is the event at the point (tables.ENTER …, stretches.CUT, stretches.POINT). `depth` is the number of calls in
    `path`. Every exit matches an entry.
    """

    pieces: Sequence[Piece]
    start: I64
    segment_start: I64
    t_ns: I64
    kind: U8
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
    return EventBatch(pieces, points.start, points.segment_start, points.t_ns, points.kind, *followed)


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
