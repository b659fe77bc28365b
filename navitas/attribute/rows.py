"""Which threads stand in which tests, and which of many short ones share a row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from navitas.attribute.curves import F64, overlaps
from navitas.attribute.energy import RunEnergy
from navitas.attribute.items import Items, Spans
from navitas.parse.tables import I64, Role, Thread

OWN_ROWS = 64
"""So many threads of one name stem keep a row of their own in a test."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thread, or `count` threads of one name stem, in one test; joules and CPU ns are differences of look-ups."""

    window: int
    serial: int
    tid: int
    name: str
    role: Role
    count: int
    energy_j: float
    cpu_ns: float


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a run by test, largest energy first, and how to find the row of a thread in a test."""

    rows: tuple[Row, ...]
    _key: I64
    _row: I64
    _threads: int

    def of(self, items: Items) -> I64:
        """Each item's row."""
        return self._row[np.searchsorted(self._key, items.window * self._threads + items.thread)]


def rows_of(threads: Sequence[Thread], energy: RunEnergy, spans: Spans, parts: Sequence[Items]) -> Rows:
    """Find the threads that used CPU or were in a call in each test; beyond `OWN_ROWS` of one name stem they share a row."""
    count = max(len(threads), 1)
    called = [np.unique(items.window * count + items.thread) for items in parts]
    thread, window = overlaps(*spans.reached(energy.knots.first_ns, energy.knots.last_ns))
    key = np.unique(np.concatenate([window * count + thread, *called]))
    thread, window = key % count, key // count
    before = energy.knots.place(thread, spans.start_ns[window])
    after = energy.knots.place(thread, spans.end_ns[window])
    joules = after.read(energy.energy_j) - before.read(energy.energy_j)
    cpu_ns = after.read(energy.cpu_ns) - before.read(energy.cpu_ns)
    some = (joules > 0) | (cpu_ns > 0) | np.isin(key, np.concatenate([np.empty(0, np.int64), *called]))
    key, thread, window, joules, cpu_ns = key[some], thread[some], window[some], joules[some], cpu_ns[some]
    rows: list[Row] = []
    row_of = np.empty(len(key), np.int64)
    for number in range(len(spans.windows)):
        low, high = np.searchsorted(window, [number, number + 1]).tolist()
        largest_first = low + np.argsort(-joules[low:high], kind="stable")
        for members in _grouped([threads[i] for i in thread[largest_first].tolist()], largest_first):
            row_of[members] = len(rows)
            rows.append(_row(number, [threads[i] for i in thread[members].tolist()], joules[members], cpu_ns[members]))
    return Rows(tuple(rows), key, row_of, count)


def _grouped(threads: list[Thread], at: I64) -> list[I64]:
    """Positions `at` of threads (largest first) by row."""
    by_stem: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, thread in zip(at.tolist(), threads, strict=True):
        by_stem[(thread.role, stem(thread.name))].append(position)
    groups = []
    for members in by_stem.values():
        groups += [np.array([one]) for one in members[:OWN_ROWS]]
        groups += [np.array(members[OWN_ROWS:])] if members[OWN_ROWS:] else []
    return groups


def _row(window: int, threads: list[Thread], joules: F64, cpu_ns: F64) -> Row:
    first, count = threads[0], len(threads)
    name, serial, tid = (first.name, first.serial, first.tid) if count == 1 else (stem(first.name), -1, 0)
    return Row(window, serial, tid, name, first.role, count, float(np.sum(joules)), float(np.sum(cpu_ns)))


@cache
def stem(name: str) -> str:
    """A thread name with every number replaced by `#`."""
    return re.sub(r"\d+", "#", name)
