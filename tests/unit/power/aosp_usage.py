"""AOSP's test cases as columns: times in device and process states, rows of usage, and rows of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from navitas.power.components.allocation import proportional
from navitas.power.components.charge import F64, I64, MAH_C
from navitas.power.components.state_times import StateTimeline, combined

MS_NS = 1_000_000
UC_C = 1e-6


def ns(ms: Any) -> Any:
    """Milliseconds as nanoseconds: a number, or a list of them as an array."""
    return ms * MS_NS if isinstance(ms, int | float) else np.asarray(ms, np.int64) * MS_NS


@dataclass(frozen=True)
class Found:
    """One figure: charge of the device, a uid and so on, in a state."""

    who: str
    charge_c: float
    uid: str | None = None
    state: dict[str, str] = field(default_factory=dict)
    rail: str | None = None
    duration_ns: float | None = None


def figure(found: Sequence[Found], wanted: dict[str, Any]) -> tuple[float, float | None]:
    """The mAh of an expected entry, and its duration in ms where every row has one."""
    who = "uid" if wanted["who"] == "apps" and not any(one.who == "apps" for one in found) else wanted["who"]
    rows = [
        one
        for one in found
        if one.who == who
        and one.uid in (wanted.get("uid"), one.uid if wanted["who"] == "apps" else None)
        and one.rail == wanted.get("rail")
        and one.state.items() >= wanted.get("state", {}).items()
    ]
    durations = [one.duration_ns for one in rows]
    known = None if None in durations or not rows else sum(one for one in durations if one is not None) / MS_NS
    return sum(one.charge_c for one in rows) / MAH_C, known


@dataclass(frozen=True)
class UserRows:
    """Rows of uids: interval, and weights by name, in columns."""

    uid: list[str]
    interval: I64
    columns: dict[str, F64]
    state: list[dict[str, str]]

    def results(self, charge_c: F64, duration_ns: F64 | None = None) -> Iterator[Found]:
        for row, uid in enumerate(self.uid):
            yield Found(
                "uid", charge_c[row], uid, self.state[row], duration_ns=None if duration_ns is None else float(duration_ns[row])
            )


def rows_of(intervals: Sequence[dict[str, dict[str, float]]]) -> UserRows:
    """Rows of uids' usage, interval by interval: each a dictionary uid → name → amount."""
    rows = [(uid, number, usage) for number, users in enumerate(intervals) for uid, usage in users.items()]
    names = {name for _, _, usage in rows for name in usage}
    return UserRows(
        [uid for uid, _, _ in rows],
        np.array([number for _, number, _ in rows], np.int64),
        {name: np.array([usage.get(name, 0) for _, _, usage in rows], np.float64) for name in names},
        [{} for _ in rows],
    )


class DeviceStates:
    """The device states of a processor's case, and each uid's process states in them. A device state serves as an interval."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.window = np.array(ns(inputs["window_ms"]))
        changes = inputs["timeline"]
        self._device, self.names = _joined({name: changes[name] for name in ("power", "screen")})
        self._process = {uid: _timeline(changes["process"][uid], "process") for uid in changes.get("process", {})}
        self.time_ns = self._device.time_ns(self.window[:1], self.window[1:])[0]

    def spread(self, amount: float) -> F64:
        """A counter of the window, spread over the device states by time."""
        return proportional(np.array([amount]), self.time_ns, np.zeros(len(self.names), np.int64))

    def during(self, begin_ns: I64, end_ns: I64) -> I64:
        """Time in each device state within intervals, shape (intervals, states)."""
        return self._device.time_ns(begin_ns, end_ns)

    def with_states_of(self, other: StateTimeline) -> StateTimeline:
        return combined([self._device, other])

    def user_rows(self, uids: dict[str, dict[str, float]]) -> UserRows:
        """Counters of uids over the window, spread over device states × process states."""
        parts = []
        for uid, usage in uids.items():
            time_ns, interval, state = self.user_times(uid, self.window[:1], self.window[1:])
            zeros = np.zeros(len(interval), np.int64)
            parts.append((uid, interval, state, {k: proportional(np.array([v]), time_ns, zeros) for k, v in usage.items()}))
        return _concatenated(parts)

    def user_on_rows(self, on_ms: dict[str, list[list[int]]]) -> UserRows:
        """On-time of uids in device states × process states: column `on_ns`."""
        parts = []
        for uid, intervals in on_ms.items():
            begin, end = ns(intervals).T
            time_ns, interval, state = self.user_times(uid, begin, end)
            parts.append((uid, interval, state, {"on_ns": time_ns}))
        return _concatenated(parts)

    def user_times(self, uid: str, begin_ns: I64, end_ns: I64) -> tuple[F64, I64, list[dict[str, str]]]:
        """Times of a uid within intervals, with device state and names, for each device and process state."""
        process, names = self._process.get(uid, (StateTimeline(np.zeros(1, np.int64), np.zeros(1, np.int64), 1), [{}]))
        times = combined([self._device, process]).time_ns(begin_ns, end_ns).sum(axis=0).astype(np.float64)
        interval = np.repeat(np.arange(len(self.names)), len(names))
        return times, interval, [device | one for device in self.names for one in names]

    def device_results(self, charge_c: F64, who: str = "device") -> Iterator[Found]:
        for state, charge in zip(self.names, charge_c, strict=True):
            yield Found(who, charge, state=state)


def _timeline(changes: Sequence[Sequence[Any]], dimension: str) -> tuple[StateTimeline, list[dict[str, str]]]:
    names = list(dict.fromkeys(name for _, name in changes))
    start, state = ns([t for t, _ in changes]), np.array([names.index(name) for _, name in changes])
    return StateTimeline(start, state, len(names)), [{dimension: name} for name in names]


def _joined(changes: dict[str, Sequence[Sequence[Any]]]) -> tuple[StateTimeline, list[dict[str, str]]]:
    timelines, names = zip(*(_timeline(one, dimension) for dimension, one in changes.items()), strict=True)
    first, second = names
    return combined(timelines), [one | other for one in first for other in second]


def _concatenated(parts: list[tuple[str, I64, list[dict[str, str]], dict[str, F64]]]) -> UserRows:
    names = {name for part in parts for name in part[3]}
    return UserRows(
        [uid for uid, interval, _, _ in parts for _ in interval],
        np.concatenate([interval for _, interval, _, _ in parts]) if parts else np.zeros(0, np.int64),
        {name: np.concatenate([usage[name] for *_, usage in parts]) for name in names},
        [one for _, _, state, _ in parts for one in state],
    )
