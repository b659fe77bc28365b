"""Statistics of `--checkin`: counters of users and Android's estimates. Fields are read by position, as far as they go.

Source: AOSP's BatteryStats.dumpCheckinLocked, Android 4.4 to 16.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import parse_count, parse_number, parse_uid
from navitas.android.batterystats.statistics import Statistics, component_name

CONTROLLERS = {"gwfcd": "wifi", "gmcd": "modem", "gble": "bluetooth"}
"""The radio of each type of line."""
_LINE = re.compile(r"\d{1,2},(-?\w{1,12}),([a-z]),(\w{1,8})(?:,(.*))?", re.ASCII)
_SINCE_RESET = "l"
_GPS = "-10000"
_NOT_MEASURED = "-1"
_US = 1e-3
_UNITS = ("ms", "count")
# Names of fields in order; None: not used. A name that begins with `us:` is in microseconds.
_FIELDS: dict[str, tuple[str | None, ...]] = {
    "nt": (
        "mobile_rx_bytes", "mobile_tx_bytes", "wifi_rx_bytes", "wifi_tx_bytes", "mobile_rx_packets", "mobile_tx_packets",
        "wifi_rx_packets", "wifi_tx_packets", "us:mobile_active_ms", "mobile_active_count", "bluetooth_rx_bytes",
        "bluetooth_tx_bytes", "mobile_wakeup_count", "wifi_wakeup_count", "mobile_background_rx_bytes",
        "mobile_background_tx_bytes", "wifi_background_rx_bytes", "wifi_background_tx_bytes", "mobile_background_rx_packets",
        "mobile_background_tx_packets", "wifi_background_rx_packets", "wifi_background_tx_packets",
    ),
    "gn": (
        "mobile_rx_bytes", "mobile_tx_bytes", "wifi_rx_bytes", "wifi_tx_bytes", "mobile_rx_packets", "mobile_tx_packets",
        "wifi_rx_packets", "wifi_tx_packets", "bluetooth_rx_bytes", "bluetooth_tx_bytes",
    ),
    "wfl": (
        "us:wifi_full_lock_ms", "us:wifi_scan_ms", "us:wifi_running_ms", "wifi_scan_count", None, None, None,
        "wifi_scan_background_count", "wifi_scan_actual_ms", "wifi_scan_background_ms",
    ),
    "bt": (
        None, "on_battery_ms", "on_battery_uptime_ms", "total_ms", "total_uptime_ms", None, "on_battery_screen_off_ms",
        "on_battery_screen_off_uptime_ms",
    ),
    "aud": ("audio_ms", "audio_count"),
    "vid": ("video_ms", "video_count"),
    "cam": ("camera_ms", "camera_count"),
    "fla": ("flashlight_ms", "flashlight_count"),
    "vib": ("vibrator_ms", "vibrator_count"),
    "fg": ("foreground_activity_ms", "foreground_activity_count"),
    "fgs": ("foreground_service_ms", "foreground_service_count"),
    "blem": ("ble_scan_ms", "ble_scan_count"),
    "awl": ("wake_lock_all_ms", "wake_lock_all_background_ms"),
    "cpu": ("cpu_user_ms", "cpu_system_ms"),
    "br": ("brightness_dark_ms", "brightness_dim_ms", "brightness_medium_ms", "brightness_light_ms", "brightness_bright_ms"),
    "pws": ("capacity_mah", "computed_drain_mah", "actual_drain_least_mah", "actual_drain_most_mah"),
}  # fmt: skip
_WAKE_LOCKS = {"f": "wake_lock_full", "p": "wake_lock_partial", "bp": "wake_lock_background_partial", "w": "wake_lock_window"}
_OF_DEVICE = ("gn", "br", "bt", "pws", *CONTROLLERS)
_START_CLOCK = 5
"""Field of `bt`: when the statistics were reset, in ms since 1970."""
_WITH_DURATION = 6
"""Fields of each type of wake lock since Android 8: time, letter, count, and current, longest and total duration."""


@dataclass(frozen=True, slots=True)
class ControllerCounters:
    """How long a controller was awake without a transfer, received, and sent, in ms since the statistics were reset.

    None: unreadable.
    """

    idle_ms: float | None
    rx_ms: float | None
    tx_ms: float | None


def read_controller(fields: Sequence[str]) -> ControllerCounters:
    """Read idle time, receive time, charges, then the transmit time at each power level (AOSP: dumpControllerActivityLine).

    Android 10 added a charge, that of the power rails. Charges have decimals, times do not.
    """
    has_rail = len(fields) > 3 and "." in fields[3]
    levels = [parse_count(text) for text in fields[4 if has_rail else 3 :]]
    known = [level for level in levels if level is not None]
    return ControllerCounters(
        parse_count(fields[0]) if fields else None,
        parse_count(fields[1]) if len(fields) > 1 else None,
        sum(known) if levels and len(known) == len(levels) else None,
    )


class CheckinStatistics:
    """Reads lines of `--checkin` other than the history."""

    def __init__(self, found: Statistics, counts: LineCounts, new_dump: Callable[[int], None]) -> None:
        self._found = found
        self._counts = counts
        self._new_dump = new_dump

    def read(self, line: bytes) -> bool:
        """Read a line. Return False if it is not a line of `--checkin`."""
        match = _LINE.fullmatch(line.decode("utf-8", "replace"))
        if match is None:
            return False
        uid, since, kind, rest = match[1], match[2], match[3], match[4] or ""
        fields = rest.split(",")
        number = parse_uid(uid)
        if number is None:
            self._counts.refuse("unknown form of a user ID", line)
        elif since == "i":
            self._info(kind, fields, line)
        elif since != _SINCE_RESET:
            self._counts.skip(f"statistics of another period: {since}")
        else:
            self._found.is_begun = True
            self._since_reset(number, kind, fields, line)
        return True

    def _since_reset(self, number: int, kind: str, fields: list[str], line: bytes) -> None:
        if kind == "pwi":
            self._power(number, fields, line)
            return
        if kind == "bt" and len(fields) > _START_CLOCK and parse_count(fields[_START_CLOCK]):
            self._found.reset_at(fields[_START_CLOCK])
        self._counters(-1 if kind in _OF_DEVICE else number, kind, fields, line)

    def _info(self, kind: str, fields: list[str], line: bytes) -> None:
        if kind == "vers" and fields[0].isascii() and fields[0].isdigit() and len(fields[0]) < 7:
            self._new_dump(int(fields[0]))
            self._counts.accept()
        elif kind == "uid" and len(fields) == 2 and (uid := parse_uid(fields[0])) is not None:
            self._found.add_package(uid, fields[1])
            self._counts.accept()
        elif kind in ("vers", "uid"):
            self._counts.refuse(f"{kind}: unreadable fields", line)
        else:
            self._counts.skip(f"checkin type {kind}")

    def _power(self, uid: int, fields: list[str], line: bytes) -> None:
        charge = parse_number(fields[1]) if len(fields) > 1 else None
        if charge is None:
            self._counts.refuse("pwi: unreadable fields", line)
            return
        name = component_name(fields[0])
        if name in ("app", "user") or uid > 0:
            self._found.add_power("uid", uid, name, "", charge)
        else:
            self._found.add_power("device", -1, name, "", charge)
        self._counts.accept()

    def _counters(self, uid: int, kind: str, fields: list[str], line: bytes) -> None:
        if kind == "wl":
            values = list(_wake_lock(fields))
        elif kind == "sr":
            values = list(_sensor(fields))
        elif kind == "wua":
            values = [("wakeup_alarm_count", fields[0], parse_count(fields[1]) if len(fields) > 1 else None)]
        elif kind == "kwl":
            tag = fields[0].strip('"')
            values = list(_timer("kernel_wake_lock", tag, fields))
        elif kind in CONTROLLERS:
            values = list(_controller(CONTROLLERS[kind], fields))
        elif kind in _FIELDS:
            values = list(_positions(_FIELDS[kind], fields))
        else:
            self._counts.skip(f"checkin type {kind}")
            return
        for name, tag, value in values:
            if value is not None and not self._found.add_counter(uid, name, tag, value):
                self._found.repeated += 1
        if not values or any(value is None for *_, value in values):
            self._counts.refuse(f"{kind}: unreadable fields", line)
        else:
            self._counts.accept()


_Values = Iterator[tuple[str, str, float | None]]


def _positions(names: tuple[str | None, ...], fields: list[str]) -> _Values:
    for name, text in zip(names, fields, strict=False):
        if name is not None:
            value = parse_number(text) if name.endswith("_mah") else parse_count(text)
            is_us = name.startswith("us:")
            yield name.removeprefix("us:"), "", value * _US if value is not None and is_us else value


def _wake_lock(fields: list[str]) -> _Values:
    """The name, then for each type of wake lock: time, letter, count, and more in later versions.

    The time is the app's share of the time that several apps held wake locks together. The total duration (`_actual_ms`) is
    the whole time; `_NOT_MEASURED` means that the phone did not measure it.
    """
    places = [place for place in range(2, len(fields)) if fields[place] in _WAKE_LOCKS]
    for place, following in zip(places, [*places[1:], len(fields) + 1], strict=False):
        name = _WAKE_LOCKS[fields[place]]
        yield f"{name}_ms", fields[0], parse_count(fields[place - 1])
        yield f"{name}_count", fields[0], parse_count(fields[place + 1]) if place + 1 < len(fields) else None
        if following - place == _WITH_DURATION and fields[place + 4] != _NOT_MEASURED:
            yield f"{name}_actual_ms", fields[0], parse_count(fields[place + 4])


def _sensor(fields: list[str]) -> _Values:
    name = "gps" if fields[0] == _GPS else "sensor"
    tag = "" if fields[0] == _GPS else fields[0]
    yield from _timer(name, tag, fields)


def _timer(name: str, tag: str, fields: list[str]) -> _Values:
    for unit, text in zip(_UNITS, fields[1:], strict=False):
        yield f"{name}_{unit}", tag, parse_count(text)


def _controller(name: str, fields: list[str]) -> _Values:
    times = read_controller(fields)
    for way, value in (("idle", times.idle_ms), ("rx", times.rx_ms), ("tx", times.tx_ms)):
        yield f"{name}_controller_{way}_ms", "", value
