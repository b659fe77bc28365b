"""The single calls of a recording that used most energy, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.walk import POINT, EventBatch, walk
from navitas.energy.attribute.curves import Curve, added
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.arrays import F64, I64, ColumnTable
from navitas.recording.parse.tables import ENTER, RESUME, RunTables

MOST_CALLS = 50_000
"""The number of calls that are kept."""
_NO_MARKS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class SingleCalls(ColumnTable):
    """Calls of a run's threads (`owner` is a row of the ledger), with the energy of the thread from begin to end.

    `level` is the number of calls that a call is in. Of calls with the same begin and end, the one of the lower level is the
    caller. Times are CLOCK_MONOTONIC.
    """

    owner: I64
    begin_ns: I64
    end_ns: I64
    level: I64
    method: I64
    energy_j: F64


NO_CALLS = SingleCalls(*(np.empty(0, np.int64),) * 5, np.empty(0))


class LargestCalls:
    """Collects the calls with most energy, those of one run after another. `seen` counts all calls."""

    def __init__(self, ledger: Ledger, most: int = MOST_CALLS) -> None:
        self._ledger, self._most = ledger, most
        self._parts: list[SingleCalls] = []
        self._rows, self._least_j = 0, 0.0
        self.seen = 0

    def add(self, run: RunTables, first_owner: int) -> None:
        """Read the events of a run. Its threads are the owners from `first_owner` on."""
        opened: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        curves: dict[int, Curve] = {}
        for batch in walk(run.threads, Paths(len(self._ledger.methods.methods)), _NO_MARKS):
            for number, piece in enumerate(batch.pieces):
                if piece.thread not in curves:
                    curves = {piece.thread: self._curve(first_owner + piece.thread)}
                calls = _calls_of(batch, number, opened[piece.thread])
                energy_j = np.diff(curves[piece.thread].at(np.stack([calls.begin_ns, calls.end_ns])), axis=0)[0]
                self._keep(replace(calls, owner=calls.owner + first_owner, energy_j=energy_j))

    def calls(self) -> SingleCalls:
        """Return the calls, thread by thread, in the order in which they begin."""
        self._cut()
        rows = SingleCalls.joined([NO_CALLS, *self._parts])
        return rows.chosen(np.lexsort((rows.level, -rows.end_ns, rows.begin_ns, rows.owner)))

    def _curve(self, owner: int) -> Curve:
        return added([self._ledger.curves.curve(owner, number) for number in range(len(self._ledger.components))])

    def _keep(self, calls: SingleCalls) -> None:
        self.seen += len(calls)
        chosen = calls.chosen(np.flatnonzero(calls.energy_j > self._least_j))
        self._parts.append(chosen)
        self._rows += len(chosen)
        if self._rows > 2 * self._most:
            self._cut()

    def _cut(self) -> None:
        rows = SingleCalls.joined([NO_CALLS, *self._parts])
        if len(rows) > self._most:
            largest = np.argpartition(-rows.energy_j, self._most)[: self._most]
            rows = rows.chosen(np.sort(largest))
            self._least_j = float(rows.energy_j.min())
        self._parts, self._rows = [rows], len(rows)


def _calls_of(batch: EventBatch, number: int, opened: list[tuple[int, int, int]]) -> SingleCalls:
    """Return the calls that end in a piece, without their energy.

    `opened` has level, begin and method of the calls that are open before the piece, and then of those after it.
    """
    piece, low, high = batch.pieces[number], int(batch.start[number]), int(batch.start[number + 1])
    at = low + np.flatnonzero(batch.kind[low:high] != POINT)
    enters = (batch.kind[at] == ENTER) | (batch.kind[at] == RESUME)
    level, t_ns, method = batch.depth[at] - enters, batch.t_ns[at], batch.method[at].astype(np.int64)
    before = np.array(opened if piece.continues else [], np.int64).reshape(-1, 3)
    level, t_ns, method = (np.concatenate(pair) for pair in zip(before.T, (level, t_ns, method), strict=True))
    enters = np.concatenate([np.ones(len(before), bool), enters])
    # At one level, an entry and its exit follow each other.
    order = np.argsort(level, kind="stable")
    left, right = order[:-1], order[1:]
    pairs = enters[left] & ~enters[right] & (level[left] == level[right])
    begun, ended = left[pairs], right[pairs]
    is_open = enters.copy()
    is_open[begun] = False
    still = np.flatnonzero(is_open)
    opened[:] = list(zip(level[still].tolist(), t_ns[still].tolist(), method[still].tolist(), strict=True))
    end_ns = t_ns[ended]
    if piece.end_ns is not None:
        opened.clear()
        begun, end_ns = np.concatenate([begun, still]), np.concatenate([end_ns, np.full(len(still), piece.end_ns)])
    owner = np.full(len(begun), piece.thread)
    return SingleCalls(owner, t_ns[begun], end_ns, level[begun], method[begun], np.zeros(len(begun)))
