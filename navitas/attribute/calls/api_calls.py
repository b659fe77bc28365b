"""Find the calls of APIs that use a component in the call trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from navitas.attribute.calls.api_tables import NO_SPANS, SPAN_COLUMNS, ApiCalls, ApiSpans
from navitas.attribute.calls.folded_totals import paths_of_folded
from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.calls.walk import walk
from navitas.parse.arrays import I64
from navitas.parse.hook_calls import NO_NODE, HookCalls
from navitas.parse.tables import CallEvents, Thread

_NO_TIMES = np.empty(0, np.int64)
_NO_EVENTS = CallEvents(_NO_TIMES, np.empty(0, np.uint8), np.empty(0, np.int32))


def paths_at(threads: Sequence[Thread], thread: I64, t_ns: I64, node: I64, paths: Paths) -> I64:
    """The call path of each row, `EMPTY` where it is unknown. New paths are added to `paths`.

    With events (`node` is `NO_NODE`), it is the path of the innermost call open on the thread at `t_ns`. With folded calls, it
    is the path of the node of the thread's fold table.
    """
    found = np.full(len(thread), EMPTY)
    rows = np.flatnonzero(node == NO_NODE)
    if len(rows):
        found[rows] = _paths_of_events(threads, thread[rows], t_ns[rows], paths)
    rows = np.flatnonzero(node != NO_NODE)
    if len(rows):
        owner, nodes, path = paths_of_folded(threads, paths)
        width = max(int(nodes.max(initial=0)), int(node[rows].max())) + 1
        key, first = np.unique(owner * width + nodes, return_index=True)
        wanted = thread[rows] * width + node[rows]
        at = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
        known = (key[at] == wanted) if len(key) else np.zeros(len(rows), bool)
        found[rows[known]] = path[first[at[known]]]
    return found


def _paths_of_events(threads: Sequence[Thread], thread: I64, t_ns: I64, paths: Paths) -> I64:
    found = np.full(len(thread), EMPTY)
    order = np.lexsort((t_ns, thread))
    start = np.searchsorted(thread[order], np.arange(len(threads) + 1))
    wanted = np.diff(start) > 0
    with_rows = [each if wanted[i] else replace(each, calls=_NO_EVENTS) for i, each in enumerate(threads)]
    for batch in walk(with_rows, paths, _NO_TIMES):
        for number, piece in enumerate(batch.pieces):
            points = slice(int(batch.start[number]), int(batch.start[number + 1]))
            own = order[start[piece.thread] : start[piece.thread + 1]]
            times = batch.t_ns[points]
            low = np.searchsorted(t_ns[own], times[0], side="left")
            inside = own[low : np.searchsorted(t_ns[own], times[-1], side="right")]
            found[inside] = batch.path[points][np.searchsorted(times, t_ns[inside], side="right") - 1]
    return found


def api_spans(threads: Sequence[Thread], kind_of_method: I64, paths: Paths) -> ApiSpans:
    """All time in calls of APIs. `kind_of_method` has a `HookKind` for each method of an API, 0 for all others."""
    parts = []
    for batch in walk(threads, paths, _NO_TIMES):
        kind = np.where(batch.path == EMPTY, 0, kind_of_method[paths.method[batch.path]])
        inside = kind > 0
        inside[batch.start[1:] - 1] = False
        point = np.flatnonzero(inside)
        piece = np.searchsorted(batch.start, point, side="right") - 1
        owner = np.array([one.thread for one in batch.pieces], np.int64)[piece]
        begin, end = batch.t_ns[point], batch.t_ns[point + 1]
        parts.append(ApiSpans(owner, begin, begin, end, end - begin, batch.path[point], kind[point]))
    owner, _, path = paths_of_folded(threads, paths)
    folded = [each.folded for each in threads if len(each.folded.node)]
    if folded:
        begin, end, busy = (
            np.concatenate([getattr(table, name) for table in folded]) for name in ("epoch_start_ns", "epoch_end_ns", "self_ns")
        )
        kind = np.where(path == EMPTY, 0, kind_of_method[paths.method[path]])
        parts.append(ApiSpans(owner, np.maximum(end - 1, begin), begin, end, busy, path, kind).chosen((kind > 0) & (busy > 0)))
    columns = ([getattr(NO_SPANS, name), *(getattr(part, name) for part in parts)] for name in SPAN_COLUMNS)
    return ApiSpans(*map(np.concatenate, columns))


def api_calls(
    threads: Sequence[Thread], hooks: HookCalls | None, kind_of_method: I64, paths: Paths, labels: Sequence[str]
) -> ApiCalls:
    """Find all calls of APIs of a run. Reads no events if there are no such calls."""
    hook_path = _NO_TIMES
    if hooks is not None and len(hooks):
        hook_path = paths_at(threads, hooks.thread, hooks.start_ns, hooks.node.astype(np.int64), paths)
    is_api = kind_of_method > 0
    spans = api_spans(threads, kind_of_method, paths) if is_api.any() else NO_SPANS
    return ApiCalls(hook_path, spans, paths.method.copy(), paths.parent.copy(), is_api, labels)
