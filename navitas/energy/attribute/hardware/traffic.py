"""Bytes that the app's calls, the rest of the app and other apps received and sent, by hooks and counters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from navitas.energy.attribute.component import Charges, ComponentInputs
from navitas.energy.attribute.hardware.call_bytes import (
    MOST_HEADERS,
    NO_CALL_BYTES,
    CallBytes,
    at_most_of,
    bytes_by_time,
    bytes_of_hooks,
    bytes_of_others,
    grown_bytes,
    restarts,
    sum_of,
    with_counters,
    with_storage,
    without_loopback,
)
from navitas.recording.parse.arrays import F64, I64, ColumnTable, Rows, cumulative
from navitas.recording.parse.hook_calls import LOOPBACK, WITHOUT_BYTES, HookKind
from navitas.recording.parse.io_counters import Increments, increments
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

CALL, APP, OTHERS = range(3)
"""Who caused a transfer: a call, the app without a known call, another app."""
_TOLERATED = 0.02

NO_HOOKED_BYTES = Reason("no_hooked_bytes", "hooks recorded no bytes: counters are shared among open calls by their time")
NO_CALLS = Reason("no_io_calls", "no call of an I/O API was open when bytes were counted: the app's traffic is unattributed")
NO_APP_COUNTER = Reason("no_app_counters", "the app's traffic was not counted apart: the device's traffic counts as the app's")
NO_COUNTERS = Reason("no_io_counters", "traffic was not counted: only the bytes that hooks saw are known, without headers")
NOT_COUNTED = Reason("bytes_not_counted", "of the bytes of hooked calls crossed no counted interface: they have no energy")
STAYED = Reason("loopback", "of the bytes of hooked calls stayed on the device: they have no energy")
NOT_CARRIED = Reason(
    "bytes_not_carried", "of the bytes that were counted for the app crossed no radio of the device: they have no energy"
)
SHARED_BY_TIME = Reason("shared_by_time", "of the bytes are shared by time among calls that record none, such as a database's")


@dataclass(frozen=True, slots=True)
class Traffic(ColumnTable):
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

    def chosen(self, rows: Rows) -> Traffic:
        """Some of the rows."""
        columns = ("owner", "thread", "path", "t_ns", "begin_ns", "end_ns", "received", "sent")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})


def charges_of_bytes(traffic: Traffic, energy_j: F64) -> Charges:
    """The charges of the calls, given the energy of each transfer."""
    own = traffic.owner == CALL
    columns = (traffic.thread, traffic.t_ns, traffic.path, energy_j, traffic.received, traffic.sent)
    return Charges(*(column[own] for column in columns))


def traffic_of(
    run: RunTables, inputs: ComponentInputs, kinds: Collection[HookKind], media: Collection[str], *, counters_are_total: bool
) -> Traffic | None:
    """The traffic of a run; None if nothing is known of it.

    With hooks, calls have the bytes that they moved; what the app's counter shows beyond them (headers, acknowledgements) is
    spread by packets. Bytes that stayed on the device are left out. Without hooks, the counter's growth in an interval is shared
    among open calls by their time.
    `counters_are_total`: a counter that shows less than the hooks is right (storage: the page cache serves the rest), and calls
    of storage that record no bytes share by their time what the others leave.
    """
    counters = [(each, increments(each)) for each in run.devices.io_counters if each.medium in media and len(each.t_ns) > 1]
    own = next((found for each, found in counters if each.scope == "app"), None)
    device = [found for each, found in counters if each.scope == "device"]
    reasons = restarts(counters)
    rows = bytes_of_hooks(run, inputs, kinds)
    if not counters_are_total:
        # Interfaces of unknown kinds may have carried the app's bytes, too.
        carriers = [] if any(each.medium == "unknown" for each in run.devices.io_counters) else device
        rows, own, more = _on_the_air(rows, bytes_of_hooks(run, inputs, LOOPBACK), own, carriers)
        reasons += more
    if rows is None and own is None and not device:
        return None
    if own is None and device:
        own, device = sum_of(device), []
        reasons.append(NO_APP_COUNTER)
    level = "hooks" if rows is not None else "counters"
    rest = Increments(np.empty(0, np.int64), np.zeros((0, 4)), 0, 0) if own is None else own
    grown = grown_bytes(rest)
    if rows is not None:
        if own is None:
            reasons.append(NO_COUNTERS)
        if counters_are_total:
            rows, left = with_storage(rows, rest)
            unnamed, left = bytes_by_time(inputs, WITHOUT_BYTES, rest.edges_ns, left)
            if unnamed.moved.sum() > _TOLERATED * grown.sum():
                reasons.append(replace(SHARED_BY_TIME, share=float(unnamed.moved.sum() / grown.sum())))
            rows = CallBytes.joined([rows, unnamed])
        else:
            rows, left, uncounted = with_counters(rows, rest)
            begin_ns, end_ns = times_on_the_air(rows.moved, (rows.begin_ns, rows.end_ns), rest.edges_ns, grown - left)
            rows = replace(rows, begin_ns=begin_ns, end_ns=end_ns)
            if uncounted > _TOLERATED:
                reasons.append(replace(NOT_COUNTED, share=uncounted))
    else:
        rows, left = bytes_by_time(inputs, kinds, rest.edges_ns, grown)
        reasons += [NO_HOOKED_BYTES] if len(rows.thread) else [NO_CALLS] if rest.growth.any() else []
    pools = [(APP, rest.edges_ns, left), *((OTHERS, *pool) for pool in bytes_of_others(rest, device))]
    return _joined(rows, pools, (run.start_ns, run.end_ns), level, tuple(reasons))


def _on_the_air(
    rows: CallBytes | None, inner: CallBytes | None, own: Increments | None, device: list[Increments]
) -> tuple[CallBytes | None, Increments | None, list[Reason]]:
    """The calls and the app's counter without bytes that crossed no radio."""
    reasons = []
    stayed = 0.0
    if inner is not None:
        rows = NO_CALL_BYTES if rows is None else rows
        stayed = float(inner.moved.sum())
        reasons.append(replace(STAYED, share=stayed / (stayed + float(rows.moved.sum()))))
        own = None if own is None else without_loopback(own, inner.end_ns, inner.moved, rows.moved.sum(axis=0))
    if own is not None:
        tolerated = _TOLERATED + MOST_HEADERS * stayed / max(float(grown_bytes(own).sum()), 1.0)
        own, share = at_most_of(own, device)
        if share > tolerated:
            reasons.append(replace(NOT_CARRIED, share=share))
    return rows, own, reasons


