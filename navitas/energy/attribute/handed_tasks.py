"""The energy of work that threads handed over, as columns of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.component import ComponentCurves
from navitas.energy.attribute.curves import overlaps, time_span
from navitas.energy.attribute.forest import sums
from navitas.energy.attribute.ledger import NO_OWNER, NO_TEST, HandedTasks
from navitas.energy.attribute.run_rows import RunRows
from navitas.energy.attribute.window_spans import NO_WINDOW
from navitas.energy.attribute.windows import AttributedRun
from navitas.recording.parse.arrays import F64, I64, Bool, ColumnTable
from navitas.recording.parse.hook_calls import Handoffs

NO_TASK = -1


@dataclass(frozen=True, slots=True)
class HandedSpans(ColumnTable):
    """Spans of time in which a handoff was the innermost one of its thread, sorted by thread, then time. They never overlap.

    `task` is the row of the handoff. A handoff that was interrupted by work inside of it has several spans.
    """

    thread: I64
    start_ns: I64
    end_ns: I64
    task: I64

    def split_at(self, marks: I64) -> HandedSpans:
        """Split spans at ascending times."""
        span, mark = overlaps(
            np.searchsorted(marks, self.start_ns, side="right"), np.searchsorted(marks, self.end_ns, side="left") - 1
        )
        if not len(span):
            return self
        owner = np.concatenate([np.arange(len(self)), span])
        start_ns = np.concatenate([self.start_ns, marks[mark]])
        order = np.lexsort((start_ns, owner))
        owner, start_ns = owner[order], start_ns[order]
        is_last = np.append(np.diff(owner) != 0, True)
        end_ns = np.where(is_last, self.end_ns[owner], np.roll(start_ns, -1))
        return HandedSpans(self.thread[owner], start_ns, end_ns, self.task[owner])

    def at(self, thread: I64, t_ns: I64) -> I64:
        """The span that contains each time on a thread (its end is exclusive), `NO_TASK` where there is none."""
        if not len(self) or not len(thread):
            return np.full(len(thread), NO_TASK)
        edges_ns = np.array([self.start_ns.min() - 1, self.end_ns.max()])
        origin, width = time_span(edges_ns, int(max(self.thread.max(), thread.max())) + 1)
        key = thread * width + np.clip(t_ns, *edges_ns) - origin
        place = np.searchsorted(self.thread * width + (self.start_ns - origin), key, side="right") - 1
        span = np.maximum(place, 0)
        return np.where((place >= 0) & (self.thread[span] == thread) & (t_ns < self.end_ns[span]), place, NO_TASK)


def innermost_spans(thread: I64, start_ns: I64, end_ns: I64) -> HandedSpans:
    """Find the innermost handoff of each thread at each time. Rows of unknown threads (-1) have no spans.

    Handoffs nest like calls: at a time at which one ends, the one that started last ends. Of those that start at one time, the
    longest is the outermost; of equal ones, the last row.
    """
    rows = np.flatnonzero((thread >= 0) & (end_ns > start_ns))[::-1]
    origin, width = time_span(np.concatenate([start_ns[rows], end_ns[rows]]), int(thread[rows].max(initial=0)) + 1)
    key = thread[rows] * width - origin
    order = np.lexsort((-end_ns[rows], key + start_ns[rows]))
    rows, key = rows[order], key[order]
    # Two points for each handoff. At equal times, ends precede starts.
    is_start = np.repeat([False, True], len(rows))
    t_ns = np.concatenate([end_ns[rows], start_ns[rows]])
    order = np.argsort(2 * (np.tile(key, 2) + t_ns) + is_start, kind="stable")
    is_start, t_ns, row = is_start[order], t_ns[order], np.tile(rows, 2)[order]
    depth = np.cumsum(np.where(is_start, 1, -1))
    after = _open_rows(is_start, depth, row)
    inside = np.flatnonzero(after != NO_TASK)
    inside = inside[t_ns[inside + 1] > t_ns[inside]]
    task = after[inside]
    return HandedSpans(thread[task], t_ns[inside], t_ns[inside + 1], task)


def _open_rows(is_start: Bool, depth: I64, row: I64) -> I64:
    """The innermost open row after each point, `NO_TASK` outside of all. `depth` is the number of open rows after each point."""
    starts = np.flatnonzero(is_start)
    # The innermost open row is that of the last start that reached the depth.
    width = len(depth) + 1
    key = depth[starts] * width + starts
    order = np.argsort(key)
    place = np.searchsorted(key[order], depth * width + np.arange(len(depth)), side="right") - 1
    return np.where(depth > 0, row[starts[order[np.maximum(place, 0)]]] if len(starts) else NO_TASK, NO_TASK)


def outermost_tasks(handoffs: Handoffs, spans: HandedSpans) -> I64:
    """The first handoff of each handoff's chain: itself, unless its starter ran within other handed work.

    `spans` are the times in which each handoff was the innermost one of its thread.
    """
    outer = task_at(spans, handoffs.origin, handoffs.origin_ns)
    task = np.where(outer == NO_TASK, np.arange(len(handoffs)), outer)
    for _ in range(len(handoffs).bit_length()):  # Each pass doubles the length of the steps.
        further = task[task]
        if (further == task).all():
            break
        task = further
    return task


def task_at(spans: HandedSpans, thread: I64, t_ns: I64) -> I64:
    """The innermost handoff that runs on each thread at each time, `NO_TASK` if there is none."""
    span = spans.at(thread, t_ns)
    return np.where(span == NO_TASK, NO_TASK, spans.task[span]) if len(spans) else np.full(len(thread), NO_TASK)


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


def handed_tasks(run: AttributedRun, rows: RunRows, owners: I64) -> HandedTasks:
    """Sum up a run's handoffs. `owners` are those of `rows`.

    A handoff has the energy of its thread while it was the innermost one, and that of charges whose causing call lies in this
    time. It counts as a task in the test in which it began.
    """
    handoffs, components = run.tables.calls.handoffs, len(run.components)
    if handoffs is None or not len(handoffs):
        return no_handed_tasks(components)
    found = _Owners(run, rows, owners)
    path = run.calls.starters
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
    none = np.empty(0, np.int32)
    return HandedTasks(none, none, none, none, none, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, components)))


def joined_handed_tasks(runs: Sequence[HandedTasks], components: int) -> HandedTasks:
    """The handed work of all runs, sorted."""
    whole = HandedTasks.joined([no_handed_tasks(components), *runs])
    return whole.chosen(np.lexsort((whole.root, whole.path, whole.starter, whole.owner, whole.test)))
