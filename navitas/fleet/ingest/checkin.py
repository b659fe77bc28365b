"""Histories of `dumpsys batterystats -c` and `--checkin` → a sample at each change of the level or the battery's state."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from navitas.android.batterystats.history_line import CLEARED, HISTORY_BEGIN, HISTORY_LINE, ITEM, POOL_NAME
from navitas.base.line_blocks import LineBlock, Refusal
from navitas.fleet.ingest.raw import Reader, RowBatch, Unreadable, batch_of

_MOST_PACKAGES = 1000
"""Most packages in a sample's counters."""
_PACKAGE = re.compile(r"(?:@[^@]*@)?([A-Za-z]\w*(?:\.\w+)+)(?=[:/]|$)", re.ASCII)
# An app runs from the begin of its process, activity or job to its end. Syncs are left out: they name accounts, not packages.
_RUNNING = ("Epr", "Efg", "Etp", "Ejb")
_TOP, _PROCESS = "Etp", "Epr"
_STATES = {"c": "charging", "d": "discharging", "n": "not charging", "f": "full"}
_NO_MOBILE = ("none", "oos", "other")
_OFF = {"SHUTDOWN", "START"}
_MOST_NAMES = 200_000
_MOST_RUNNING = 5_000


@dataclass(slots=True)
class PackageTimes:
    """How long each package was in a state, which several of its parts may have at once. Times are in ms."""

    known: bool = False
    total_ms: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    since_ms: dict[str, int] = field(default_factory=dict)

    def begin(self, package: str, now_ms: int) -> None:
        """A part of the package enters the state."""
        self.parts[package] += 1
        self.since_ms.setdefault(package, now_ms)

    def end(self, package: str, now_ms: int) -> None:
        """A part of the package leaves the state."""
        self.parts[package] -= 1
        if self.parts[package] <= 0:
            del self.parts[package]
            self.total_ms[package] += now_ms - self.since_ms.pop(package, now_ms)

    def at(self, now_ms: int) -> list[str] | None:
        """`package=seconds` up to a time, the longest ones; None if the history never reported the state."""
        if not self.known:
            return None
        total = self.total_ms + Counter({package: now_ms - since for package, since in self.since_ms.items()})
        return [f"{package}={ms / 1000:.3f}" for package, ms in total.most_common(_MOST_PACKAGES)]


@dataclass(slots=True)
class StateCounters:
    """Times in ms since the history was cleared."""

    screen_ms: int = 0
    network_ms: Counter[str] = field(default_factory=Counter)
    running: PackageTimes = field(default_factory=PackageTimes)
    foreground: PackageTimes = field(default_factory=PackageTimes)

    def pass_time(self, passed_ms: int, *, screen: bool | None, network: str | None) -> None:
        """Count time in the current states."""
        self.screen_ms += passed_ms * bool(screen)
        if network is not None:
            self.network_ms[network] += passed_ms

    def columns(self, now_ms: int, *, screen: bool | None) -> dict[str, object]:
        """Columns of a sample. Unknown ones are None."""
        return {
            "screen_on_s": None if screen is None else self.screen_ms / 1000,
            "mobile_s": self.network_ms["mobile"] / 1000 if self.network_ms else None,
            "wifi_s": self.network_ms["wifi"] / 1000 if self.network_ms else None,
            "foreground_s": self.foreground.at(now_ms),
            "running_s": self.running.at(now_ms),
        }


@dataclass(slots=True)
class _Phone:
    """The phone's state since the history was last cleared. `screen` is None before the first line that reports it.

    `is_sampled` is false before the first sample. That one has no counters: they would continue those before the history was
    cleared.
    """

    values: dict[str, str] = field(default_factory=dict)
    screen: bool | None = None
    running: dict[tuple[str, str], str] = field(default_factory=dict)
    top: str = ""
    saver: bool | None = None
    counters: StateCounters = field(default_factory=StateCounters)
    is_sampled: bool = False

    def network(self) -> str | None:
        if self.values.get("Wsp") == "compl":
            return "wifi"
        mobile = self.values.get("Pcn")
        return None if mobile is None else "none" if mobile == "none" else None if mobile in _NO_MOBILE else "mobile"


