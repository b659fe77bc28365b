"""The bytes of each call, by its hook or by its share of a counter, in agreement with the counters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.component import ComponentInputs
from navitas.energy.attribute.hardware.counted_bytes import MOST_HEADERS, PAYLOAD_BYTES, grown_bytes, lasting, shared_by_weight
from navitas.recording.parse.arrays import F64, I64, ColumnTable
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.io_counters import Increments
from navitas.recording.parse.tables import RunTables


@dataclass(frozen=True, slots=True)
class CallBytes(ColumnTable):
    """One row for each call that moved bytes."""

    thread: I64
    path: I64
    t_ns: I64
    begin_ns: I64
    end_ns: I64
    moved: F64
    """Columns: received, sent."""


def bytes_of_hooks(run: RunTables, inputs: ComponentInputs, kinds: Collection[HookKind]) -> CallBytes | None:
    """The hooked calls of these kinds; None if there are none."""
    if run.calls.hooks is None:
        return None
    hooks = run.calls.hooks
    row = np.flatnonzero(np.isin(hooks.kind, [int(kind) for kind in kinds]) & (hooks.amount > 0))
    if not len(row):
        return None
    is_read = np.isin(hooks.kind[row], [HookKind.NET_READ, HookKind.LOOPBACK_READ, HookKind.FILE_READ])
    amount = hooks.amount[row].astype(np.float64)
    moved = np.stack([np.where(is_read, amount, 0.0), np.where(is_read, 0.0, amount)], axis=1)
    start, end = hooks.start_ns[row], np.maximum(hooks.end_ns[row], hooks.start_ns[row])
    return CallBytes(hooks.thread[row], inputs.api.hook_path[row], start, start, end, moved)


def with_counters(rows: CallBytes, own: Increments) -> tuple[CallBytes, F64, float]:
    """Make the calls' bytes on a network agree with the counters.

    What the counters show beyond the calls, such as headers and acknowledgements, is spread over the calls by their packets, up
    to `MOST_HEADERS` of all bytes, of both directions together. Returns the calls, each interval's bytes (received, sent)
    without a call, and the share of the calls' bytes that no counter shows (for example those to the device itself).
    """
    grown = grown_bytes(own)
    interval = np.searchsorted(own.edges_ns, rows.end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(grown))
    if not inside.any():
        return rows, grown, 0.0
    moved, beyond = rows.moved.copy(), np.zeros_like(grown)
    packets = np.ceil(moved[inside] / PAYLOAD_BYTES).sum(axis=1)
    whole, uncounted = moved.sum(), 0.0
    for column in range(2):
        seen, counted = float(moved[inside, column].sum()), float(grown[:, column].sum())
        if seen > counted:
            uncounted += (seen - counted) / whole
            moved[inside, column] *= counted / seen
        beyond[:, column] = lasting(grown[:, column] - np.bincount(interval[inside], moved[inside, column], len(grown)))
    most = MOST_HEADERS * float(moved[inside].sum())
    share = min(1.0, most / beyond.sum()) if beyond.any() else 1.0
    moved[inside] += share * beyond.sum(axis=0) * (packets / packets.sum())[:, None]
    # Calls that moved no bytes over an interface kept no radio awake.
    return replace(rows, moved=moved).chosen(np.asarray(moved.any(axis=1))), beyond * (1 - share), float(uncounted)


def with_storage(rows: CallBytes, own: Increments) -> tuple[CallBytes, F64]:
    """Make the calls' bytes of storage agree with the counters: the page cache serves some reads, and merges some writes.

    In each interval, the reads that are open share what was counted by the part of their bytes that falls into it. Writes are
    counted later than their calls, so they agree over the run. Returns the calls, and each interval's bytes without a call.
    """
    grown = grown_bytes(own)
    interval = np.searchsorted(own.edges_ns, rows.end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(grown))
    if not len(grown):
        return rows, grown
    moved, left = rows.moved.copy(), np.zeros_like(grown)
    read = np.flatnonzero((rows.end_ns > own.edges_ns[0]) & (np.minimum(rows.begin_ns, rows.end_ns - 1) < own.edges_ns[-1]))
    shared = shared_by_weight(rows.begin_ns[read], rows.end_ns[read], moved[read, 0], own.edges_ns, grown[:, 0])
    moved[read, 0] = np.bincount(shared.call, shared.amount, len(read))
    left[:, 0] = shared.rest
    written, counted = float(moved[inside, 1].sum()), float(grown[:, 1].sum())
    moved[inside, 1] *= min(1.0, counted / written) if written > 0 else 1.0
    left[:, 1] = lasting(grown[:, 1] - np.bincount(interval[inside], moved[inside, 1], len(grown)))
    return replace(rows, moved=moved), left


def no_calls() -> CallBytes:
    """No call."""
    none = np.empty(0, np.int64)
    return CallBytes(none, none, none, none, none, np.zeros((0, 2)))


def bytes_by_time(inputs: ComponentInputs, kinds: Collection[HookKind], edges_ns: I64, grown: F64) -> tuple[CallBytes, F64]:
    """Share the growth of a counter read at `edges_ns` among the calls open in each interval, by their time.

    Returns the calls, and each interval's bytes without a call.
    """
    spans = inputs.api.spans.chosen(np.isin(inputs.api.spans.kind, [int(kind) for kind in kinds]))
    shared = shared_by_weight(spans.start_ns, spans.end_ns, spans.busy_ns.astype(np.float64), edges_ns, grown)
    used = shared.amount.any(axis=1)
    call = shared.call[used]
    rows = CallBytes(
        spans.thread[call],
        spans.path[call],
        spans.t_ns[call],
        shared.begin_ns[used],
        shared.end_ns[used],
        shared.amount[used],
    )
    return rows, shared.rest
