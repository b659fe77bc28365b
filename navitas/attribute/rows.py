"""Which threads stand in which tests, and which of many short ones share a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from navitas.attribute.curves import F64, begins, distinct, held, overlaps
from navitas.attribute.energy import RunEnergy
from navitas.attribute.items import Items
from navitas.attribute.spans import Spans
from navitas.parse.tables import I64, Thread

OWN_ROWS = 64
"""So many threads of one name stem keep a row of their own in a test."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a run, test by test, largest energy first: one thread, or `count` threads of one name stem, in one test.

    `thread` is the row's (largest) thread; joules and CPU ns are differences of look-ups.
    """

    window: I64
    thread: I64
    count: I64
    energy_j: F64
    cpu_ns: F64
    _key: I64
    _row: I64
    _threads: int

    def __len__(self) -> int:
        return len(self.window)

    def of(self, items: Items) -> I64:
        """Each item's row."""
        return self._row[np.searchsorted(self._key, items.window * self._threads + items.thread)]


def rows_of(threads: Sequence[Thread], energy: RunEnergy, spans: Spans, parts: Sequence[Items]) -> Rows:
    """Find the threads that used CPU or were in a call in each test; beyond `OWN_ROWS` of one name stem they share a row."""
    count = max(len(threads), 1)
    called = distinct(np.concatenate([items.window * count + items.thread for items in parts]))
    thread, window = overlaps(*spans.reached(energy.knots.first_ns, energy.knots.last_ns))
    key = distinct(np.concatenate([window * count + thread, called]))
    thread, window = key % count, key // count
    before = energy.knots.place(thread, spans.start_ns[window])
    after = energy.knots.place(thread, spans.end_ns[window])
    joules = after.read(energy.energy_j) - before.read(energy.energy_j)
    cpu_ns = after.read(energy.cpu_ns) - before.read(energy.cpu_ns)
    some = (joules > 0) | (cpu_ns > 0) | held(key, called)
    key, thread, window, joules, cpu_ns = key[some], thread[some], window[some], joules[some], cpu_ns[some]
    row = _grouped(_labels(threads)[thread], window, joules)
    size = int(row.max(initial=-1)) + 1
    largest_first = np.argsort(-joules, kind="stable")[::-1]
    first = np.empty(size, np.int64)
    first[row[largest_first]] = largest_first
    energy_j: F64 = np.bincount(row, joules, size).astype(np.float64)
    order = np.lexsort((-energy_j, window[first]))
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    first = first[order]
    return Rows(
        window=window[first],
        thread=thread[first],
        count=np.bincount(row, minlength=size)[order],
        energy_j=energy_j[order],
        cpu_ns=np.bincount(row, cpu_ns, size).astype(np.float64)[order],
        _key=key,
        _row=place[row],
        _threads=count,
    )


def _labels(threads: Sequence[Thread]) -> I64:
    """Equal numbers for threads that may share a row."""
    known: dict[tuple[str, str], int] = {}
    return np.array([known.setdefault((thread.role, stem(thread.name)), len(known)) for thread in threads], np.int64)


def _grouped(label: I64, window: I64, joules: F64) -> I64:
    """A row for each thread in each window: its own for the largest of a label, one for all others."""
    order = np.lexsort((-joules, label, window))
    first = np.flatnonzero(begins(window[order], label[order]))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    row = np.empty(len(order), np.int64)
    row[order] = np.cumsum(rank <= OWN_ROWS) - 1
    return row


@cache
def stem(name: str) -> str:
    """A thread name with every number replaced by `#`."""
    return re.sub(r"\d+", "#", name)
