"""The bytes that counters of network and storage count, and those of each call in agreement with them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.component import ComponentInputs
from navitas.energy.attribute.curves import distinct, overlaps
from navitas.recording.parse.arrays import F64, I64, ColumnTable
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, Increments, IoCounters
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

PAYLOAD_BYTES = 1448
"""The most bytes of a connection in one packet."""
MOST_HEADERS = 0.15
"""The most that headers and acknowledgements add to the bytes of calls."""
_HEADER_BYTES = 52


def grown_bytes(counter: Increments) -> F64:
    """Received and sent bytes of each interval."""
    return counter.growth[:, [RECEIVED_BYTES, SENT_BYTES]]


def lasting(surplus: F64) -> F64:
    """The part of each interval's surplus that later deficits do not make up for.

    A counter may be ahead of the calls (data waits in a buffer to be read) or behind them (it waits to be sent).
    """
    lowest = np.minimum.accumulate(np.cumsum(surplus)[::-1])[::-1]
    return np.diff(np.maximum(lowest, 0.0), prepend=0.0)


def bytes_of_others(own: Increments, device: list[Increments]) -> list[tuple[I64, F64]]:
    """What the device's counters show beyond the app's."""
    pools = []
    if device and len(own.edges_ns):
        whole = sum_of(device)
        app = _cumulative(own, whole.edges_ns)
        beyond = np.stack([lasting(column) for column in (whole.growth - np.diff(app, axis=0)).T], axis=1)
        pools.append((whole.edges_ns, beyond[:, [RECEIVED_BYTES, SENT_BYTES]]))
    return pools


def without_loopback(own: Increments, end_ns: I64, moved: F64, outside: F64) -> Increments:
    """The growth of the app's counter without bytes that stayed on the device.

    Android counts them for the app, too (its own test TrafficStatsTest.testTrafficStatsForLocalhost), as packets of 1,500 bytes
    (netd.c, bpf_traffic_account). `end_ns` and `moved` (received, sent) are of the calls that moved them. `outside` is what all
    other calls moved. A counter without loopback shows no more than that: it keeps what they moved.
    """
    interval = np.searchsorted(own.edges_ns, end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(own.growth))
    growth, counted = own.growth.copy(), grown_bytes(own)
    for column, into in enumerate((RECEIVED_BYTES, SENT_BYTES)):
        # Calls may move single bytes, so packets are those of all calls in an interval.
        stayed = np.bincount(interval[inside], moved[inside, column], len(growth))
        left = lasting(counted[:, column] - stayed - _HEADER_BYTES * np.ceil(stayed / PAYLOAD_BYTES))
        least, most = min(float(outside[column]), float(counted[:, column].sum())), float(counted[:, column].sum())
        if left.sum() < least:
            left += (counted[:, column] - left) * ((least - left.sum()) / (most - left.sum()))
        growth[:, into] = left
    return replace(own, growth=growth)


def at_most_of(own: Increments, device: list[Increments]) -> tuple[Increments, float]:
    """The growth of the app's counter without what no interface of the device carried, and its share of the app's bytes."""
    if not device or not len(own.edges_ns):
        return own, 0.0
    whole = sum_of(device)
    app = np.diff(_cumulative(own, whole.edges_ns), axis=0)
    columns = [RECEIVED_BYTES, SENT_BYTES]
    beyond = np.zeros_like(app)
    beyond[:, columns] = np.stack([lasting(column) for column in (app - whole.growth)[:, columns].T], axis=1)
    counted = float(grown_bytes(own).sum())
    share = float(beyond.sum()) / counted if counted else 0.0
    # The app counted them between its own readings, also where the device's are further apart.
    edges = whole.edges_ns.clip(own.edges_ns[0], own.edges_ns[-1])
    taken = np.diff(_cumulative(Increments(edges, beyond, 0, 0), own.edges_ns), axis=0)
    return replace(own, growth=np.stack([lasting(column) for column in (own.growth - taken).T], axis=1)), share


def sum_of(counters: list[Increments]) -> Increments:
    """The growth of several counters between the readings of all of them."""
    edges = distinct(np.concatenate([each.edges_ns for each in counters]))
    growth = np.zeros((max(len(edges) - 1, 0), counters[0].growth.shape[1]))
    for each in counters:
        growth += np.diff(_cumulative(each, edges), axis=0)
    return Increments(edges, growth, 0, 0)


def _cumulative(counter: Increments, t_ns: I64) -> F64:
    total = np.concatenate([np.zeros((1, counter.growth.shape[1])), np.cumsum(counter.growth, axis=0)])
    return np.stack([np.interp(t_ns - t_ns[0], counter.edges_ns - t_ns[0], column) for column in total.T], axis=1)


def restarts(counters: list[tuple[IoCounters, Increments]]) -> list[Reason]:
    """Counters that went back, by name."""
    reasons = []
    for each, found in counters:
        for count, what in ((found.wraps, "wrapped at 32 bits"), (found.resets, "restarted")):
            if count:
                reasons.append(Reason("counter_went_back", f"{each.name} {what} {count} ×: its growth counts from there"))
    return reasons


@dataclass(frozen=True, slots=True)
class Shared:
    """Shares of amounts: `amount[k]` of the interval `interval[k]` belongs to the call `call[k]`.

    `begin_ns` and `end_ns`: when the call was open in the interval. `rest` is the amount of each interval that no call has.
    Amounts may have columns.
    """

    call: I64
    interval: I64
    begin_ns: I64
    end_ns: I64
    amount: F64
    rest: F64


def shared_by_weight(begin_ns: I64, end_ns: I64, weight: F64, edges_ns: I64, amount: F64) -> Shared:
    """Share `amount[i]`, counted from `edges_ns[i]` to `edges_ns[i + 1]`, among the calls open in the interval.

    The share of call A is A' = w(A) / sum of w(x), where w(x) is the part of the weight of x that falls into the interval. With
    the calls' time as weight, this is equation 2 of paper 4. Amounts of intervals without a call are in `rest`.
    """
    counted = np.flatnonzero(amount.reshape(len(amount), -1).any(axis=1)) if len(amount) else np.empty(0, np.int64)
    low, high = edges_ns[:-1][counted], edges_ns[1:][counted]
    # A call belongs to the intervals that it overlaps. A call without length belongs to the one that it ends.
    first = np.searchsorted(high, np.minimum(begin_ns, end_ns - 1), side="right")
    last = np.searchsorted(low, end_ns, side="left") - 1
    call, place = overlaps(first, last)
    begin, end = np.maximum(begin_ns[call], low[place]), np.minimum(end_ns[call], high[place])
    length = np.maximum(end_ns - begin_ns, 1)[call]
    part = weight[call] * np.clip(np.maximum(end - begin, end_ns[call] <= begin_ns[call]), 0, None) / length
    sums = np.bincount(place, part, len(counted))
    share = np.divide(part, sums[place], out=np.zeros(len(part)), where=sums[place] > 0)
    rest = np.zeros_like(amount, np.float64)
    rest[counted[sums <= 0]] = amount[counted[sums <= 0]]
    taken = amount[counted[place]] * (share[:, None] if amount.ndim == 2 else share)
    return Shared(call, counted[place], begin, np.maximum(begin, end), taken, rest)


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


NO_CALL_BYTES = CallBytes(*(np.empty(0, np.int64),) * 5, np.zeros((0, 2)))


def bytes_by_time(inputs: ComponentInputs, kinds: Collection[HookKind], edges_ns: I64, grown: F64) -> tuple[CallBytes, F64]:
    """Share the growth of a counter read at `edges_ns` among the calls open in each interval, by their time.

    Returns the calls, and each interval's bytes without a call.
    """
    spans = inputs.api.spans.chosen(np.isin(inputs.api.spans.kind, [int(kind) for kind in kinds]))
    shared = shared_by_weight(spans.start_ns, spans.end_ns, spans.busy_ns.astype(np.float64), edges_ns, grown)
    used = shared.amount.any(axis=1)
    call = shared.call[used]
    rows = CallBytes(
        spans.thread[call], spans.path[call], spans.t_ns[call], shared.begin_ns[used], shared.end_ns[used], shared.amount[used]
    )
    return rows, shared.rest
