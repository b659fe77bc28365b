"""Samples of the probe cost. Every few ms a busy thread makes the same small nested calls, some of them with probes.

Samples are in the thread's own events and folds, under reserved method ids. Their probes therefore run under the same
conditions as the thread's other probes: same core, frequency and load. Samples differ only in the number of probes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.call_events import reserved_calls
from navitas.recording.parse.chunks import CALLS, FOLDED, Chunk
from navitas.recording.parse.folded import reserved_rows
from navitas.recording.parse.methodmap import RESERVED_ID
from navitas.recording.parse.sampled_cost import ProbeSamples
from navitas.recording.parse.tables import ENTER, EXIT, CallEvents, Folded

LINK, CALLER, CALLED, THROWING = RESERVED_ID, RESERVED_ID + 2, RESERVED_ID + 3, RESERVED_ID + 4
"""Calls that contain others, the outermost call of a batch or sample, leaves that return, and leaves that throw."""


def find_samples(threads: Iterable[Mapping[int, Sequence[Chunk]]]) -> tuple[ProbeSamples, ProbeSamples]:
    """Return the samples of the given threads (chunks by type): of calls recorded as events, and of folded calls."""
    events: list[I64] = [np.empty((0, 4), np.int64)]
    folds = list(events)
    for by_type in threads:
        serial = next((chunk.serial for chunks in by_type.values() for chunk in chunks), 0)
        events += [_of_thread(serial, _of_events(calls)) for calls in reserved_calls(by_type.get(CALLS, ()))]
        folds.append(_of_thread(serial, _of_folds(reserved_rows(by_type.get(FOLDED, ())))))
    return _sorted(events), _sorted(folds)


def _of_thread(serial: int, rows: I64) -> I64:
    return np.column_stack([rows, np.full(len(rows), serial)])


def _sorted(rows: Sequence[I64]) -> ProbeSamples:
    table = np.concatenate(rows)
    return ProbeSamples(*table[np.argsort(table[:, 0], kind="stable")].T)


def _of_events(calls: CallEvents) -> I64:
    """Return the samples whose outer call contains only inner calls. `calls` are the runtime's own calls."""
    outer = np.flatnonzero((calls.method == CALLER) & (calls.kind == ENTER))
    ends = np.flatnonzero((calls.method == CALLER) & (calls.kind == EXIT))
    last = np.searchsorted(ends, outer)
    outer, last = outer[last < len(ends)], ends[last[last < len(ends)]]
    inner = _is_inner(calls.method)
    before = np.concatenate([[0], np.cumsum(inner)])
    clean = (before[last] - before[outer] == last - outer - 1) & ((last - outer) % 2 == 1)
    first, last = outer[clean], last[clean]
    return np.column_stack([calls.t_ns[first], (last - first) // 2, calls.t_ns[last] - calls.t_ns[first]])


def _of_folds(folded: Folded) -> I64:
    """Return one sample for each epoch that contains exactly one. `folded` are the runtime's own rows."""
    start_ns, epoch = np.unique(folded.epoch_start_ns, return_inverse=True)
    inner = _is_inner(folded.method)

    def sums(of: I64) -> I64:
        total: I64 = np.bincount(epoch, of, len(start_ns)).astype(np.int64)
        return total

    table: I64 = np.column_stack([start_ns, sums(folded.calls * inner), sums(folded.self_ns)])
    strange = sums(np.ones_like(folded.calls) * ~(inner | (folded.method == CALLER)))
    one: I64 = table[(sums(folded.calls * (folded.method == CALLER)) == 1) & (strange == 0)]
    return one


def _is_inner(method: NDArray[np.integer[Any]]) -> Bool:
    found: Bool = (method == CALLED) | (method == LINK)
    return found
