"""Clocks and rates of threads from a kernel trace; in its holes, from other data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.energy.attribute.cpu.energy import Rate
from navitas.energy.attribute.cpu.holes import Holes
from navitas.energy.attribute.cpu.instants import Pieces
from navitas.energy.attribute.cpu.thread_clocks import ThreadClocks, readings
from navitas.energy.attribute.curves import Knots, RowsByTime, group_ends, middle, overlaps
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.tables import Thread


class TracedRate:
    """Watts of each running thread: those of the piece nearest in time; in holes, the rate `elsewhere`."""

    def __init__(self, elsewhere: Rate, holes: Holes, pieces: Pieces) -> None:
        self._elsewhere, self._holes, self._pieces = elsewhere, holes, pieces
        self._rows = RowsByTime(pieces.owner, pieces.start_ns)

    @property
    def edges(self) -> I64:
        """As `Rate.edges`."""
        return np.union1d(self._elsewhere.edges, self._holes.edges)

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        """As `Rate.during`."""
        watts = self._elsewhere.during(owner, a_ns, b_ns)
        if len(self._pieces.owner):
            at = middle(a_ns, b_ns)
            piece = self._nearest(owner, at)
            in_trace = (piece >= 0) & ~self._holes.contain(at)
            watts[in_trace] = self._pieces.watts[piece[in_trace]]
        return watts

    def _nearest(self, owner: I64, t_ns: I64) -> I64:
        """The piece of each owner that is nearest to each time, -1 for an owner without pieces."""
        pieces, rows = self._pieces, self._rows
        before = rows.at(owner, t_ns)
        after = np.minimum(np.where(before < 0, np.searchsorted(rows.owner, owner), before + 1), len(rows.owner) - 1)
        is_own = rows.owner[after] == owner
        nearer = is_own & ((before < 0) | (pieces.start_ns[after] - t_ns < t_ns - pieces.end_ns[before]))
        return np.where(nearer, after, before)


def traced_clocks(threads: Sequence[Thread], plain: ThreadClocks, holes: Holes, pieces: Pieces) -> ThreadClocks:
    """CPU time of threads at their anchors and at every start and end of their pieces.

    Anchors are exact. Between them, and from a thread's birth on, CPU time grows as in the trace. In holes, it grows as in
    `plain`, the clocks without the trace.
    """
    old = plain.knots
    is_end = np.zeros(len(old.t_ns), bool)
    is_end[[*old.start[:-1], *(old.start[1:] - 1)]] = True
    anchors = readings([thread.anchors for thread in threads])
    is_end[old.place(anchors[0], anchors[1]).left] = True
    edges = _within_lives(old, holes.edges)
    ones = np.ones(len(pieces.owner), bool)
    owner = np.concatenate([old.owner, pieces.owner, pieces.owner, edges[0]])
    t_ns = np.concatenate([old.t_ns, pieces.start_ns, pieces.end_ns, edges[1]])
    keep = np.concatenate([is_end | (plain.is_knot & holes.contain(old.t_ns)), ones, ones, np.ones(len(edges[0]), bool)])
    order = np.lexsort((keep, t_ns, owner))
    owner, t_ns, keep = owner[order], t_ns[order], keep[order]
    last = group_ends(owner, t_ns)
    knots = Knots.from_columns(owner[last], t_ns[last], len(threads))
    born = _birth_knots(knots, plain)
    at = np.concatenate([born, knots.place(anchors[0], anchors[1]).left])
    cpu_ns = _fitted_through(knots, _growth(knots, plain, holes, pieces), at, np.concatenate([np.zeros(len(born)), anchors[2]]))
    return ThreadClocks(knots, cpu_ns, keep[last], plain.first_anchor_ns, plain.last_anchor_ns)


def _birth_knots(knots: Knots, plain: ThreadClocks) -> I64:
    """First knots of threads that had not run before, neither by their clock nor in the trace."""
    is_birth: Bool = (plain.cpu_ns[plain.knots.start[:-1]] == 0) & (plain.knots.first_ns == knots.first_ns)
    return knots.start[:-1][is_birth]


def _within_lives(knots: Knots, edges: I64) -> tuple[I64, I64]:
    """All pairs of a curve and an edge between the curve's first and last knot."""
    first = np.searchsorted(edges, knots.first_ns, side="right")
    owner, edge = overlaps(first, np.searchsorted(edges, knots.last_ns, side="left") - 1)
    return owner, edges[edge]


def _growth(knots: Knots, plain: ThreadClocks, holes: Holes, pieces: Pieces) -> F64:
    """CPU time since each curve's first knot: as in the trace; in holes, as in the plain clocks."""
    owner, t_ns = knots.owner, knots.t_ns
    traced = _run_until(pieces, owner, t_ns)
    counted = plain.knots.place(owner, t_ns).read(plain.cpu_ns)
    hole = holes.contain(middle(t_ns[:-1], t_ns[1:]))
    return knots.cumulate(np.concatenate([[0.0], np.where(hole, np.diff(counted), np.diff(traced))]))


def _run_until(pieces: Pieces, owner: I64, t_ns: I64) -> F64:
    """Time in ns that each owner ran until each time, up to a constant per owner."""
    length = pieces.end_ns - pieces.start_ns
    before = np.concatenate([[0], np.cumsum(length)])
    rows = RowsByTime(pieces.owner, pieces.start_ns)
    piece = rows.at(owner, t_ns)
    if not len(length):
        return np.zeros(len(owner))
    inside = before[piece] + np.minimum(t_ns - pieces.start_ns[piece], length[piece])
    return np.where(piece < 0, before[np.searchsorted(rows.owner, owner)], inside).astype(np.float64)


def _fitted_through(knots: Knots, grown: F64, at: I64, cpu_ns: F64) -> F64:
    """Fit the growth to fixed values: the knots `at` have `cpu_ns`, and growth between two of them is scaled to match."""
    number, owner = np.arange(len(grown)), knots.owner
    value, fixed = np.zeros(len(grown)), np.zeros(len(grown), bool)
    value[at], fixed[at] = cpu_ns, True
    before = np.maximum.accumulate(np.where(fixed, number, -1))
    after = len(grown) - 1 - np.maximum.accumulate(np.where(fixed[::-1], number, -1))[::-1]
    has_before, has_after = before >= knots.start[owner], after < knots.start[owner + 1]
    before, after = np.where(has_before, before, number), np.where(has_after, after, number)
    span, length = grown[after] - grown[before], knots.t_ns[after] - knots.t_ns[before]
    by_growth = (grown - grown[before]) / np.where(span > 0, span, 1.0)
    by_time = (knots.t_ns - knots.t_ns[before]) / np.maximum(length, 1)
    between = value[before] + np.where(span > 0, by_growth, by_time) * (value[after] - value[before])
    beyond = np.where(has_before, value[before] + grown - grown[before], value[after] - grown[after] + grown)
    return np.where(has_before & has_after, between, np.where(has_before | has_after, beyond, grown))
