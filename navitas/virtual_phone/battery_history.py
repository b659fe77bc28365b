"""The history of batterystats: the battery's values and the components' states, as text and for checkin (HistoryPrinter)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

_STATUS = {"2": ("c", "charging"), "3": ("d", "discharging"), "4": ("n", "not-charging"), "5": ("f", "full")}
_PLUGS = {"AC powered": ("a", "ac"), "USB powered": ("u", "usb"), "Wireless powered": ("w", "wireless")}
_NONE = ("n", "none")
_UNKNOWN = ("?", "unknown")
# From Android 14 on, lines have a date instead of an offset.
_FORMAT_2_SINCE = 34

FLAGS = {
    "screen": "S", "wifi": "W", "wifi_radio": "Wr", "mobile_radio": "Pr", "wifi_scan": "Ws", "wifi_full_lock": "Wl",
    "bluetooth": "b", "ble_scan": "bles", "gps": "g", "sensor": "s", "camera": "ca", "flashlight": "fl",
    "audio": "a", "video": "v",
}  # fmt: skip
"""The states that are on or off: names in text, and for checkin (BatteryStats.HISTORY_STATE_DESCRIPTIONS)."""
BRIGHTNESS = ("dark", "dim", "medium", "light", "bright")
"""The five bins of the screen's brightness."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One change: the parts of a line for checkin and in text. Names of wake locks are numbers in `pool`."""

    at_ms: int
    level: str
    checkin: str
    text: str