def _joined(
    rows: CallBytes, pools: list[tuple[int, I64, F64]], run_ns: tuple[int, int], level: str, reasons: tuple[Reason, ...]
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


_FINE_NS = 500_000_000
_QUANTILE = 0.25


def times_on_the_air(moved: F64, spans_ns: tuple[I64, I64], edges_ns: I64, grown: F64) -> tuple[I64, I64]:
    """Begin and end of each call's bytes on the air, by counters read at `edges_ns`.

    `moved` has the received and the sent bytes of each call, and `grown` those of each interval. Bytes keep their order: the
    first byte that calls sent is the first one that was counted. Calls without counted bytes, and all calls if the counters are
    too old to show when bytes crossed, keep their spans.
    """
    begin, end = spans_ns
    if not len(moved) or not _are_fine(edges_ns, grown):
        return begin, end
    order = np.argsort(end, kind="stable")
    begin, end = begin.copy(), end.copy()
    main = np.argmax(moved, axis=1)
    for column in range(2):
        total = cumulative(grown[:, column])
        passed = np.cumsum(moved[order, column])
        if total[-1] <= 0 or passed[-1] <= 0:
            continue
        # Rounding, and bytes before the first reading, must not shift the rest.
        scale = total[-1] / passed[-1]
        rows = main[order] == column
        chosen = order[rows]
        last = passed[rows] * scale
        first = last - moved[chosen, column] * scale
        begin[chosen] = _reached(total, edges_ns, first, side="right")
        end[chosen] = np.maximum(_reached(total, edges_ns, last, side="left"), begin[chosen])
    return begin, end


def _are_fine(edges_ns: I64, grown: F64) -> bool:
    """Whether readings show growth soon after it: at least a quarter of them come within 500 ms after the growth before.

    A device may keep the values of its counters for a second (Android 15), so they grow in steps however often they are read. In
    a burst, fresh counters grow with each reading; pauses between bursts do not count against them.
    """
    used = np.flatnonzero(grown.any(axis=1))
    if not len(used):
        return False
    steps_ns = np.diff(edges_ns[np.append(0, used + 1)])
    return bool(np.quantile(steps_ns, _QUANTILE, method="lower") <= _FINE_NS)


def _reached(total: F64, edges_ns: I64, amount: F64, side: Literal["left", "right"]) -> I64:
    """When a counter reached amounts: before an interval without growth (`left`), or after it (`right`)."""
    place = np.searchsorted(total, amount, side=side)
    high = np.clip(place, 1, len(total) - 1)
    low = high - 1
    step = total[high] - total[low]
    share = np.divide(amount - total[low], step, out=np.zeros(len(amount)), where=step > 0)
    length = edges_ns[high] - edges_ns[low]
    return np.asarray(edges_ns[low] + np.rint(np.clip(share, 0.0, 1.0) * length).astype(np.int64))
