"""Energy of devices that are on or off, by the sessions of the app's calls and the states of the device.

A session is the time from a call that starts a device (GNSS, a camera, a sensor) to the call that stops it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.component import NO_CHARGES, Charges, ComponentCurves, ComponentInputs, charges_of_time
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, added, counts, distinct, merged
from navitas.energy.attribute.hardware.levels import LEVELS
from navitas.recording.parse.arrays import I64, ColumnTable, cumulative
from navitas.recording.parse.device_states import NO_UID
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Sessions(ColumnTable):
    """One row for each session. `t_ns` is the time of the starting call; the session is from `begin_ns` to `end_ns`.

    Begin and end are within the run. `amount` is that of the starting call. `reasons` name the devices that were left on, and
    count the stops without a start.
    """

    thread: I64
    t_ns: I64
    path: I64
    begin_ns: I64
    end_ns: I64
    amount: I64
    reasons: tuple[Reason, ...] = ()


def sessions_of(
    run: RunTables,
    inputs: ComponentInputs,
    kinds: Collection[HookKind],
    device: str,
    *,
    longest_ns: int | None = None,
    each_start: bool = False,
) -> Sessions:
    """Match starts and stops by handle.

    A start of what is on already is ignored: the first starter pays until the stop. With `each_start`, every start is a session
    of its own. A stop ends all sessions of its handle, or with an amount the oldest one of that amount. What is never stopped
    lasts until the end of the run. With `longest_ns`, every session ends by itself after this time.
    """
    hooks = run.calls.hooks
    rows = np.empty(0, np.int64)
    if hooks is not None:
        rows = np.flatnonzero(np.isin(hooks.kind, [int(kind) for kind in kinds]))
    open_rows: dict[tuple[int, int], dict[int, deque[int]]] = {}  # by kind and handle: the starting rows of each amount
    starts: list[int] = []
    ends: list[int] = []
    unmatched = 0
    if hooks is not None:
        columns = (hooks.kind, hooks.handle, hooks.is_stop, hooks.amount, hooks.start_ns, hooks.end_ns)
        for row, kind, handle, is_stop, amount, start_ns, end_ns in zip(
            rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
        ):
            mine = open_rows.setdefault((kind, handle), {})
            if longest_ns is not None and mine and start_ns - int(hooks.start_ns[next(iter(mine.values()))[0]]) > longest_ns:
                ended = _all_rows(mine)
                starts += ended
                ends += [run.end_ns] * len(ended)  # limited below
                mine.clear()
            if not is_stop:
                same = mine.setdefault(amount, deque())
                if each_start or not same:
                    same.append(row)
                continue
            stopped = _stopped(mine, amount)
            unmatched += not stopped
            starts += stopped
            ends += [end_ns] * len(stopped)
    left = sorted(row for mine in open_rows.values() for row in _all_rows(mine))
    reasons = [*_left_on([] if longest_ns else left, inputs, device), *_without_start(unmatched, device)]
    start = np.array([*starts, *left], np.int64)
    stop_ns = np.array([*ends, *[run.end_ns] * len(left)], np.int64)
    if hooks is None or not len(start):
        return Sessions(rows[:0], rows[:0], rows[:0], rows[:0], rows[:0], rows[:0], tuple(reasons))
    low, high = run.start_ns, max(run.end_ns, run.start_ns)
    begin_ns = np.clip(hooks.start_ns[start], low, high)
    if longest_ns is not None:
        stop_ns = np.minimum(stop_ns, hooks.start_ns[start] + longest_ns)
    return Sessions(
        thread=hooks.thread[start],
        t_ns=np.clip(hooks.start_ns[start], low, max(high - 1, low)),
        path=inputs.api.hook_path[start],
        begin_ns=begin_ns,
        end_ns=np.maximum(np.clip(stop_ns, low, high), begin_ns),
        amount=hooks.amount[start],
        reasons=tuple(reasons),
    )


def _all_rows(mine: dict[int, deque[int]]) -> list[int]:
    return [row for rows in mine.values() for row in rows]


def _stopped(mine: dict[int, deque[int]], amount: int) -> list[int]:
    """Remove and return the starts that a stop ends: the oldest one of its amount, or all if it has none."""
    if not amount:
        found = _all_rows(mine)
        mine.clear()
        return found
    same = mine.get(amount)
    if same is None:
        return []
    found = [same.popleft()]
    if not same:
        del mine[amount]
    return found


def _left_on(rows: list[int], inputs: ComponentInputs, device: str) -> list[Reason]:
    if not rows:
        return []
    paths = dict.fromkeys(inputs.api.hook_path[rows].tolist())
    callers = list(dict.fromkeys(inputs.api.caller_label(path) or "an unknown method" for path in paths))
    more = f" and {len(callers) - _MOST_NAMED} more" if len(callers) > _MOST_NAMED else ""
    starters = ", ".join(callers[:_MOST_NAMED]) + more
    return [Reason("left_on", f"{device}: started in {starters}, and not stopped before the end of the run")]


def _without_start(unmatched: int, device: str) -> list[Reason]:
    if not unmatched:
        return []
    return [Reason("stopped_without_start", f"{device}: {unmatched} × stopped without a recorded start, which counts as no use")]


NO_APP_UID = Reason("no_app_uid", "the app's uid was not recorded: apps that used it count as an unknown user")


@dataclass(frozen=True, slots=True)
class Used:
    """Energy of a component in a run, or of one of its ways to be used. `level` and `reasons` are as in `ComponentCurves`.

    `unscaled` is the flow that the model alone estimates, if power rails already determined more than the total; else None.
    """

    level: str
    reasons: tuple[Reason, ...] = ()
    charges: Charges = NO_CHARGES
    base: Curve = EMPTY_CURVE
    unattributed: Curve = EMPTY_CURVE
    other_processes: Curve = EMPTY_CURVE
    flow: Curve = EMPTY_CURVE
    unscaled: Curve | None = None


@dataclass(frozen=True, slots=True)
class _Users:
    """The users at each step between edges: the app, by open sessions or by a state, and other apps. `is_on`: someone's use."""

    sessions: I64
    app: I64
    others: I64
    device: I64