class BatteryHistory:
    """Changes since the start or the last reset."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next values are recorded in full."""
        self._start_ms = time.time_ns() // 1_000_000
        self._changes: list[_Change] = []
        self._last: dict[str, str] = {}
        self._flags: dict[str, bool] = {}
        self._pool: dict[tuple[int, str], int] = {}
        self._level = "100"

    def add(self, shown: Mapping[str, str]) -> None:
        """Record the present values of the battery service, by the keys of its dump."""
        self._level = shown["level"]
        status = _STATUS.get(shown["status"], _UNKNOWN)
        plug = next((names for key, names in _PLUGS.items() if shown.get(key) == "true"), _NONE)
        state = {
            "Bl": (self._level, ""),
            "Bs": (status[0], f"status={status[1]}"),
            "Bp": (plug[0], f"plug={plug[1]}"),
            "Bt": (shown["temperature"], f"temp={shown['temperature']}"),
            "Bv": (shown["voltage"], f"volt={shown['voltage']}"),
        }
        changed = {key: both for key, both in state.items() if self._last.get(key) != both[0]}
        self._last |= {key: both[0] for key, both in changed.items()}
        checkin, text = [f",{key}={both[0]}" for key, both in changed.items()], [both[1] for both in changed.values()]
        is_plugged = plug != _NONE
        if self._flags.get("plugged", False) != is_plugged:
            self._flags["plugged"] = is_plugged
            checkin.append(f",{_sign(is_plugged)}BP")
            text.append(f"{_sign(is_plugged)}plugged")
        self._record(checkin, text)

    def states(self, flags: Mapping[str, bool], brightness: int) -> None:
        """Record the present states, by the keys of `FLAGS`, and the bin of the brightness."""
        changed = {name: on for name, on in flags.items() if self._flags.get(name, False) != on}
        self._flags |= changed
        checkin = [f",{_sign(on)}{FLAGS[name]}" for name, on in changed.items()]
        text = [f"{_sign(on)}{name}" for name, on in changed.items()]
        if self._last.get("Sb") != str(brightness):
            self._last["Sb"] = str(brightness)
            checkin.append(f",Sb={brightness}")
            text.append(f"brightness={BRIGHTNESS[brightness]}")
        self._record(checkin, text)

    def wake_lock(self, uid: int, tag: str, held: bool) -> None:
        """Record that an app acquires or releases a wake lock."""
        number = self._pool.setdefault((uid, tag), len(self._pool))
        self._record([f",{_sign(held)}w={number}"], [f'{_sign(held)}wake_lock={uid_name(uid)}:"{tag}"'])

    def checkin(self) -> str:
        """Return the history in the format for checkin, without the version line."""
        lines = [f"9,h,0:RESET:TIME:{self._start_ms}\n"]
        before_ms = self._start_ms
        for change in self._changes:
            lines.append(f"9,h,{change.at_ms - before_ms}{change.checkin}\n")
            before_ms = change.at_ms
        return self._names() + "".join(lines)

    def checkin_from(self, start_ms: int) -> str:
        """Return the changes from a time of the history's clock on, which is 0 at its start, and where it continues.

        The first line has the wall clock, and the first change all states (BatteryStats.dumpHistoryLocked).
        """
        now: dict[str, str] = {}
        lines: list[str] = []
        before_ms = self._start_ms
        for change in self._changes:
            _apply(change.checkin, now)
            if change.at_ms - self._start_ms < start_ms:
                continue
            if lines:
                lines.append(f"9,h,{change.at_ms - before_ms}{change.checkin}\n")
            else:
                lines.append(f"9,h,{change.at_ms - self._start_ms}:TIME:{change.at_ms}\n")
                lines.append("9,h,0" + "".join(f",{item}" for item in now.values()) + "\n")
            before_ms = change.at_ms
        end_ms = (self._changes[-1].at_ms if self._changes else self._start_ms) - self._start_ms
        return self._names() + "".join(lines) + f"NEXT: {end_ms + 1}\n"

    def _names(self) -> str:
        escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
        return "".join(f'9,hsp,{number},{uid},"{tag.translate(escapes)}"\n' for (uid, tag), number in self._pool.items())

    def text(self, sdk: int) -> str:
        """Return the history as text, in the format of a release."""
        size = sum(len(change.text) for change in self._changes)
        is_dated = sdk >= _FORMAT_2_SINCE
        title = "Battery History [Format: 2]" if is_dated else "Battery History"
        lines = [f"{title} (0% used, {size >> 10}KB used of 4096KB, {len(self._pool)} strings using {len(self._pool)}):"]
        start = time.strftime("RESET:TIME: %Y-%m-%d-%H-%M-%S", time.gmtime(self._start_ms / 1000))
        lines.append(f"{self._when(self._start_ms, is_dated)}{'' if is_dated else ' (9)'} {start}")
        for change in self._changes:
            when = self._when(change.at_ms, is_dated)
            lines.append(f"{when}{'' if is_dated else ' (2)'} {change.level:0>3} {change.text}".rstrip())
        return "\n".join(lines) + "\n"

    def _when(self, at_ms: int, is_dated: bool) -> str:
        if is_dated:
            return f"  {time.strftime('%m-%d %H:%M:%S', time.gmtime(at_ms / 1000))}.{at_ms % 1000:03d}"
        delay_ms = at_ms - self._start_ms
        return f"{'+' + duration(delay_ms) if delay_ms else '0':>21}"

    def _record(self, checkin: list[str], text: list[str]) -> None:
        if checkin:
            at_ms = max(time.time_ns() // 1_000_000, self._changes[-1].at_ms if self._changes else self._start_ms)
            self._changes.append(_Change(at_ms, self._level, "".join(checkin), " ".join(filter(None, text))))


def duration(ms: int) -> str:
    """Format a duration as TimeUtils.formatDuration does, without spaces: 1h02m03s004ms."""
    seconds, rest = divmod(ms, 1000)
    if not seconds:
        return f"{rest}ms"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02d}m{seconds:02d}s{rest:03d}ms"
    return f"{minutes}m{seconds:02d}s{rest:03d}ms" if minutes else f"{seconds}s{rest:03d}ms"


def uid_name(uid: int) -> str:
    """Format a uid as UserHandle.formatUid does."""
    user, app = divmod(uid, 100_000)
    return f"u{user}a{app - 10_000}" if app >= 10_000 else str(app)


def _apply(items: str, now: dict[str, str]) -> None:
    """Change the present states, by key, as the items of a line do."""
    for item in filter(None, items.split(",")):
        sign = item[0] if item[0] in "+-" else ""
        key = item.lstrip("+-") if sign else item.partition("=")[0]
        now.pop(key, None)
        if sign != "-":
            now[key] = item


def _sign(on: bool) -> str:
    return "+" if on else "-"