class CheckinReader(Reader):
    """Reads a file's blocks in order. `client` is the name of the phone."""

    def __init__(self, client: str) -> None:
        self._client = client
        self._names: dict[str, str] = {}
        self._phone = _Phone()
        self._clock_ms: int | None = None
        self._elapsed_ms = 0
        self._boot_ms: int | None = None
        self._waiting: tuple[int, bytes, dict[str, object]] | None = None
        self._sampled_s = 0
        self._ignored: Counter[str] = Counter()

    def read(self, block: LineBlock) -> RowBatch:
        """The samples that are complete after these lines."""
        rows: list[tuple[int, bytes, dict[str, object]]] = []
        refused = list(block.refused)
        for number, line in zip(block.numbers, block.lines, strict=True):
            try:
                if name := POOL_NAME.fullmatch(line):
                    if len(self._names) < _MOST_NAMES:
                        self._names[name[1].decode()] = name[3].decode("utf-8", "replace")
                elif HISTORY_BEGIN.match(line):
                    self._line(number, line, rows)
            except Unreadable as error:
                refused.append(Refusal(number, str(error), line))
        return self._batch(rows, refused)

    def end(self) -> RowBatch:
        """The last sample, which is complete at the end of the file."""
        return self._batch([self._waiting] if self._waiting else [], [])

    def _batch(self, rows: list[tuple[int, bytes, dict[str, object]]], refused: list[Refusal]) -> RowBatch:
        batch = batch_of(list(rows), refused)
        batch.ignored.update(self._ignored)
        self._ignored.clear()
        return batch

    def _line(self, number: int, line: bytes, rows: list[tuple[int, bytes, dict[str, object]]]) -> None:
        head = HISTORY_LINE.fullmatch(line)
        if head is None:
            raise Unreadable("is not a line of a history")
        self._phone.counters.pass_time(int(head[1]), screen=self._phone.screen, network=self._phone.network())
        self._elapsed_ms += int(head[1])
        if self._clock_ms is not None:
            self._clock_ms += int(head[1])
        self._complete(rows)
        words = head[2].decode().split(":")
        if any(word in words for word in CLEARED):
            self._complete(rows, cleared=True)
            if _OFF.intersection(words) and "Bl" in self._phone.values and self._clock_ms is not None:
                # The uptime before the history's first start is unknown. With this sample, the time off is in no pair of samples.
                off = {"time": max(self._clock_ms // 1000, self._sampled_s + 1), "level": self._phone.values["Bl"], "apps": []}
                rows.append((number, line, {"client": self._client, **off}))
            self._phone = _Phone(screen=False)
        if "START" in words:
            self._boot_ms = self._elapsed_ms
        if "TIME" in words and head[3]:
            self._clock_ms = int(head[3])
            self._complete(rows)
        before = self._battery()
        for item in (head[4] or b"").decode("utf-8", "replace").split(","):
            self._item(item)
        if self._battery() != before and "Bl" in self._phone.values:
            if self._clock_ms is None:
                raise Unreadable("time: the history has not reported it yet")
            self._waiting = (number, line, {"time": self._clock_ms // 1000})
        if self._waiting:
            self._waiting[2].update(self._sample())

    def _complete(self, rows: list[tuple[int, bytes, dict[str, object]]], *, cleared: bool = False) -> None:
        """Add the waiting sample to `rows` if its second is over, or if the history is cleared."""
        now_s = None if self._clock_ms is None else self._clock_ms // 1000
        if self._waiting and (cleared or self._waiting[2]["time"] != now_s):
            rows.append(self._waiting)
            self._sampled_s = int(str(self._waiting[2]["time"]))
            self._waiting = None
            self._phone.is_sampled = True

    def _battery(self) -> tuple[str | None, str | None]:
        return self._phone.values.get("Bl"), self._phone.values.get("Bs")

    def _item(self, item: str) -> None:
        found = ITEM.fullmatch(item)
        if found is None:
            return
        sign, key, value = found.groups()
        phone = self._phone
        if key in _RUNNING and value is not None:
            self._event(sign, key, value)
        elif key == "S" and sign:
            phone.screen = sign == "+"
        elif key == "ps" and sign:
            phone.saver = sign == "+"
        elif key in ("Bl", "Bs", "Bt", "Bv", "Wsp", "Pcn", "Sb") and value is not None and not sign:
            phone.values[key] = value

    def _event(self, sign: str, key: str, value: str) -> None:
        phone = self._phone
        package = _PACKAGE.match(self._names.get(value, ""))
        if sign == "-":
            self._ended(key, value)
            if key == _TOP and package and phone.top == package[1]:
                phone.top = ""
        elif value not in self._names:
            self._ignored["apps: a number without a name"] += 1
        elif package and len(phone.running) < _MOST_RUNNING:
            self._ended(key, value)
            phone.running[key, value] = package[1]
            for times in self._times(key):
                times.begin(package[1], self._elapsed_ms)
            if key == _TOP:
                phone.top = package[1]

    def _ended(self, key: str, value: str) -> None:
        """End an app's process, activity or job, if it was running."""
        package = self._phone.running.pop((key, value), None)
        if package is not None:
            for times in self._times(key):
                times.end(package, self._elapsed_ms)

    def _times(self, key: str) -> list[PackageTimes]:
        """The counters that an event of this kind changes. Jobs alone do not show how long an app runs."""
        counters = self._phone.counters
        counters.running.known |= key == _PROCESS
        counters.foreground.known |= key == _TOP
        return [counters.running, counters.foreground] if key == _TOP else [counters.running]

    def _sample(self) -> dict[str, object]:
        values, phone = self._phone.values, self._phone
        uptime = None if self._boot_ms is None else (self._elapsed_ms - self._boot_ms) // 1000
        return {
            "client": self._client,
            "level": values.get("Bl"),
            "state": _STATES.get(values.get("Bs", ""), "unknown"),
            "voltage_mv": values.get("Bv"),
            "temperature_c": _tenth(values.get("Bt")),
            "screen": self._phone.screen,
            "network": self._phone.network(),
            "uptime_s": uptime,
            "apps": sorted(set(self._phone.running.values())),
            "foreground": self._phone.top or None,
            "brightness": _brightness(values.get("Sb")),
            "saver": phone.saver,
            **(phone.counters.columns(self._elapsed_ms, screen=phone.screen) if phone.is_sampled else {}),
        }


def _brightness(text: str | None) -> float | None:
    """The middle of a brightness class (0 to 4; AOSP's BatteryStats.SCREEN_BRIGHTNESS_NAMES)."""
    return (int(text) + 0.5) / 5 if text in {"0", "1", "2", "3", "4"} else None


def _tenth(text: str | None) -> float | None:
    """Convert tenths of a degree to degrees."""
    return int(text) / 10 if text and re.fullmatch(r"-?\d{1,5}", text, re.ASCII) else None
