"""Communications between an app's modules, with their call paths, as columns of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from navitas.attribute.calls.api_calls import paths_at
from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.calls.starters import starter_paths
from navitas.attribute.handed_roots import outermost_tasks, task_at
from navitas.attribute.handed_spans import NO_TASK, innermost_spans
from navitas.attribute.ledger import NO_OWNER, OUTSIDE, ModuleMessages
from navitas.parse.arrays import I64
from navitas.parse.communication_records import Communications
from navitas.parse.tables import RunTables

_NAMED = ("module", "target", "action")
_NONE = np.empty(0, np.int64)
NO_MESSAGES = ModuleMessages(*(_NONE,) * 13, ("",))


def module_messages(run: int, tables: RunTables, first_owner: int, paths: Paths) -> ModuleMessages:
    """Find the call path of each communication of a run. `run` is its row in the ledger. New paths are added to `paths`."""
    rows = tables.communications
    if rows is None or not len(rows):
        return NO_MESSAGES
    path = np.full(len(rows), EMPTY)
    known = np.flatnonzero(rows.thread >= 0)
    if len(known):
        path[known] = paths_at(tables.threads, rows.thread[known], rows.t_ns[known], rows.node[known], paths)
    return ModuleMessages(
        run=np.full(len(rows), run),
        owner=np.where(rows.thread < 0, NO_OWNER, first_owner + rows.thread),
        process=rows.process,
        t_ns=rows.t_ns if tables.clocks is None else tables.clocks.to_boottime(rows.t_ns),
        token=rows.token,
        kind=rows.kind.astype(np.int64),
        flags=rows.flags.astype(np.int64),
        period_ms=rows.period_ms,
        path=_numbered(path),
        root=_numbered(_roots(tables, rows, paths)),
        module=rows.module,
        target=rows.target,
        action=rows.action,
        names=rows.names,
    )


def _roots(tables: RunTables, rows: Communications, paths: Paths) -> I64:
    """The path of the call that started the handed work which each communication ran in, `EMPTY` if there is none."""
    handoffs, root = tables.handoffs, np.full(len(rows), EMPTY)
    if handoffs is None or not len(handoffs):
        return root
    spans = innermost_spans(handoffs.thread, handoffs.run_start_ns, handoffs.run_end_ns)
    task = task_at(spans, rows.thread, rows.t_ns)
    inside = np.flatnonzero(task != NO_TASK)
    started = starter_paths(tables.threads, handoffs, paths)
    root[inside] = started[outermost_tasks(handoffs, spans)[task[inside]]]
    return root


def _numbered(path: I64) -> I64:
    """The ledger's number of each path of `Paths`."""
    return np.where(path == EMPTY, OUTSIDE, path + 1)


def joined_messages(runs: Sequence[ModuleMessages]) -> ModuleMessages:
    """The messages of all runs, by run, then time."""
    numbers, parts = {"": 0}, []
    for part in runs:
        own = np.array([numbers.setdefault(name, len(numbers)) for name in part.names], np.int64)
        parts.append(replace(part, **{name: own[getattr(part, name)] for name in _NAMED}))
    columns = [field.name for field in fields(ModuleMessages) if field.name != "names"]
    joined = {name: np.concatenate([getattr(part, name) for part in (NO_MESSAGES, *parts)]) for name in columns}
    order = np.lexsort((joined["t_ns"], joined["run"]))
    return ModuleMessages(**{name: column[order] for name, column in joined.items()}, names=tuple(numbers))
