"""Self totals of call paths from fold tables.

Energy is linear between two knots, so a node gets the share of an epoch's energy that its self time has of the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.amounts import Amounts
from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.self_totals import CALLS, INSIDE_J, OUTSIDE_J, WALL_NS, SelfTotals, merged_totals
from navitas.energy.attribute.curves import group_starts, overlaps
from navitas.energy.attribute.forest import path_sums
from navitas.energy.attribute.window_spans import WindowSpans
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import Folded, Thread


@dataclass(frozen=True, slots=True)
class FoldedCalls:
    """The rows of all fold tables, with the thread and the call path of each."""

    thread: I64
    rows: Folded
    path: I64

    @classmethod
    def of(cls, threads: Sequence[Thread], paths: Paths) -> FoldedCalls:
        """Join the tables thread by thread. New paths are added to `paths`."""
        folding = [index for index, thread in enumerate(threads) if len(thread.folded.node)]
        owner = np.repeat(np.array(folding, np.int64), [len(threads[index].folded.node) for index in folding])
        rows = _concatenate([threads[index].folded for index in folding])
        return cls(owner, rows, _paths_of(owner, rows, paths))


def totals_of_folded(calls: FoldedCalls, spans: WindowSpans, amounts: Amounts) -> SelfTotals:
    """Sum up the self time of every fold node, by test.

    An epoch may extend over a test's edge, because a thread's last calls before it waits may have no anchor. Its calls count
    in the test in which it begins: the probe that ends the epoch is no part of it. Its time and energy are split at the edge.
    """
    owner, rows, path = calls.thread, calls.rows, calls.path
    row, window = overlaps(*spans.reached(rows.epoch_start_ns, rows.epoch_end_ns))
    start_ns, end_ns = rows.epoch_start_ns[row], rows.epoch_end_ns[row]
    low = np.clip(start_ns, spans.start_ns[window], spans.end_ns[window])
    high = np.clip(end_ns, spans.start_ns[window], spans.end_ns[window])
    share = rows.self_ns[row] / np.maximum(end_ns - start_ns, 1)
    spent, joules = amounts.between(owner[row], low, high)
    first = group_starts(row)
    counts = np.stack([rows.calls[row] * first, rows.throws[row] * first, np.zeros(len(row), np.int64)])
    inside = spent * share
    inside[[INSIDE_J, OUTSIDE_J]] = amounts.mean_power(owner[row], spent, joules) * counts[CALLS]
    used = np.any(counts > 0, axis=0) | (inside[WALL_NS] > 0)
    shared = {component: column * share for component, column in joules.items()}
    return merged_totals([SelfTotals(window, owner[row], path[row], counts, inside, shared).chosen(used)])


def _paths_of(owner: I64, rows: Folded, paths: Paths) -> I64:
    """The call path of every row; `owner` has the rows' threads."""
    span = int(rows.node.max(initial=0)) + 2
    key, row, inverse = np.unique(owner * span + rows.node, return_index=True, return_inverse=True)
    method = rows.method[row].astype(np.int64)
    parent_key = owner[row] * span + rows.parent[row]
    parent_row = np.minimum(np.searchsorted(key, parent_key), max(len(key) - 1, 0))
    has_parent = (rows.parent[row] >= 0) & (key[parent_row] == parent_key) & (rows.parent[row] < rows.node[row])
    parent = np.where(has_parent, parent_row, -1)
    depth = path_sums(parent, np.ones(len(key), np.int64))
    words = paths.words(method, depth - 1)
    path_sum = path_sums(parent, words)
    return paths.intern(method, depth, path_sum, path_sum - words)[inverse]


def _concatenate(tables: list[Folded]) -> Folded:
    columns = ("epoch_start_ns", "epoch_end_ns", "node", "parent", "method", "calls", "throws", "self_ns")
    empty = np.empty(0, np.int64)
    return Folded(*(np.concatenate([*(getattr(table, name) for table in tables), empty]) for name in columns))
