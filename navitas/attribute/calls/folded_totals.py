"""Self totals of call paths from fold tables.

Energy is linear between two knots, so a node gets the share of an epoch's energy that its self time has of the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.amounts import CALLS_J_PER_NS, WALL_NS, Amounts
from navitas.attribute.calls.paths import Paths
from navitas.attribute.calls.self_totals import CALLS, SelfTotals
from navitas.attribute.curves import group_starts, overlaps
from navitas.attribute.forest import path_sums
from navitas.attribute.window_spans import WindowSpans
from navitas.parse.arrays import I64
from navitas.parse.tables import Folded, Thread


def totals_of_folded(threads: Sequence[Thread], spans: WindowSpans, amounts: Amounts, paths: Paths) -> SelfTotals:
    """Sum up the self time of every fold node, by test.

    An epoch may extend over a test's edge, because a thread's last calls before it waits may have no anchor. Its calls count
    in the test in which it begins: the probe that ends the epoch is no part of it. Its time and energy are split at the edge.
    """
    owner, rows = _rows(threads)
    path = _paths_of(owner, rows, paths)
    row, window = overlaps(*spans.reached(rows.epoch_start_ns, rows.epoch_end_ns))
    start_ns, end_ns = rows.epoch_start_ns[row], rows.epoch_end_ns[row]
    low = np.clip(start_ns, spans.start_ns[window], spans.end_ns[window])
    high = np.clip(end_ns, spans.start_ns[window], spans.end_ns[window])
    share = rows.self_ns[row] / np.maximum(end_ns - start_ns, 1)
    spent = amounts.between(owner[row], low, high)
    first = group_starts(row)
    counts = np.stack([rows.calls[row] * first, rows.throws[row] * first, np.zeros(len(row), np.int64)], axis=1)
    inside = spent * share[:, None]
    inside[:, CALLS_J_PER_NS] = (amounts.mean_power(owner[row], spent) * counts[:, CALLS])[:, None]
    used = np.any(counts > 0, axis=1) | (inside[:, WALL_NS] > 0)
    row = row[used]
    return SelfTotals.merged([SelfTotals(window[used], owner[row], path[row], counts[used], inside[used])], amounts.columns)


def paths_of_folded(threads: Sequence[Thread], paths: Paths) -> tuple[I64, I64, I64]:
    """Thread, node and call path of every row of the fold tables, thread by thread. New paths are added to `paths`."""
    owner, rows = _rows(threads)
    return owner, rows.node.astype(np.int64), _paths_of(owner, rows, paths)


def _rows(threads: Sequence[Thread]) -> tuple[I64, Folded]:
    """The rows of all fold tables, and the thread of each."""
    folding = [index for index, thread in enumerate(threads) if len(thread.folded.node)]
    rows = _concatenate([threads[index].folded for index in folding])
    return np.repeat(np.array(folding, np.int64), [len(threads[index].folded.node) for index in folding]), rows


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
