"""The battery's history since the phone's start, in the format of `dumpsys batterystats -c` (BatteryStats.HistoryPrinter)."""

from __future__ import annotations

import time
from collections.abc import Mapping

_STATUS = {"2": "c", "3": "d", "4": "n", "5": "f"}
_PLUGS = {"AC powered": "a", "USB powered": "u", "Wireless powered": "w"}


class BatteryHistory:
    """Changes of level, status, plug, temperature and voltage, each with its time."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last: dict[str, str] = {}
        self._last_ms = 0

    def add(self, shown: Mapping[str, str]) -> None:
        """Record the present values of the battery service, by the keys of its dump."""
        now_ms = time.time_ns() // 1_000_000
        if not self._lines:
            self._lines.append(f"9,h,0:RESET:TIME:{now_ms}")
            self._last_ms = now_ms
        plugs = [short for name, short in _PLUGS.items() if shown.get(name) == "true"]
        state = {
            "Bl": shown["level"],
            "Bs": _STATUS.get(shown["status"], "?"),
            "Bp": plugs[0] if plugs else "n",
            "Bt": shown["temperature"],
            "Bv": shown["voltage"],
        }
        changed = [f",{key}={value}" for key, value in state.items() if self._last.get(key) != value]
        if changed:
            flags = ",+S" if not self._last else ""
            self._lines.append(f"9,h,{now_ms - self._last_ms}{''.join(changed)}{flags}")
            self._last, self._last_ms = state, now_ms

    def checkin(self, build: str) -> str:
        """Return the history in checkin format, with Android 14's version."""
        return "".join(f"{line}\n" for line in [f"9,0,i,vers,36,214,{build},{build}", *self._lines])
