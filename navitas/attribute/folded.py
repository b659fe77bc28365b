"""Fold tables → parts of calls: between two knots energy is linear, so self time carries its part of an epoch's energy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.curves import F64, ends, overlaps
from navitas.attribute.items import WALL_NS, Amounts, Items, Spans, sums
from navitas.parse.tables import I64, Folded, Thread


def items_of_folded(threads: Sequence[Thread], spans: Spans, amounts: Amounts) -> Items:
    """Every fold node in every test, with the amounts of its self time.

    Calls of an epoch that reaches over a test's edge are counted in the test in which the epoch ends (an epoch ends with the
    probe that enters a test's first call), its time is shared out by the energy and the time on either side.
    """
    folding = [index for index, thread in enumerate(threads) if len(thread.folded.node)]
    rows = _concatenate([threads[index].folded for index in folding])
    owner = np.repeat(np.array(folding, np.int64), [len(threads[index].folded.node) for index in folding])
    nodes = _Nodes(owner, rows)
    row, window = overlaps(*spans.reached(rows.epoch_start_ns, rows.epoch_end_ns))
    start_ns, end_ns = rows.epoch_start_ns[row], rows.epoch_end_ns[row]
    low = np.clip(start_ns, spans.start_ns[window], spans.end_ns[window])
    high = np.clip(end_ns, spans.start_ns[window], spans.end_ns[window])
    part = rows.self_ns[row] / np.maximum(end_ns - start_ns, 1)
    inside = amounts.between(owner[row], low, high) * part[:, None]
    final = ends(row)
    counts = np.stack([rows.calls[row] * final, rows.throws[row] * final, np.zeros(len(row), np.int64)], axis=1)
    some = np.any(counts > 0, axis=1) | (inside[:, WALL_NS] > 0)
    return nodes.items(window[some], nodes.of_row[row[some]], counts[some], inside[some])


class _Nodes:
    """The fold nodes of all threads: their threads, methods, levels and parents (-1 at a root)."""

    def __init__(self, owner: I64, rows: Folded) -> None:
        span = int(rows.node.max(initial=0)) + 2
        key, row, self.of_row = np.unique(owner * span + rows.node, return_index=True, return_inverse=True)
        self.thread, self.method = owner[row], rows.method[row].astype(np.int64)
        wanted = owner[row] * span + rows.parent[row]
        found = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
        known = (rows.parent[row] >= 0) & (key[found] == wanted) & (rows.parent[row] < rows.node[row])
        self.parent = np.where(known, found, -1)
        self.level = np.zeros(len(key), np.int64)
        above = self.parent.copy()
        while np.any(above >= 0):
            self.level += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)

    def items(self, window: I64, node: I64, counts: I64, amounts: F64) -> Items:
        """Sum up by test and node; nodes above them are added."""
        size = len(self.thread)
        used = key = np.unique(window * size + node)
        while len(key):
            up = self.parent[key % max(size, 1)]
            key = np.setdiff1d((key - key % max(size, 1) + up)[up >= 0], used)
            used = np.union1d(used, key)
        item = np.searchsorted(used, window * size + node)
        at = used % max(size, 1)
        parent = np.where(self.parent[at] >= 0, np.searchsorted(used, used - at + self.parent[at]), -1)
        return Items(
            window=used // max(size, 1),
            thread=self.thread[at],
            method=self.method[at],
            level=self.level[at],
            parent=parent.astype(np.int64),
            counts=sums(item, counts, len(used)).astype(np.int64),
            amounts=sums(item, amounts, len(used)),
            is_self=True,
        )


def _concatenate(tables: list[Folded]) -> Folded:
    columns = ("epoch_start_ns", "epoch_end_ns", "node", "parent", "method", "calls", "throws", "self_ns")
    empty = np.empty(0, np.int64)
    return Folded(*(np.concatenate([*(getattr(table, name) for table in tables), empty]) for name in columns))
