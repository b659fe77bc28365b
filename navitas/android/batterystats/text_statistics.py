"""Statistics of a text dump: counters of users. Android rounds them for reading; `--checkin` has exact ones."""

from __future__ import annotations

import re
from collections.abc import Callable

from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import is_app, parse_bytes, parse_duration_ms, parse_uid
from navitas.android.batterystats.statistics import ANY_USE, Statistics

_USER = re.compile(r"  (u\d{1,4}(?:ai|a|i|s)\d{1,5}|\d{1,10}):\s*")
_TITLE = re.compile(r"(?:  )?(?=\S)[^=]{1,200}:\s*|On.battery [^=]{1,200} stats \(microcoulombs\)\s*")
_SUMMARY = re.compile(r"[A-Za-z][^:=]{1,200}: ?\S.*|, SubsystemPowerState .*")
_SIZE = r"\d[\d.,]* ?[KMGTP]?B"
_TIME = r"(?:\d{1,9}(?:d|h|ms|m|s) ?){1,5}"
"""Bounded, so that the time of a search is proportional to the length of the line."""
_NETWORK = re.compile(rf"(Mobile|Wi-?[Ff]i) network: ({_SIZE}) received, ({_SIZE}) sent.*")
_HELD = rf"({_TIME}) ?(full|partial|window|background partial|draw) \((\d{{1,10}}) times\)"
_WAKE_LOCK = re.compile(rf"Wake lock (.*?):? ({_HELD}.*)")
_PART = re.compile(rf"{_HELD}(?: max=\d{{1,15}})?(?: actual=(\d{{1,15}}))?")
_ALL_LOCKS = re.compile(r"TOTAL wake: (.*)")
_ALL_PART = re.compile(rf"({_TIME}) ?actual (background )?partial")
_ALARM = re.compile(r"Wakeup alarm (.*): (\d{1,15}) times")
_PACKAGE = re.compile(r"Apk (\S{1,255}):")
_SYSTEM = "android"
_SCAN = re.compile(
    rf"(Background )?Wi-?[Ff]i Scan(?! \(actual\))[^:]{{0,40}}: {_TIME}.*?(?: (\d{{1,10}})x|\((\d{{1,10}}) times\)).*"
)
_ON_BATTERY = re.compile(rf" {{0,4}}Time on battery( screen off)?: ({_TIME})\D.*")
_START_CLOCK = re.compile(r" {0,4}Start clock time: ([\d-]{1,30})\s*")
_PERIOD = re.compile(r"Statistics since (.{1,100}):")
_CHARGE = "last charge"
_OTHER_USES = re.compile(
    r"(?:Sensor|Audio|Video|Camera|Flashlight|Vibrator|Foreground activities|Foreground services|Mobile radio active"
    r"|Wifi Running|Wi-?[Ff]i Scan|Full Wi-?[Ff]i Lock|Bluetooth)[^:]{0,40}: \d"
)
_WAKE_LOCKS = {"background partial": "background_partial"}


