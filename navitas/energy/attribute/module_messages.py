"""Communications between an app's modules, with their call paths, as columns of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.calls.run_calls import RunCalls
from navitas.energy.attribute.handed_tasks import NO_TASK, innermost_spans, outermost_tasks, task_at
from navitas.energy.attribute.ledger import NO_OWNER, ModuleMessages
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.communication_records import Communications

_NAMED = ("module", "target", "action")
_NONE = np.empty(0, np.int64)
NO_MESSAGES = ModuleMessages(*(_NONE,) * 13, ("",))


def module_messages(run: int, first_owner: int, calls: RunCalls) -> ModuleMessages:
    """The communications of a run, which is a row in the ledger, with their call paths."""
    tables = calls.run
    rows = tables.app.communications
    if rows is None or not len(rows):
        return NO_MESSAGES
    return ModuleMessages(
        run=np.full(len(rows), run),
        owner=np.where(rows.thread < 0, NO_OWNER, first_owner + rows.thread),
        process=rows.process,
        t_ns=tables.clocks.to_boottime(rows.t_ns),
        token=rows.token,
        kind=rows.kind.astype(np.int64),
        flags=rows.flags.astype(np.int64),
        period_ms=rows.period_ms,
        path=calls.communications,
        root=_roots(calls, rows),
        module=rows.module,
        target=rows.target,
        action=rows.action,
        names=rows.names,
    )


def _roots(calls: RunCalls, rows: Communications) -> I64:
    """The path of the call that started the handed work which each communication ran in, `OUTSIDE` if there is none."""
    handoffs, root = calls.run.calls.handoffs, np.full(len(rows), OUTSIDE)
    if handoffs is None or not len(handoffs):
        return root
    spans = innermost_spans(handoffs.thread, handoffs.run_start_ns, handoffs.run_end_ns)
    task = task_at(spans, rows.thread, rows.t_ns)
    inside = np.flatnonzero(task != NO_TASK)
    root[inside] = calls.starters[outermost_tasks(handoffs, spans)[task[inside]]]
    return root


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
