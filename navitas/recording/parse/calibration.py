"""Cost of a call's probes on the device.

The runtime makes calibration calls under reserved method ids. It makes them on threads of its own before the first test, and
after the last one if threads folded calls in mode `events`. Meanwhile it makes short samples on the measured threads: every few
ms a busy thread makes the same small nested calls, some of them with probes.

Samples are in the thread's own events and folds, under reserved method ids. Their probes therefore run under the same
conditions as the thread's other probes: same core, frequency and load. Samples differ only in the number of probes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.call_events import encoded_calls, reserved_calls
from navitas.recording.parse.chunks import CALLS, FOLDED, Chunk
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.folded import decode_folded, reserved_rows
from navitas.recording.parse.methodmap import RESERVED_ID, Span
from navitas.recording.parse.sampled_cost import ProbeSamples
from navitas.recording.parse.tables import ENTER, EXIT, RESUME, THROW, CallCost, CallEvents, Folded, ProbeCost

LINK, CALLER, CALLED, THROWING = RESERVED_ID, RESERVED_ID + 2, RESERVED_ID + 3, RESERVED_ID + 4
"""Calls that contain others, the outermost call of a batch or sample, leaves that return, and leaves that throw."""


def find_samples(threads: Iterable[Mapping[int, Sequence[Chunk]]]) -> tuple[ProbeSamples, ProbeSamples]:
    """Return the samples of the given threads (chunks by type): of calls recorded as events, and of folded calls."""
    events: list[I64] = [np.empty((0, 4), np.int64)]
    folds = list(events)
    for by_type in threads:
        serial = next((chunk.serial for chunks in by_type.values() for chunk in chunks), 0)
        events.append(_of_thread(serial, _samples_of_events(*reserved_calls(by_type.get(CALLS, ())))))
        folds.append(_of_thread(serial, _samples_of_folds(reserved_rows(by_type.get(FOLDED, ())))))
    return _sorted(events), _sorted(folds)


def _of_thread(serial: int, rows: I64) -> I64:
    return np.column_stack([rows, np.full(len(rows), serial)])


def _sorted(rows: Sequence[I64]) -> ProbeSamples:
    table = np.concatenate(rows)
    return ProbeSamples(*table[np.argsort(table[:, 0], kind="stable")].T)


def _samples_of_events(calls: CallEvents, chunk: I64) -> I64:
    """Return the samples whose outer call is in one chunk and contains only inner calls. `calls` are the runtime's own."""
    outer = np.flatnonzero((calls.method == CALLER) & (calls.kind == ENTER))
    ends = np.flatnonzero((calls.method == CALLER) & (calls.kind == EXIT))
    last = np.searchsorted(ends, outer)
    outer, last = outer[last < len(ends)], ends[last[last < len(ends)]]
    inner = _is_inner(calls.method)
    before = np.concatenate([[0], np.cumsum(inner)])
    clean = (before[last] - before[outer] == last - outer - 1) & ((last - outer) % 2 == 1) & (chunk[last] == chunk[outer])
    first, last = outer[clean], last[clean]
    return np.column_stack([calls.t_ns[first], (last - first) // 2, np.maximum(calls.t_ns[last] - calls.t_ns[first], 0)])


def _samples_of_folds(folded: Folded) -> I64:
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


CALIBRATION = "navitas-calibration"
"""Name of the threads that make calibration calls."""

_ALL_IDS = Span(0, 1 << 22)
_MIN_CALLS, _MIN_BATCHES = 100, 3
_MIN_SPREAD = 0.02
_MOST_NS: Final = 100_000
"""The two probes of a call take about 40 ns, and up to a hundred times as much on slow phones."""
_REMEDY = "The energy of methods includes the energy of probes. If the recording's files may be damaged, record again."


@dataclass(frozen=True, slots=True)
class _Batch:
    """One stretch of calibration calls that contains nothing else.

    `spent_ns` is the time of the stretch, and `leaf_ns` the time inside its `leaves`, the innermost calls.
    `calls` may be fractional; `whole_calls` also counts calls that lie only partly in the stretch.
    A batch with `calls` 0 does the same work as the other batches, without probes.
    """

    calls: float
    spent_ns: int
    whole_calls: int
    leaves: int
    leaf_ns: int
    throws: bool


def probe_cost(threads: Iterable[Mapping[int, Sequence[Chunk]]]) -> ProbeCost | None:
    """Return the probe cost from calibration threads and samples, or None if there are too few calibration calls.

    Each item of `threads` holds one thread's chunks by type. Other threads than calibration threads may be included.
    """
    events: list[_Batch] = []
    folded: list[_Batch] = []
    measured: list[Mapping[int, Sequence[Chunk]]] = []
    for by_type in threads:
        if not any(chunk.name == CALIBRATION for chunks in by_type.values() for chunk in chunks):
            measured.append(by_type)
            continue
        call_chunks, fold_chunks = by_type.get(CALLS, ()), by_type.get(FOLDED, ())
        everything = {chunk.map_id: _ALL_IDS for chunk in (*call_chunks, *fold_chunks)}
        events += _of_events(encoded_calls(call_chunks, everything)[0].whole())
        folded += _of_folds(decode_folded(fold_chunks, everything)[0])
    of_events, of_folds = _cost(events), _cost(folded)
    either = of_events or of_folds
    if either is None:
        return None
    event_samples, fold_samples = find_samples(measured)
    return ProbeCost(_sampled(event_samples, of_events or either), _sampled(fold_samples, of_folds or either))


def _sampled(found: ProbeSamples, calibrated: CallCost) -> CallCost:
    """Return the cost from samples, or `calibrated` if there are too few samples.

    The calibration gives the ratios of inside to outside cost, and of returned to thrown calls.
    """
    cost = found.cost()
    if cost is None:
        return calibrated
    call_ns, spread_ns = cost
    ratio = call_ns / max(calibrated.inside_ns + calibrated.outside_ns, 1e-9)
    return CallCost(
        ratio * calibrated.inside_ns,
        ratio * calibrated.outside_ns,
        ratio * calibrated.thrown_inside_ns,
        ratio * calibrated.thrown_outside_ns,
        max(spread_ns, _MIN_SPREAD * call_ns),
        found,
    )


def _of_events(calls: CallEvents) -> list[_Batch]:
    """Return one batch for each outermost call, except warm-up calls."""
    enters = (calls.kind == ENTER) | (calls.kind == RESUME)
    depth = np.cumsum(np.where(enters, 1, -1))
    ends = np.flatnonzero(depth == 0)
    found = []
    for first, last in pairwise([-1, *ends.tolist()]):
        t_ns, kind, method = (column[first + 1 : last + 1] for column in (calls.t_ns, calls.kind, calls.method))
        if method[0] != CALLER:
            continue
        leaf = np.flatnonzero((kind[:-1] == ENTER) & (method[:-1] >= CALLED) & ((kind[1:] == EXIT) | (kind[1:] == THROW)))
        leaf_ns = int((t_ns[leaf + 1] - t_ns[leaf]).sum())
        if len(t_ns) == 2:
            found.append(_Batch(0, int(t_ns[1] - t_ns[0]), 0, 0, 0, False))
        # From the first inner call to the last one. This excludes the time of the outermost call's anchors.
        own = depth[first + 1 : last + 1]
        inner = t_ns[(own == 2) & (kind == ENTER)]
        if len(inner) > 1:
            whole = (len(t_ns) - 2) // 2
            calls_between = whole * (len(inner) - 1) / len(inner)
            throws = bool((method == THROWING).any())
            found.append(_Batch(calls_between, int(inner[-1] - inner[0]), whole, len(leaf), leaf_ns, throws))
    return found


def _of_folds(folded: Folded) -> list[_Batch]:
    """Return one batch for each epoch, except epochs with warm-up calls or with both kinds of batches."""
    cuts = np.flatnonzero(np.diff(folded.epoch_start_ns, prepend=-1, append=-1))
    found = []
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        own = slice(first, last)
        calls, self_ns, method = folded.calls[own], folded.self_ns[own], folded.method[own]
        leaf = method >= CALLED
        kinds = np.unique(method[leaf & (calls > 0)])
        if not len(kinds) and (method == CALLER).all() and calls.sum() == 1:
            found.append(_Batch(0, int(self_ns.sum()), 0, 0, 0, False))
        if len(kinds) == 1 and ((method >= CALLER) | (method == LINK)).all():
            inner = int(calls[folded.parent[own] >= 0].sum())
            leaves, leaf_ns = int(calls[leaf].sum()), int(self_ns[leaf].sum())
            found.append(_Batch(inner, int(self_ns.sum()), inner, leaves, leaf_ns, bool(kinds[0] == THROWING)))
    return found


def _cost(batches: Sequence[_Batch]) -> CallCost | None:
    usable = [batch for batch in batches if batch.calls >= _MIN_CALLS]
    work = sorted(batch.spent_ns for batch in batches if not batch.calls)
    most = max((batch.whole_calls for batch in usable), default=0)
    work_ns = float(np.mean(work[: (len(work) + 3) // 4])) / most if work and most else 0.0
    returned = _fastest([batch for batch in usable if not batch.throws], work_ns)
    if returned is None:
        return None
    inside_ns, outside_ns, spread_ns = returned
    thrown = _fastest([batch for batch in usable if batch.throws], work_ns) or returned
    return CallCost(inside_ns, outside_ns, thrown[0], thrown[1], spread_ns)


def _fastest(batches: Sequence[_Batch], work_ns: float) -> tuple[float, float, float] | None:
    """Return ns per call inside the call, ns outside it, and the standard deviation of their sum.

    The sum comes from the fastest quarter of the batches: slower ones were preempted or not yet compiled. The ratio of inside
    to outside comes from the faster half, because a single batch has too few ticks. The work inside the innermost calls is
    subtracted from both.
    """
    if len(batches) < _MIN_BATCHES:
        return None
    ranked = sorted(batches, key=lambda batch: batch.spent_ns / batch.calls)
    half, quarter = ranked[: (len(ranked) + 1) // 2], ranked[: max((len(ranked) + 3) // 4, _MIN_BATCHES)]
    calls: F64 = np.array([batch.calls for batch in quarter], np.float64)
    per_call: F64 = np.array([batch.spent_ns for batch in quarter]) / calls - work_ns
    whole = float(np.average(per_call, weights=calls))
    spread = float(np.sqrt(np.average((per_call - whole) ** 2, weights=calls)))
    if whole <= 0 < work_ns:
        # The work without probes was slower than with them, so it was not compiled in time.
        # The cost that includes the work is an upper bound.
        whole = spread = whole + work_ns
        work_ns = 0.0
    whole = max(whole, 0.0)
    half_ns = sum(batch.spent_ns for batch in half) / sum(batch.calls for batch in half) - work_ns
    within = sum(batch.leaf_ns for batch in half) / max(sum(batch.leaves for batch in half), 1) - work_ns
    inside = whole * min(max(within / max(half_ns, 1e-9), 0.0), 1.0)
    return inside, whole - inside, max(spread, _MIN_SPREAD * whole)


def check_probe_cost(cost: ProbeCost | None, findings: Findings) -> ProbeCost | None:
    """Return the cost, or add a warning and return None if no probe can have this cost."""
    if cost is None:
        return None
    calls = (cost.events, cost.folded)
    sums = [
        call_ns
        for call in calls
        for call_ns in (call.inside_ns + call.outside_ns, call.thrown_inside_ns + call.thrown_outside_ns)
    ]
    impossible = [call_ns for call_ns in sums if not 0.0 <= call_ns <= _MOST_NS]
    if not impossible:
        return cost
    findings.warn(
        "probe_cost", f"the recorded probe cost of {impossible[0]:.4g} ns per call is impossible, so it is not used", _REMEDY
    )
    return None