class TextStatistics:
    """Reads lines of a text dump other than the history."""

    def __init__(self, found: Statistics, counts: LineCounts) -> None:
        self._found = found
        self._counts = counts
        self._uid: int | None = None
        self._section = ""
        self._period = _CHARGE
        self._readers: tuple[tuple[re.Pattern[str], Callable[[int, re.Match[str]], bool]], ...] = (
            (_NETWORK, self._network),
            (_WAKE_LOCK, self._wake_lock),
            (_ALL_LOCKS, self._all_locks),
            (_ALARM, self._alarm),
            (_PACKAGE, self._package),
            (_SCAN, self._scan),
        )

    def read(self, line: bytes) -> None:
        """Read a line. A line of no known section is listed."""
        text = line.decode("utf-8", "replace")
        if (period := _PERIOD.fullmatch(text)) is not None:
            self._begin(period[1])
        elif self._period != _CHARGE:
            self._counts.skip(f"statistics of another period: {self._period[:40]}")
        elif (user := _USER.fullmatch(text)) is not None:
            self._uid, self._section = parse_uid(user[1]), "statistics of a user"
            self._counts.accept()
        elif (time := _ON_BATTERY.fullmatch(text)) is not None:
            self._on_battery(time, line)
        elif (clock := _START_CLOCK.fullmatch(text)) is not None:
            self._found.reset_at(clock[1])
            self._counts.accept()
        elif self._uid is not None and text.startswith("    "):
            self._of_user(self._uid, text.strip(), line)
        elif _TITLE.fullmatch(text):
            self._uid, self._section = None, text.strip().rstrip(":")[:40]
            self._counts.skip("titles")
        elif (self._section and text[:1].isspace()) or _SUMMARY.fullmatch(text):
            self._counts.skip("text statistics that are not used")
        else:
            self._counts.refuse("is not a line of batterystats", line)

    def _begin(self, period: str) -> None:
        """Begin the statistics of a period. Up to Android 9, those since the last charge are followed by others."""
        self._uid, self._section, self._period = None, period[:40], period
        if period == _CHARGE:
            self._found.is_begun = True
            self._found.begin_dump()
        self._counts.skip("titles")

    def _on_battery(self, found: re.Match[str], line: bytes) -> None:
        duration_ms = parse_duration_ms(found[2])
        if duration_ms is None:
            self._counts.refuse("Time on battery: unreadable fields", line)
            return
        self._found.add_counter(-1, "on_battery_screen_off_ms" if found[1] else "on_battery_ms", "", duration_ms)
        self._counts.accept()

    def _of_user(self, uid: int, text: str, line: bytes) -> None:
        for pattern, reader in self._readers:
            found = pattern.fullmatch(text)
            if found is not None:
                if reader(uid, found):
                    self._counts.accept()
                else:
                    self._counts.refuse(f"{text.partition(' ')[0][:40]}: unreadable fields", line)
                return
        if _OTHER_USES.match(text):
            self._found.add_counter(uid, ANY_USE, "", 1)
        self._counts.skip("text statistics that are not used")

    def _network(self, uid: int, found: re.Match[str]) -> bool:
        name = "mobile" if found[1] == "Mobile" else "wifi"
        values = [("rx_bytes", parse_bytes(found[2])), ("tx_bytes", parse_bytes(found[3]))]
        for unit, value in values:
            if value is not None:
                self._found.add_counter(uid, f"{name}_{unit}", "", value)
        return all(value is not None for _, value in values)

    def _wake_lock(self, uid: int, found: re.Match[str]) -> bool:
        for text, kind, times, actual_ms in _PART.findall(found[2]):
            duration_ms = parse_duration_ms(text)
            if duration_ms is None:
                return False
            name = f"wake_lock_{_WAKE_LOCKS.get(kind, kind)}"
            self._found.add_counter(uid, f"{name}_ms", found[1], duration_ms)
            self._found.add_counter(uid, f"{name}_count", found[1], float(times))
            # Android prints the total duration only if it is longer.
            self._found.add_counter(uid, f"{name}_actual_ms", found[1], float(actual_ms or duration_ms))
        return True

    def _all_locks(self, uid: int, found: re.Match[str]) -> bool:
        for text, is_background in _ALL_PART.findall(found[1]):
            duration_ms = parse_duration_ms(text)
            if duration_ms is None:
                return False
            if not is_background:
                self._found.add_counter(uid, "wake_lock_all_ms", "", duration_ms)
        return True

    def _alarm(self, uid: int, found: re.Match[str]) -> bool:
        self._found.add_counter(uid, "wakeup_alarm_count", found[1], float(found[2]))
        return True

    def _package(self, uid: int, found: re.Match[str]) -> bool:
        # Below an app is also what the system does for it.
        if found[1] != _SYSTEM or not is_app(uid):
            self._found.add_package(uid, found[1])
        return True

    def _scan(self, uid: int, found: re.Match[str]) -> bool:
        name = "wifi_scan_background_count" if found[1] else "wifi_scan_count"
        self._found.add_counter(uid, name, "", float(found[2] or found[3]))
        return True
