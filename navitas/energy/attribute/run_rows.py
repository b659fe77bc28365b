"""The threads with energy in each test, with many short-lived threads grouped."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from navitas.energy.attribute.calls.self_totals import SelfTotals
from navitas.energy.attribute.component import Charges, ThreadCurves
from navitas.energy.attribute.curves import distinct, group_starts, in_sorted, overlaps
from navitas.energy.attribute.forest import positions, sums
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.recording.parse.arrays import F64, I64, Bool, ColumnTable
from navitas.recording.parse.tables import Thread

OWN_ROWS = 64
"""The number of threads of one name stem with separate rows in a test. All other threads of the stem share one row."""


@dataclass(frozen=True, slots=True)
class RunRows(ColumnTable):
    """The rows of a run, sorted by test, then by descending energy. A row is a thread or a group of threads in one test.

    `count` is the number of threads in the row.
    `thread` is the row's thread with the most energy. `energy_j` has a column per component. Joules and CPU ns are differences
    of look-ups. `thread_j` has the joules of each thread in each test, without grouping.
    """

    window: I64
    thread: I64
    count: I64
    energy_j: F64
    cpu_ns: F64
    thread_j: F64
    _key: I64
    _row: I64
    _threads: int

    def used_by_thread(self, windows: Bool) -> F64:
        """Joules of each thread (rows) by component (columns), summed over the chosen windows."""
        chosen = windows[self._key // self._threads]
        thread, joules = self._key[chosen] % self._threads, self.thread_j[chosen]
        return sums(thread, joules, self._threads)

    def at(self, totals: SelfTotals) -> I64:
        """The row of each total."""
        return self.row(totals.window, totals.thread)

    def row(self, window: I64, thread: I64) -> I64:
        """The row of each pair of a window and a thread that has energy, time, calls or charges in it."""
        return self._row[np.searchsorted(self._key, window * self._threads + thread)]

    def find(self, window: I64, thread: I64) -> I64:
        """The row of each pair of a window and a thread, -1 if it has none."""
        wanted = window * self._threads + thread
        at = np.minimum(np.searchsorted(self._key, wanted), max(len(self._key) - 1, 0))
        return np.where(self._key[at] == wanted, self._row[at], -1) if len(self._key) else np.full(len(wanted), -1)


Label = tuple[str, str, bool]
"""Role, name stem, and whether the energy is known. Threads with equal labels may share a row."""


def labels_of(threads: Sequence[Thread], measured: Bool) -> list[Label]:
    return [(thread.role, stem(thread.name), known) for thread, known in zip(threads, measured.tolist(), strict=True)]


def rows_of(
    labels: Sequence[Label],
    components: Sequence[ThreadCurves | None],
    spans: WindowSpans,
    parts: Sequence[SelfTotals],
    charges: Sequence[Charges],
) -> RunRows:
    """Find the threads that used energy or CPU time, were in a call, or have charges, in each test.

    `labels` have an entry for each thread, `components` and `charges` for each component.
    """
    count = max(len(labels), 1)
    charged = [_in_windows(one, spans, count) for one in charges]
    called = distinct(np.concatenate([totals.window * count + totals.thread for totals in parts]))
    reached = [called]
    for curves in components:
        if curves is not None:
            thread, window = overlaps(*spans.reached(curves.knots.first_ns, curves.knots.last_ns))
            reached.append(window * count + thread)
    reached += [charged_key for charged_key, _ in charged]
    key = distinct(np.concatenate(reached))
    thread, window = key % count, key // count
    joules, cpu_ns = np.zeros((len(key), len(components))), np.zeros(len(key))
    for number, curves in enumerate(components):
        if curves is not None:
            before = curves.knots.place(thread, spans.start_ns[window])
            after = curves.knots.place(thread, spans.end_ns[window])
            joules[:, number] = after.read(curves.energy_j) - before.read(curves.energy_j)
            if curves.cpu_ns is not None:
                cpu_ns = after.read(curves.cpu_ns) - before.read(curves.cpu_ns)
    for number, (charged_key, charged_j) in enumerate(charged):
        if len(charged_key):
            joules[:, number] += np.bincount(np.searchsorted(key, charged_key), charged_j, len(key))
    used = (joules > 0).any(axis=1) | (cpu_ns > 0) | in_sorted(key, called)
    for charged_key, _ in charged:
        used |= in_sorted(key, distinct(charged_key))
    key, thread, window, joules, cpu_ns = key[used], thread[used], window[used], joules[used], cpu_ns[used]
    total_j: F64 = joules.sum(axis=1)
    row = _grouped(numbers_of(labels)[thread], window, total_j)
    size = int(row.max(initial=-1)) + 1
    largest_first = np.argsort(-total_j, kind="stable")[::-1]
    first = np.empty(size, np.int64)
    first[row[largest_first]] = largest_first
    energy_j = sums(row, joules, size)
    order = np.lexsort((-energy_j.sum(axis=1), window[first]))
    first = first[order]
    return RunRows(
        window=window[first],
        thread=thread[first],
        count=np.bincount(row, minlength=size)[order],
        energy_j=energy_j[order],
        cpu_ns=np.bincount(row, cpu_ns, size).astype(np.float64)[order],
        thread_j=joules,
        _key=key,
        _row=positions(order)[row],
        _threads=count,
    )


def _in_windows(charges: Charges, spans: WindowSpans, threads: int) -> tuple[I64, F64]:
    """Keys (window, thread) and joules of the charges inside of windows."""
    window = spans.at(charges.t_ns)
    inside = window != NO_WINDOW
    return window[inside] * threads + charges.thread[inside], charges.energy_j[inside]


def numbers_of(labels: Sequence[Hashable]) -> I64:
    """Equal numbers for equal labels."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)


def _grouped(label: I64, window: I64, joules: F64) -> I64:
    """The row of each thread in each window: separate rows for the largest threads of a label, one row for the others."""
    order = np.lexsort((-joules, label, window))
    first = np.flatnonzero(group_starts(window[order], label[order]))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    row = np.empty(len(order), np.int64)
    row[order] = np.cumsum(rank <= OWN_ROWS) - 1
    return row


@cache
def stem(name: str) -> str:
    """A thread name with every number replaced by `#`."""
    return re.sub(r"\d+", "#", name)
