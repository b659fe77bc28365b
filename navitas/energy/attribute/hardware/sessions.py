"""Sessions: the time from a call that starts a device (GNSS, a camera, a sensor) to the call that stops it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.component import ComponentInputs
from navitas.recording.parse.arrays import I64, ColumnTable
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
