"""The device's states during a run, from `batterystats.txt`: the phone's settings, then the history of batterystats.

The history has wall-clock times. The run's clock triples convert them to monotonic time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from navitas.android.batterystats.keys import BATTERY_WORDS, STATE_NAMES, VALUE_NAMES
from navitas.android.batterystats.tables import StateIntervals
from navitas.base.line_blocks import LineBlock, LineSequence
from navitas.power.components.screen_power import brightness_bin
from navitas.recording.manifest import Run
from navitas.recording.parse.arrays import I64, Bool, ColumnTable
from navitas.recording.parse.clock_triples import UNJOINED, ClockTriples
from navitas.recording.parse.device_states import (
    EVENT_STATES,
    NO_UID,
    DeviceStates,
    NotedEvents,
    RadioTimes,
    app_events,
    history_events,
    radio_times,
)
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.states_near_run import MOST_STATES, OPEN_NS, HistoryClock, StatesNearRun
from navitas.recording.store import Recording

_NAMES = {
    "screen": "screen", "screen_doze": "screen_doze", "brightness": "brightness", "top": "top", "wifi": "wifi",
    "mobile_radio": "mobile_radio", "wifi_radio": "wifi_radio", "wifi_scan": "wifi_scan", "gps": "gnss",
    "gps_signal_quality": "gnss_quality", "camera": "camera", "flashlight": "flashlight", "audio": "audio", "video": "video",
    "ble_scan": "bluetooth_scan", "wake_lock": "wake_lock",
}  # fmt: skip
"""States of batterystats that attribution uses, and their names there."""
_USED = tuple(dict.fromkeys(_NAMES.values()))
_NOT_USED = -1
_BRIGHTNESS_STATE = _USED.index("brightness")
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
    """The content of the file: the words of its head, and the states near the run by the history's clock.

    `seen` is whether the history has each state of `STATE_NAMES`.
    """

    head: dict[str, list[str]]
    states: StateIntervals
    clock: HistoryClock
    seen: Bool
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class StateHistory:
    """What batterystats says of a run. `states` is None if they were not recorded, `events` also if the app's uid is unknown."""

    states: DeviceStates | None = None
    radio_times: tuple[RadioTimes, ...] = ()
    events: NotedEvents | None = None


def read_state_history(
    recording: Recording, run: Run, clocks: ClockTriples, findings: Findings, *, run_ns: tuple[int, int]
) -> StateHistory:
    """Return the device's states and the radios' times in a run. What is missing goes to `findings`.

    Raises `RecordingError` if the file cannot be read.
    """
    paths = recording.files("batterystats", run.id)
    if not paths:
        return StateHistory()
    content = _read(paths[0], clocks, findings)
    states = _states(content, clocks, paths[0].name, findings, run_ns)
    return StateHistory(states, radio_times(content.head), _events(content, clocks, run_ns))


def _states(
    content: _Content, clocks: ClockTriples, file: str, findings: Findings, run_ns: tuple[int, int]
) -> DeviceStates | None:
    app_uid = uid_of(content.head)
    rows = _rows(content, clocks, file, findings, run_ns)
    brightness = _set_brightness(content.head)
    if brightness is not None and not (rows.name == _BRIGHTNESS_STATE).any():
        rows = rows.with_row(_BRIGHTNESS_STATE, brightness, run_ns)
    if not content.clock and not len(rows.name):
        return None
    used, state = np.unique(rows.name, return_inverse=True)
    names = tuple(_USED[name] for name in used.tolist())
    return DeviceStates(names, state.astype(np.int32), rows.value, rows.start_ns, rows.end_ns, rows.uid, app_uid)


def _events(content: _Content, clocks: ClockTriples, run_ns: tuple[int, int]) -> NotedEvents | None:
    uid = uid_of(content.head)
    if uid == NO_UID or not content.clock or not len(clocks.monotonic_ns):
        return None
    found = app_events(content.states, uid)
    t_ns = _monotonic(found.start_ns, content.clock, clocks)
    return history_events(found, STATE_NAMES, content.tags, t_ns, run_ns, seen=content.seen.tolist())


@dataclass(frozen=True, slots=True)
class _Rows(ColumnTable):
    """Intervals with monotonic times. `name` is a position in `_USED`."""

    name: I64
    value: I64
    start_ns: I64
    end_ns: I64
    uid: I64

    def with_row(self, name: int, value: int, span_ns: tuple[int, int]) -> _Rows:
        return _Rows.joined([self, _Rows(*(np.array([number]) for number in (name, value, *span_ns, NO_UID)))])


_NO_ROWS = _Rows(*(np.empty(0, np.int64) for _ in range(5)))


