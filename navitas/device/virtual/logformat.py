"""How `logcat` prints entries (AOSP liblog, logprint.cpp)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from navitas.device.virtual.identity import FIRST_APP_UID, user_name
from navitas.device.virtual.logd import Entry

STYLES = ("brief", "long", "process", "raw", "tag", "thread", "threadtime", "time")
MODIFIERS = ("color", "descriptive", "epoch", "monotonic", "nsec", "printable", "uid", "usec", "UTC", "year", "zone")

PRIORITIES = "..VDIWEFS"
"""Letter of each priority."""
_COLORS = {"V": 231, "D": 75, "I": 40, "W": 166, "E": 196, "F": 196}


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A style and its modifiers; `boot_realtime_ns` turns wall time into time since boot."""

    style: str = "threadtime"
    modifiers: frozenset[str] = frozenset()
    boot_realtime_ns: int = 0

    def render(self, entry: Entry) -> str:
        """An entry as text: one line for each line of its message, each with the whole prefix (`long` has one header)."""
        prefix, suffix = self._frame(entry)
        message = entry.message.removesuffix("\n")
        if self.style == "long":
            text = f"{prefix}{message}{suffix}"
        else:
            text = "".join(f"{prefix}{line}{suffix}" for line in message.split("\n"))
        if "color" in self.modifiers:
            return f"\x1b[38;5;{_COLORS.get(PRIORITIES[entry.priority], 231)}m{text}\x1b[0m"
        return text

    def _frame(self, entry: Entry) -> tuple[str, str]:
        level = PRIORITIES[entry.priority]
        tag = f"{entry.tag:<8}"
        uid = self._uid(entry.uid)
        when = self._time(entry.realtime_ns)
        frames = {
            "tag": (f"{level}/{tag}: ", "\n"),
            "process": (f"{level}({uid}{entry.pid:5d}) ", f"  ({entry.tag})\n"),
            "thread": (f"{level}({uid}{entry.pid:5d}:{entry.tid:5d}) ", "\n"),
            "raw": ("", "\n"),
            "time": (f"{when} {level}/{tag}({uid}{entry.pid:5d}): ", "\n"),
            "threadtime": (f"{when} {uid.replace(':', ' ')}{entry.pid:5d} {entry.tid:5d} {level} {tag}: ", "\n"),
            "long": (f"[ {when} {uid}{entry.pid:5d}:{entry.tid:5d} {level}/{tag} ]\n", "\n\n"),
            "brief": (f"{level}/{tag}({uid}{entry.pid:5d}): ", "\n"),
        }
        return frames[self.style]

    def _uid(self, uid: int) -> str:
        if "uid" not in self.modifiers:
            return ""
        name = user_name(uid)
        return f"{name if uid < FIRST_APP_UID and len(name) <= 5 else uid:>5}:"

    def _time(self, realtime_ns: int) -> str:
        shown_ns = realtime_ns - self.boot_realtime_ns if "monotonic" in self.modifiers else realtime_ns
        seconds, nanoseconds = divmod(max(0, shown_ns), 1_000_000_000)
        if "nsec" in self.modifiers:
            fraction = f"{nanoseconds:09d}"
        else:
            fraction = f"{nanoseconds // 1000:06d}" if "usec" in self.modifiers else f"{nanoseconds // 1_000_000:03d}"
        if "monotonic" in self.modifiers:
            return f"{seconds:6d}.{fraction}"
        if "epoch" in self.modifiers:
            return f"{seconds:19d}.{fraction}"
        day = time.strftime("%Y-%m-%d %H:%M:%S" if "year" in self.modifiers else "%m-%d %H:%M:%S", time.gmtime(seconds))
        return f"{day}.{fraction}" + (" +0000" if {"zone", "UTC"} & self.modifiers else "")