def used_by_time(run: RunTables, sessions: Sessions, state: str, power: Curve, *, only_known_users: bool = False) -> Used | None:
    """Share the energy of the time that a device is on. `power` is its cumulative energy if it were on all the time.

    At every instant, the apps that use it share its power equally (AOSP: BinaryStatePowerStatsProcessor), and the app's open
    sessions share the app's part. Time in which the device is on without a known user belongs to other processes if the app's
    calls were recorded, else it is unattributed. With `only_known_users`, it does not count. None if there is no session and no
    state. If the app's uid is unknown, the users of states are unknown, too.
    """
    states = run.devices.states
    is_known = states is not None and states.has(state)
    if not len(sessions) and not is_known:
        return None
    begin, end, uid = _intervals(run, state, only_known_users=only_known_users)
    app_uid = NO_UID if states is None else states.app_uid
    reasons = sessions.reasons
    if app_uid == NO_UID and (uid != NO_UID).any():
        reasons = (*reasons, NO_APP_UID)
        kept = np.full(len(uid), not only_known_users)
        begin, end, uid = begin[kept], end[kept], np.full(int(kept.sum()), NO_UID)
    if not len(sessions) and not len(begin) and only_known_users:
        return None
    is_app, is_device = (uid == app_uid) & (uid != NO_UID), uid == NO_UID
    times = [power.t_ns, begin, end, sessions.begin_ns, sessions.end_ns]
    edges = distinct(np.concatenate(times))
    is_other = ~is_app & ~is_device
    users = _Users(
        counts(edges, sessions.begin_ns, sessions.end_ns),
        counts(edges, begin[is_app], end[is_app]),
        users_of(edges, begin[is_other], end[is_other], uid[is_other]),
        counts(edges, begin[is_device], end[is_device]),
    )
    level = "hooks" if run.calls.hooks is not None and len(sessions) else "states"
    return replace(_shared(edges, users, sessions, power, level, hooked=run.calls.hooks is not None), reasons=reasons)


def users_of(edges: I64, begin: I64, end: I64, uid: I64) -> I64:
    """The number of apps with an open interval in each step. An app counts once, however many of its intervals overlap."""
    _, rank = np.unique(uid, return_inverse=True)
    own = rank * len(edges)  # the places of one app's edges never touch those of the next one
    first, last = merged(own + np.searchsorted(edges, begin), own + np.searchsorted(edges, end))
    return counts(edges, edges[first % len(edges)], edges[last % len(edges)])


def _shared(edges: I64, users: _Users, sessions: Sessions, power: Curve, level: str, *, hooked: bool) -> Used:
    drawn_j = np.diff(power.at(edges))
    by_app = (users.sessions > 0) | (users.app > 0)
    count = by_app + users.others
    app_j = np.where(by_app, drawn_j / np.maximum(count, 1), 0.0)
    others_j = np.where(users.others > 0, drawn_j * users.others / np.maximum(count, 1), 0.0)
    unknown_j = np.where((count == 0) & (users.device > 0), drawn_j, 0.0)
    in_session = users.sessions > 0
    one_session = Curve(edges, cumulative(np.where(in_session, app_j / np.maximum(users.sessions, 1), 0.0)))
    energy_j = one_session.at(sessions.end_ns) - one_session.at(sessions.begin_ns)
    charges = charges_of_time(sessions.thread, sessions.t_ns, sessions.path, energy_j)
    unattributed_j = np.where(in_session, 0.0, app_j) + (0.0 if hooked else unknown_j)
    return Used(
        level,
        sessions.reasons,
        charges,
        unattributed=Curve(edges, cumulative(unattributed_j)),
        other_processes=Curve(edges, cumulative(others_j + (unknown_j if hooked else 0.0))),
        flow=Curve(edges, cumulative(app_j + others_j + unknown_j)),
    )


def _intervals(run: RunTables, state: str, *, only_known_users: bool) -> tuple[I64, I64, I64]:
    """Begin, end and uid of the intervals of a state that is on, clipped to the run."""
    none = np.empty(0, np.int64)
    if run.devices.states is None:
        return none, none, none
    begin, end, value, uid = run.devices.states.intervals(state)
    begin, end = np.clip(begin, run.start_ns, run.end_ns), np.clip(end, run.start_ns, run.end_ns)
    kept = (end > begin) & (value > 0) & ((uid != NO_UID) | (not only_known_users))
    return begin[kept], end[kept], uid[kept]


def component_curves(parts: Sequence[Used | None], reasons: Sequence[Reason] = ()) -> ComponentCurves | None:
    """One component of several parts, at the lowest of their levels; None if there is no part."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return ComponentCurves(
        level=max((part.level for part in known), key=[level.name for level in LEVELS].index),
        reasons=(*dict.fromkeys(reason for part in known for reason in part.reasons), *reasons),
        other_processes=added([part.other_processes for part in known]),
        base=added([part.base for part in known]),
        unattributed=added([part.unattributed for part in known]),
        charges=Charges.joined([NO_CHARGES, *(part.charges for part in known)]),
        flow=added([part.flow for part in known]),
        unscaled=added([part.flow if part.unscaled is None else part.unscaled for part in known]),
    )
