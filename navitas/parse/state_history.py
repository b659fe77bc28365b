"""The device's states during a run, from `batterystats.txt`: the phone's settings, then the history of batterystats.

The history has wall-clock times. The run's clock triples convert them to monotonic time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from navitas.batterystats.keys import BATTERY_WORDS, STATE_NAMES, VALUE_NAMES
from navitas.batterystats.reader import BatteryStatsReader, line_blocks
from navitas.batterystats.tables import ClockAnchor, StateIntervals
from navitas.line_blocks import LineBlock, LineSequence
from navitas.parse.arrays import I64
from navitas.parse.clock_triples import UNJOINED, ClockTriples
from navitas.parse.controller_times import radio_times
from navitas.parse.device_states import NO_UID, DeviceStates
from navitas.parse.findings import Findings
from navitas.parse.radio_times import RadioTimes
from navitas.power.components.screen_power import brightness_bin
from navitas.recording.manifest import Run
from navitas.recording.store import Recording

_NAMES = {
    "screen": "screen", "screen_doze": "screen_doze", "brightness": "brightness", "top": "top", "wifi": "wifi",
    "mobile_radio": "mobile_radio", "wifi_radio": "wifi_radio", "wifi_scan": "wifi_scan", "gps": "gnss",
    "gps_signal_quality": "gnss_quality", "camera": "camera", "flashlight": "flashlight", "audio": "audio", "video": "video",
    "ble_scan": "bluetooth_scan", "wake_lock": "wake_lock",
}  # fmt: skip
"""States of batterystats that attribution uses, and their names there."""
_EACH_LOCK = "wake_lock_in"
_NO_QUALITY = VALUE_NAMES["gps_signal_quality"].index("none")
_FULL = next(code for code, (_, word) in enumerate(BATTERY_WORDS["status"]) if word == "full")
_UNPLUGGED = next(code for code, (_, word) in enumerate(BATTERY_WORDS["plug"]) if word == "none")
_HEAD = re.compile(rb"# (uid|start|end|g(?:wf|m)cd_(?:start|end))((?: [\w=.-]{1,100}){0,20})\s*")
_BRIGHTNESS, _MODE = "screen_brightness", "screen_brightness_mode"
_MANUAL = "0"
_FULL_BRIGHTNESS = 255
_AROUND_MS = 60_000
_MS_NS = 1_000_000
_REASONS = 3
_REMEDY = "Components without states have a lower evidence level, or are missing."


@dataclass(slots=True)
class _Content:
    """The content of the file. `open_ns` and later columns are of the history's own clock."""

    head: dict[str, list[str]] = field(default_factory=dict)
    ended: list[StateIntervals] = field(default_factory=list)
    open: StateIntervals | None = None
    anchors: tuple[ClockAnchor, ...] = ()
    is_paused: bool = False
    has_history: bool = False


@dataclass(frozen=True, slots=True)
class StateHistory:
    """What batterystats says of a run. `states` is None if they were not recorded."""

    states: DeviceStates | None = None
    radio_times: tuple[RadioTimes, ...] = ()


def read_state_history(
    recording: Recording, run: Run, clocks: ClockTriples, findings: Findings, *, run_ns: tuple[int, int]
) -> StateHistory:
    """Return the device's states and the radios' times in a run. What is missing goes to `findings`.

    Raises `RecordingError` if the file cannot be read.
    """
    paths = recording.files("batterystats", run.id)
    if not paths:
        return StateHistory()
    content = _read(paths[0], findings)
    states = _states(content, clocks, paths[0].name, findings, run_ns)
    return StateHistory(states, radio_times(content.head))


