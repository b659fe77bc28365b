"""Statistics of `--checkin`: counters of users. Fields are read by position, as far as they go.

Source: AOSP's BatteryStats.dumpCheckinLocked, Android 4.4 to 16.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import parse_count, parse_uid
from navitas.android.batterystats.statistics import ANY_USE, Statistics

_LINE = re.compile(r"\d{1,2},(-?\w{1,12}),([a-z]),(\w{1,8})(?:,(.*))?", re.ASCII)
_SINCE_RESET = "l"
_NOT_MEASURED = "-1"
# Names of fields in order; None: not used.
_FIELDS: dict[str, tuple[str | None, ...]] = {
    "nt": (
        "mobile_rx_bytes", "mobile_tx_bytes", "wifi_rx_bytes", "wifi_tx_bytes", *[None] * 10, "mobile_background_rx_bytes",
        "mobile_background_tx_bytes", "wifi_background_rx_bytes", "wifi_background_tx_bytes",
    ),
    "wfl": (None, None, None, "wifi_scan_count", None, None, None, "wifi_scan_background_count"),
    "bt": (None, "on_battery_ms", None, None, None, None, "on_battery_screen_off_ms"),
    "awl": ("wake_lock_all_ms",),
}  # fmt: skip
_USES = frozenset(("wl", "wua", *_FIELDS, "aud", "vid", "cam", "fla", "vib", "fg", "fgs", "blem", "cpu", "sr", "kwl"))
"""Types of lines for users that did something."""
_WAKE_LOCKS = {"f": "", "p": "wake_lock_partial", "bp": "wake_lock_background_partial", "w": ""}
"""Names by letter; empty: not used."""
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
        if kind == "bt" and len(fields) > _START_CLOCK and parse_count(fields[_START_CLOCK]):
            self._found.reset_at(fields[_START_CLOCK])
        self._counters(-1 if kind == "bt" else number, kind, fields, line)

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

    def _counters(self, uid: int, kind: str, fields: list[str], line: bytes) -> None:
        if uid >= 0 and kind in _USES:
            self._found.add_counter(uid, ANY_USE, "", 1)
        if kind == "wl":
            values = list(_wake_lock(fields))
        elif kind == "wua":
            values = [("wakeup_alarm_count", fields[0], parse_count(fields[1]) if len(fields) > 1 else None)]
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
    return ((name, "", parse_count(text)) for name, text in zip(names, fields, strict=False) if name is not None)


def _wake_lock(fields: list[str]) -> _Values:
    """The name, then for each type of wake lock: time, letter, count, and more in later versions.

    The time is the app's share of the time that several apps held wake locks together. The total duration (`_actual_ms`) is
    the whole time; `_NOT_MEASURED` means that the phone did not measure it.
    """
    places = [place for place in range(2, len(fields)) if fields[place] in _WAKE_LOCKS]
    for place, following in zip(places, [*places[1:], len(fields) + 1], strict=False):
        name = _WAKE_LOCKS[fields[place]]
        if not name:
            continue
        yield f"{name}_ms", fields[0], parse_count(fields[place - 1])
        yield f"{name}_count", fields[0], parse_count(fields[place + 1]) if place + 1 < len(fields) else None
        if following - place == _WITH_DURATION and fields[place + 4] != _NOT_MEASURED:
            yield f"{name}_actual_ms", fields[0], parse_count(fields[place + 4])