def _read(path: Path, clocks: ClockTriples, findings: Findings) -> _Content:
    from navitas.android.batterystats.reader import BatteryStatsReader  # noqa: PLC0415

    head: dict[str, list[str]] = {}
    reader = BatteryStatsReader()
    near = StatesNearRun([*_NAMES, _EACH_LOCK], _span_ms(clocks), EVENT_STATES)
    is_paused = False
    for block in without_head(path, head):
        for states, battery in reader.read(block):
            near.add(states, reader.anchors)
            if len(battery):
                is_paused = bool(battery.status[-1] == _FULL and battery.plug[-1] > _UNPLUGGED)
    states = near.end(reader.end(), reader.anchors)
    reasons = reader.lines.reasons.most_common(_REASONS)
    named = ", ".join(f"{reason} ({reader.lines.examples.get(reason, '')[:80]!r})" for reason, _ in reasons)
    message = f"{path.name}: {{count}} lines are not understood: {named}"
    findings.add_loss("batterystats_lines", reader.lines.listed, message, "The other lines are used.", file=path.name)
    message = f"{path.name}: {{count}} intervals of states are left out: at most {MOST_STATES:,} near a run are used"
    findings.add_loss("state_intervals", near.dropped, message, "The file is damaged: record again.", file=path.name)
    if not near.clock:
        findings.warn("device_states", f"{path.name} contains no history with wall-clock times", _REMEDY)
    elif is_paused:
        message = "the phone was plugged in and fully charged: Android then records no states"
        findings.warn("device_states", message, "Discharge the phone a little, or use a hub that switches power.")
    if near.clock and near.seen.any() and not len(clocks.monotonic_ns):
        message = f"{path.name} cannot be joined with the events: no clock triples were recorded"
        findings.warn("no_clocks", message, _REMEDY)
    return _Content(head, states, near.clock, near.seen, reader.tags)


def without_head(path: Path, head: dict[str, list[str]]) -> Iterator[LineBlock]:
    """Yield the lines of a run's dump. The lines before them, which Navitas wrote, go to `head`."""
    from navitas.android.batterystats.reader import line_blocks  # noqa: PLC0415

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


def uid_of(head: dict[str, list[str]]) -> int:
    """Return the app's uid in the head of a run's dump; `NO_UID` if it is unknown."""
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
    states = content.states
    if not content.clock or not len(states) or not len(clocks.monotonic_ns):
        return _NO_ROWS
    has_each_lock = bool(content.seen[STATE_NAMES.index(_EACH_LOCK)])
    names = {**_NAMES, **({_EACH_LOCK: "wake_lock", "wake_lock": ""} if has_each_lock else {})}
    place = {name: number for number, name in enumerate(_USED)}
    wanted = np.array([place.get(names.get(name, ""), _NOT_USED) for name in STATE_NAMES], np.int64)
    name = wanted[states.state]
    kept = (name != _NOT_USED) & ~((name == place["gnss_quality"]) & (states.value == _NO_QUALITY))
    name, states = name[kept], states.rows(kept)
    is_open = states.end_ns == OPEN_NS
    times, at = np.unique(np.concatenate([states.start_ns, states.end_ns[~is_open]]), return_inverse=True)
    joined = _monotonic(times, content.clock, clocks)
    start_ns, end_ns = joined[at[: len(name)]], np.full(len(name), run_ns[1])
    end_ns[~is_open] = joined[at[len(name) :]]
    is_known = (start_ns != UNJOINED) & (end_ns != UNJOINED)
    message = f"{file}: {{count}} states cannot be joined with the events: the device's clock was set"
    lost = int(np.count_nonzero(~is_known))
    findings.add_loss("unjoined_readings", lost, message, "Do not set the device's clock while tests run.", file=file)
    used = is_known & (end_ns > start_ns)
    uid = np.where(states.uid < 0, NO_UID, states.uid).astype(np.int64)
    return _Rows(name, states.value.astype(np.int64), start_ns, end_ns, uid).chosen(used)


def _span_ms(clocks: ClockTriples) -> tuple[int, int]:
    """Return the wall clock a minute before and after the run; an empty span if it is unknown."""
    if not len(clocks.realtime_ns):
        return 0, 0
    low, high = int(clocks.realtime_ns.min()) // _MS_NS, int(clocks.realtime_ns.max()) // _MS_NS
    return low - _AROUND_MS, high + _AROUND_MS


def _monotonic(times_ns: I64, clock: HistoryClock, clocks: ClockTriples) -> I64:
    """Return the monotonic times of a history's times. Times more than a minute before or after the run are moved closer."""
    near_ms = np.clip(clock.wall_ms(times_ns), *_span_ms(clocks))
    first = np.append(True, np.diff(near_ms) != 0)[: len(near_ms)]
    joined = clocks.from_realtime(near_ms[first] * _MS_NS)
    return np.full(len(times_ns), UNJOINED) if joined is None else joined[np.cumsum(first) - 1]