def _states(
    content: _Content, clocks: ClockTriples, file: str, findings: Findings, run_ns: tuple[int, int]
) -> DeviceStates | None:
    app_uid = _uid(content.head)
    rows = _rows(content, clocks, file, findings, run_ns)
    brightness = _set_brightness(content.head)
    if brightness is not None and not (rows.state == "brightness").any():
        rows = rows.with_row("brightness", brightness, run_ns)
    if not content.has_history and not len(rows.state):
        return None
    names = tuple(dict.fromkeys(rows.state.tolist()))
    state = np.array([names.index(name) for name in rows.state.tolist()], np.int32)
    return DeviceStates(names, state, rows.value, rows.start_ns, rows.end_ns, rows.uid, app_uid)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Intervals with names and monotonic times."""

    state: np.ndarray[tuple[int], np.dtype[np.object_]]
    value: I64
    start_ns: I64
    end_ns: I64
    uid: I64

    def with_row(self, name: str, value: int, span_ns: tuple[int, int]) -> _Rows:
        one = (np.array([name], object), *(np.array([number], np.int64) for number in (value, *span_ns, NO_UID)))
        ours = (self.state, self.value, self.start_ns, self.end_ns, self.uid)
        state, *columns = (np.concatenate(pair) for pair in zip(ours, one, strict=True))
        return _Rows(state, *columns)


_NO_ROWS = _Rows(np.empty(0, object), *(np.empty(0, np.int64) for _ in range(4)))


def _read(path: Path, findings: Findings) -> _Content:
    content = _Content()
    reader = BatteryStatsReader()
    for block in _without_head(path, content.head):
        for states, battery in reader.read(block):
            content.ended.append(states)
            if len(battery):
                content.is_paused = bool(battery.status[-1] == _FULL and battery.plug[-1] > _UNPLUGGED)
    content.open = reader.end()
    content.anchors = tuple(anchor for anchor in reader.anchors if anchor.is_utc)
    content.has_history = bool(content.anchors)
    reasons = reader.lines.reasons.most_common(_REASONS)
    named = ", ".join(f"{reason} ({reader.lines.examples.get(reason, '')[:80]!r})" for reason, _ in reasons)
    message = f"{path.name}: {{count}} lines are not understood: {named}"
    findings.add_loss("batterystats_lines", reader.lines.listed, message, "The other lines are used.", file=path.name)
    if not content.has_history:
        findings.warn("device_states", f"{path.name} contains no history with wall-clock times", _REMEDY)
    elif content.is_paused:
        message = "the phone was plugged in and fully charged: Android then records no states"
        findings.warn("device_states", message, "Discharge the phone a little, or use a hub that switches power.")
    return content


def _without_head(path: Path, head: dict[str, list[str]]) -> Iterator[LineBlock]:
    """Yield the lines of the dump. The lines before them go to `head`."""
    is_head = True
    for block in line_blocks(path):
        data = block.lines.data
        while is_head and data:
            line, _, rest = data.partition(b"\n")
            match = _HEAD.fullmatch(line)
            if match is None:
                is_head = False
                break
            head[match[1].decode()] = match[2].decode().split()
            data = rest
        yield LineBlock(lines=LineSequence(data), refused=block.refused)


def _uid(head: dict[str, list[str]]) -> int:
    words = head.get("uid", [])
    return int(words[0]) if words and re.fullmatch(r"\d{1,9}", words[0]) else NO_UID


def _set_brightness(head: dict[str, list[str]]) -> int | None:
    """Return the bin of the brightness that was set during the whole run; None if it is automatic, changed, or unknown."""
    start, end = (dict(word.split("=", 1) for word in head.get(name, []) if "=" in word) for name in ("start", "end"))
    level = start.get(_BRIGHTNESS, "")
    if end.get(_BRIGHTNESS, level) != level or start.get(_MODE) != _MANUAL or end.get(_MODE, _MANUAL) != _MANUAL:
        return None
    is_level = re.fullmatch(r"\d{1,3}", level) is not None and int(level) <= _FULL_BRIGHTNESS
    return int(brightness_bin(np.array([int(level)]))[0]) if is_level else None


def _rows(content: _Content, clocks: ClockTriples, file: str, findings: Findings, run_ns: tuple[int, int]) -> _Rows:
    """Return the intervals that overlap the surroundings of the run. States that are open at the end last until the run's end."""
    parts = [*content.ended, *([content.open] if content.open is not None else [])]
    if not content.anchors or not sum(len(part) for part in parts):
        return _NO_ROWS
    if not len(clocks.monotonic_ns):
        message = f"{file} cannot be joined with the events: no clock triples were recorded"
        findings.warn("no_clocks", message, _REMEDY)
        return _NO_ROWS
    lock = STATE_NAMES.index(_EACH_LOCK)
    has_each_lock = any((part.state == lock).any() for part in parts)
    names = {**_NAMES, **({_EACH_LOCK: "wake_lock", "wake_lock": ""} if has_each_lock else {})}
    wanted = np.array([names.get(name, "") for name in STATE_NAMES], object)
    found = []
    for part in parts:
        name = wanted[part.state]
        kept = (name != "") & ~((name == "gnss_quality") & (part.value == _NO_QUALITY))
        uid = np.where(part.uid[kept] < 0, NO_UID, part.uid[kept]).astype(np.int64)
        is_open = np.full(int(kept.sum()), part is content.open)
        columns = (part.value[kept].astype(np.int64), part.start_ns[kept], part.end_ns[kept], uid, is_open)
        found.append((name[kept], *columns))
    name, value, start, end, uid, is_open = (np.concatenate(column) for column in zip(*found, strict=True))
    times, place = np.unique(np.concatenate([start, end]), return_inverse=True)
    joined = _monotonic(times, content.anchors, clocks)
    start_ns, end_ns = joined[place[: len(start)]], joined[place[len(start) :]]
    is_known = (start_ns != UNJOINED) & ((end_ns != UNJOINED) | is_open)
    message = f"{file}: {{count}} states cannot be joined with the events: the device's clock was set"
    lost = int(np.count_nonzero(~is_known))
    findings.add_loss("unjoined_readings", lost, message, "Do not set the device's clock while tests run.", file=file)
    end_ns = np.where(is_open, np.maximum(start_ns, run_ns[1]), end_ns)
    used = is_known & (end_ns > start_ns)
    return _Rows(name[used], value[used], start_ns[used], end_ns[used], uid[used])


def _monotonic(times_ns: I64, anchors: tuple[ClockAnchor, ...], clocks: ClockTriples) -> I64:
    """Return the monotonic times of a history's times. Times more than a minute before or after the run are moved closer."""
    at = np.array([anchor.time_ns for anchor in anchors], np.int64)
    wall_ms = np.array([anchor.wall_ms for anchor in anchors], np.int64)
    order = np.argsort(at, kind="stable")
    at, wall_ms = at[order], wall_ms[order]
    # Each anchor holds until the next one.
    held = np.maximum(np.searchsorted(at, times_ns, side="right") - 1, 0)
    low, high = int(clocks.realtime_ns.min()) // _MS_NS, int(clocks.realtime_ns.max()) // _MS_NS
    near_ms = np.clip(wall_ms[held] + (times_ns - at[held]) // _MS_NS, low - _AROUND_MS, high + _AROUND_MS)
    first = np.append(True, np.diff(near_ms) != 0)[: len(near_ms)]
    joined = clocks.from_realtime(near_ms[first] * _MS_NS)
    return np.full(len(times_ns), UNJOINED) if joined is None else joined[np.cumsum(first) - 1]
