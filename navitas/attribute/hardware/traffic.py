"""Bytes that the app's calls, the rest of the app and other apps received and sent, by hooks and counters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.charges import Charges
from navitas.attribute.component import ComponentInputs
from navitas.attribute.curves import distinct
from navitas.attribute.hardware.io_sharing import shared_by_weight
from navitas.attribute.hardware.moments import times_on_the_air
from navitas.parse.arrays import F64, I64, Bool
from navitas.parse.hook_calls import HookKind
from navitas.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, Increments, IoCounters, increments
from navitas.parse.reasons import Reason
from navitas.parse.tables import RunTables

CALL, APP, OTHERS = range(3)
"""Who caused a transfer: a call, the app without a known call, another app."""
_PACKET_BYTES = 1448
_TOLERATED = 0.02
_MOST_HEADERS = 0.15

NO_HOOKS = Reason("no_hooks", "hooks recorded no bytes: counters are shared among open calls by their time")
NO_CALLS = Reason("no_io_calls", "no call of an I/O API was recorded: the app's traffic is unattributed")
NO_APP_COUNTER = Reason("no_app_counters", "the app's traffic was not counted apart: the device's traffic counts as the app's")
NO_COUNTERS = Reason("no_io_counters", "traffic was not counted: only the bytes that hooks saw are known, without headers")
NOT_COUNTED = Reason("bytes_not_counted", "of the bytes of hooked calls crossed no counted interface: they have no energy")


@dataclass(frozen=True, slots=True)
class Traffic:
    """One row for each transfer: by whom (`CALL`, `APP`, `OTHERS`), when, and bytes.

    `thread`, `path` and `t_ns` (the call's start) are of the causing call; `thread` is -1 without one. `received` and `sent` are
    bytes; of storage, bytes read and written.
    """

    owner: I64
    thread: I64
    path: I64
    t_ns: I64
    begin_ns: I64
    end_ns: I64
    received: F64
    sent: F64
    level: str
    reasons: tuple[Reason, ...]

    def __len__(self) -> int:
        return len(self.owner)

    def chosen(self, rows: Bool) -> Traffic:
        """Some of the rows."""
        columns = ("owner", "thread", "path", "t_ns", "begin_ns", "end_ns", "received", "sent")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})


def charges_of_bytes(traffic: Traffic, energy_j: F64) -> Charges:
    """The charges of the calls, given the energy of each transfer."""
    own = traffic.owner == CALL
    columns = (traffic.thread, traffic.t_ns, traffic.path, energy_j, traffic.received, traffic.sent)
    return Charges(*(column[own] for column in columns))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Calls with bytes, before counters are added."""

    thread: I64
    path: I64
    t_ns: I64
    begin_ns: I64
    end_ns: I64
    moved: F64
    """Columns: received, sent."""


def traffic_of(
    run: RunTables, inputs: ComponentInputs, kinds: Collection[HookKind], media: Collection[str], *, counters_are_total: bool
) -> Traffic | None:
    """The traffic of a run; None if nothing is known of it.

    With hooks, calls have the bytes that they moved; what the app's counter shows beyond them (headers, acknowledgements) is
    spread by packets. Without hooks, the counter's growth in an interval is shared among open calls by their time.
    `counters_are_total`: a counter that shows less than the hooks is right (storage: the page cache serves the rest).
    """
    counters = [(each, increments(each)) for each in run.io_counters if each.medium in media and len(each.t_ns) > 1]
    own = next((found for each, found in counters if each.scope == "app"), None)
    device = [found for each, found in counters if each.scope == "device"]
    reasons = _restarts(counters)
    rows = _hooked(run, inputs, kinds)
    if rows is None and own is None and not device:
        return None
    if own is None and device:
        own, device = _sum(device), []
        reasons.append(NO_APP_COUNTER)
    level = "hooks" if rows is not None else "counters"
    rest = Increments(np.empty(0, np.int64), np.zeros((0, 4)), 0, 0) if own is None else own
    if rows is not None:
        if own is None:
            reasons.append(NO_COUNTERS)
        if counters_are_total:
            rows, left = _with_storage(rows, rest)
        else:
            rows, left, uncounted = _with_counters(rows, rest)
            begin_ns, end_ns = times_on_the_air(rows.moved, (rows.begin_ns, rows.end_ns), rest.edges_ns, _grown(rest) - left)
            rows = replace(rows, begin_ns=begin_ns, end_ns=end_ns)
            if uncounted > _TOLERATED:
                reasons.append(replace(NOT_COUNTED, share=uncounted))
    else:
        rows, left = _by_time(inputs, kinds, rest)
        reasons.append(NO_HOOKS if len(rows.thread) else NO_CALLS)
    pools = [(APP, rest.edges_ns, left), *_others(rest, device)]
    return _joined(rows, pools, (run.start_ns, run.end_ns), level, tuple(reasons))


def _grown(counter: Increments) -> F64:
    """Received and sent bytes of each interval."""
    return counter.growth[:, [RECEIVED_BYTES, SENT_BYTES]]


def _hooked(run: RunTables, inputs: ComponentInputs, kinds: Collection[HookKind]) -> _Rows | None:
    """The hooked calls of these kinds; None if there are none."""
    if run.hooks is None:
        return None
    hooks = run.hooks
    row = np.flatnonzero(np.isin(hooks.kind, [int(kind) for kind in kinds]) & (hooks.amount > 0))
    if not len(row):
        return None
    is_read = np.isin(hooks.kind[row], [HookKind.NET_READ, HookKind.FILE_READ])
    amount = hooks.amount[row].astype(np.float64)
    moved = np.stack([np.where(is_read, amount, 0.0), np.where(is_read, 0.0, amount)], axis=1)
    start, end = hooks.start_ns[row], np.maximum(hooks.end_ns[row], hooks.start_ns[row])
    return _Rows(hooks.thread[row], inputs.api.hook_path[row], start, start, end, moved)


def _with_counters(rows: _Rows, own: Increments) -> tuple[_Rows, F64, float]:
    """Make the calls' bytes on a network agree with the counters.

    What the counters show beyond the calls, such as headers and acknowledgements, is spread over the calls by their packets, up
    to `_MOST_HEADERS` of all bytes. Returns the calls, each interval's bytes (received, sent) without a call, and the share of
    the calls' bytes that no counter shows (for example those to the device itself).
    """
    grown = _grown(own)
    interval = np.searchsorted(own.edges_ns, rows.end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(grown))
    if not inside.any():
        return rows, grown, 0.0
    moved, left = rows.moved.copy(), np.zeros_like(grown)
    packets = np.ceil(moved[inside] / _PACKET_BYTES).sum(axis=1)
    whole, uncounted = moved.sum(), 0.0
    for column in range(2):
        seen, counted = float(moved[inside, column].sum()), float(grown[:, column].sum())
        if seen > counted:
            uncounted += (seen - counted) / whole
            moved[inside, column] *= counted / seen
        beyond = _lasting(grown[:, column] - np.bincount(interval[inside], moved[inside, column], len(grown)))
        headers = min(float(beyond.sum()), _MOST_HEADERS * float(moved[inside].sum()))
        moved[inside, column] += headers * packets / packets.sum()
        left[:, column] = beyond * (1 - headers / beyond.sum() if beyond.sum() > 0 else 0.0)
    return replace(rows, moved=moved), left, float(uncounted)


def _with_storage(rows: _Rows, own: Increments) -> tuple[_Rows, F64]:
    """Make the calls' bytes of storage agree with the counters: the page cache serves some reads, and merges some writes.

    Writes are counted later than their calls, so they agree over the run. Returns the calls, and each interval's bytes without a
    call.
    """
    grown = _grown(own)
    interval = np.searchsorted(own.edges_ns, rows.end_ns, side="left") - 1
    inside = (interval >= 0) & (interval < len(grown))
    moved, left = rows.moved.copy(), np.zeros_like(grown)
    read = np.bincount(interval[inside], moved[inside, 0], len(grown))
    moved[inside, 0] *= np.divide(grown[:, 0], read, out=np.zeros(len(grown)), where=read > 0)[interval[inside]]
    left[:, 0] = np.where(read > 0, 0.0, grown[:, 0])
    written, counted = float(moved[inside, 1].sum()), float(grown[:, 1].sum())
    moved[inside, 1] *= min(1.0, counted / written) if written > 0 else 1.0
    left[:, 1] = _lasting(grown[:, 1] - np.bincount(interval[inside], moved[inside, 1], len(grown)))
    return replace(rows, moved=moved), left


def _lasting(surplus: F64) -> F64:
    """The part of each interval's surplus that later deficits do not make up for.

    A counter may be ahead of the calls (data waits in a buffer to be read) or behind them (it waits to be sent).
    """
    lowest = np.minimum.accumulate(np.cumsum(surplus)[::-1])[::-1]
    return np.diff(np.maximum(lowest, 0.0), prepend=0.0)


def _by_time(inputs: ComponentInputs, kinds: Collection[HookKind], own: Increments) -> tuple[_Rows, F64]:
    """Share the counter's growth among the calls open in each interval, by their time."""
    spans = inputs.api.spans.chosen(np.isin(inputs.api.spans.kind, [int(kind) for kind in kinds]))
    grown = _grown(own)
    shared = shared_by_weight(spans.start_ns, spans.end_ns, spans.busy_ns.astype(np.float64), own.edges_ns, grown)
    used = shared.amount.any(axis=1)
    call = shared.call[used]
    rows = _Rows(
        spans.thread[call],
        spans.path[call],
        spans.t_ns[call],
        shared.begin_ns[used],
        shared.end_ns[used],
        shared.amount[used],
    )
    return rows, shared.rest


def _others(own: Increments, device: list[Increments]) -> list[tuple[int, I64, F64]]:
    """What the device's counters show beyond the app's."""
    pools = []
    if device and len(own.edges_ns):
        whole = _sum(device)
        app = _cumulative(own, whole.edges_ns)
        beyond = np.stack([_lasting(column) for column in (whole.growth - np.diff(app, axis=0)).T], axis=1)
        pools.append((OTHERS, whole.edges_ns, beyond[:, [RECEIVED_BYTES, SENT_BYTES]]))
    return pools


def _sum(counters: list[Increments]) -> Increments:
    """The growth of several counters between the readings of all of them."""
    edges = distinct(np.concatenate([each.edges_ns for each in counters]))
    growth = np.sum([np.diff(_cumulative(each, edges), axis=0) for each in counters], axis=0)
    return Increments(edges, growth, 0, 0)


def _cumulative(counter: Increments, t_ns: I64) -> F64:
    total = np.concatenate([np.zeros((1, counter.growth.shape[1])), np.cumsum(counter.growth, axis=0)])
    return np.stack([np.interp(t_ns - t_ns[0], counter.edges_ns - t_ns[0], column) for column in total.T], axis=1)


def _joined(
    rows: _Rows, pools: list[tuple[int, I64, F64]], run_ns: tuple[int, int], level: str, reasons: tuple[Reason, ...]
) -> Traffic:
    """Calls, then what no call has. Times are clipped to the run."""
    owner, begin, end, moved = [np.full(len(rows.thread), CALL)], [rows.begin_ns], [rows.end_ns], [rows.moved]
    for who, edges, amount in pools:
        used = np.flatnonzero(amount.any(axis=1)) if len(amount) else np.empty(0, np.int64)
        owner.append(np.full(len(used), who))
        begin.append(edges[:-1][used] if len(used) else used)
        end.append(edges[1:][used] if len(used) else used)
        moved.append(amount[used] if len(used) else np.zeros((0, 2)))
    more = sum(len(each) for each in owner[1:])
    low, high = run_ns
    begins, ends = np.concatenate(begin), np.concatenate(end)
    both: F64 = np.concatenate(moved)
    none = np.full(more, -1)
    return Traffic(
        np.concatenate(owner),
        np.concatenate([rows.thread, none]),
        np.concatenate([rows.path, none]),
        np.clip(np.concatenate([rows.t_ns, begins[len(begins) - more :]]), low, max(high - 1, low)),
        np.clip(begins, low, high),
        np.clip(ends, low, high),
        both[:, 0],
        both[:, 1],
        level,
        reasons,
    )


def _restarts(counters: list[tuple[IoCounters, Increments]]) -> list[Reason]:
    """Counters that went back, by name."""
    reasons = []
    for each, found in counters:
        for count, what in ((found.wraps, "wrapped at 32 bits"), (found.resets, "restarted")):
            if count:
                reasons.append(Reason("counter_went_back", f"{each.name} {what} {count} ×: its growth counts from there"))
    return reasons
