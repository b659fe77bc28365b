"""The energy of work that threads handed over, as columns of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.calls.starters import starter_paths
from navitas.attribute.component import ComponentCurves
from navitas.attribute.forest import sums
from navitas.attribute.handed_roots import outermost_tasks
from navitas.attribute.handed_spans import NO_TASK, HandedSpans, innermost_spans
from navitas.attribute.ledger import NO_OWNER, NO_TEST, OUTSIDE, HandedTasks
from navitas.attribute.run_rows import RunRows
from navitas.attribute.window_spans import NO_WINDOW
from navitas.attribute.windows import AttributedRun
from navitas.parse.arrays import F64, I64

_BLOCK = 1 << 18
"""The number of spans whose energy is read at a time."""


@dataclass(frozen=True, slots=True)
class _Owners:
    """Finds the owner of a thread in a test: the thread, or its group. `of_row` are the owners of `rows`."""

    run: AttributedRun
    rows: RunRows
    of_row: I64

    def at(self, thread: I64, t_ns: I64) -> tuple[I64, I64]:
        """Test and owner of threads at times; `NO_OWNER` for an unknown thread (-1)."""
        window = self.run.spans.at(t_ns)
        test = np.where(window == NO_WINDOW, NO_TEST, self.run.tests[window] if len(self.run.tests) else NO_TEST)
        owner = np.where(thread < 0, NO_OWNER, self.run.first_owner + thread)
        inside = np.flatnonzero((test != NO_TEST) & (thread >= 0))
        row = self.rows.find(window[inside], thread[inside])
        owner[inside[row >= 0]] = self.of_row[row[row >= 0]]
        return test, owner


def handed_tasks(run: AttributedRun, rows: RunRows, owners: I64, paths: Paths) -> HandedTasks:
    """Sum up a run's handoffs. `owners` are those of `rows`. New paths are added to `paths`.

    A handoff has the energy of its thread while it was the innermost one, and that of charges whose causing call lies in this
    time. It counts as a task in the test in which it began.
    """
    handoffs, components = run.tables.handoffs, len(run.components)
    if handoffs is None or not len(handoffs):
        return no_handed_tasks(components)
    found = _Owners(run, rows, owners)
    path = starter_paths(run.tables.threads, handoffs, paths)
    path = np.where(path == EMPTY, OUTSIDE, path + 1)
    starter = found.at(handoffs.origin, handoffs.origin_ns)[1]
    in_run = (np.clip(t_ns, run.tables.start_ns, run.tables.end_ns) for t_ns in (handoffs.run_start_ns, handoffs.run_end_ns))
    spans = innermost_spans(handoffs.thread, *in_run).split_at(run.spans.marks)
    root = path[outermost_tasks(handoffs, spans)]
    tasks = found.at(handoffs.thread, handoffs.run_start_ns)
    work = found.at(spans.thread, spans.start_ns)
    every = np.concatenate([np.arange(len(handoffs)), spans.task])
    test, owner = (np.concatenate(each) for each in zip(tasks, work, strict=True))
    _, start = np.unique(_packed(starter, path), return_inverse=True)
    first, place = _grouped(_packed(test, owner), _packed(start, root), every)
    task = every[first]
    keys = (each.astype(np.int32) for each in (test[first], owner[first], starter[task], path[task], root[task]))
    row_test, row_owner, row_starter, row_path, row_root = keys
    count, span_place = len(handoffs), place[len(handoffs) :]
    size = len(first)
    began = np.bincount(place[:count], minlength=size).astype(np.int64)
    run_ns = sums(span_place, (spans.end_ns - spans.start_ns)[:, None], size)[:, 0].astype(np.int64)
    joules = _energy_j(run, spans, span_place, size)
    return HandedTasks(row_test, row_owner, row_starter, row_path, row_root, began, run_ns, joules)


def _packed(high: I64, low: I64) -> I64:
    """One number for two, in the same order. They are numbers of rows, or -1."""
    return np.asarray(((high + 1) << 31) + low + 1, np.int64)


def _grouped(work: I64, start: I64, every: I64) -> tuple[I64, I64]:
    """Group the rows with equal `work` and equal `start[every]`, in ascending order. One sort takes a third of the time of four.

    Returns one row of each group, and the group of each row.
    """
    starts, rank = np.unique(start, return_inverse=True)
    _, of_work = np.unique(work, return_inverse=True)
    _, first, place = np.unique(of_work * len(starts) + rank[every], return_index=True, return_inverse=True)
    return first, place


def _energy_j(run: AttributedRun, spans: HandedSpans, place: I64, size: int) -> F64:
    """Joules by group (rows) and component (columns). `place` is the group of each span."""
    joules = np.zeros((size, len(run.components)))
    for number, curves in enumerate(run.components):
        if curves is not None:
            joules[:, number] = _curves_j(curves, spans, place, size) + _charges_j(curves, spans, place, size)
    return joules


def _curves_j(curves: ComponentCurves, spans: HandedSpans, place: I64, size: int) -> F64:
    joules = np.zeros(size)
    if curves.threads is None:
        return joules
    knots, energy_j = curves.threads.knots, curves.threads.energy_j
    for low in range(0, len(spans), _BLOCK):
        part = slice(low, low + _BLOCK)
        ends = spans.start_ns[part], spans.end_ns[part]
        before, after = (knots.place(spans.thread[part], t_ns).read(energy_j) for t_ns in ends)
        joules += np.bincount(place[part], after - before, size)
    return joules


def _charges_j(curves: ComponentCurves, spans: HandedSpans, place: I64, size: int) -> F64:
    charges = curves.charges
    span = spans.at(charges.thread, charges.t_ns)
    inside = span != NO_TASK
    return np.bincount(place[span[inside]], charges.energy_j[inside], size).astype(np.float64)


def no_handed_tasks(components: int) -> HandedTasks:
    """No rows."""
    none = np.empty(0, np.int32)
    return HandedTasks(none, none, none, none, none, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, components)))


def joined_handed_tasks(runs: Sequence[HandedTasks], components: int) -> HandedTasks:
    """The handed work of all runs, sorted."""
    parts = [no_handed_tasks(components), *runs]
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in HandedTasks.__slots__]
    order = np.lexsort(columns[4::-1])
    return HandedTasks(*(column[order] for column in columns))
