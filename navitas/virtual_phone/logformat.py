"""Format log entries as `logcat` does (AOSP system/logging, liblog/logprint.cpp and log_read.h)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from navitas.virtual_phone.identity import FIRST_APP_UID, user_name
from navitas.virtual_phone.logd import Entry

STYLES = ("brief", "long", "raw", "tag", "threadtime", "time")
MODIFIERS = ("color", "colour", "epoch", "uid", "usec", "UTC", "year", "zone")

PRIORITIES = "..VDIWEFS"
"""The letter of each priority."""
_COLORS = {"D": 34, "I": 32, "W": 33, "E": 31, "F": 31}
_DEFAULT_COLOR = 39
_MAX_FRAME_BYTES = 127


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A style and its modifiers."""

    style: str = "threadtime"
    modifiers: frozenset[str] = frozenset()

    def render(self, entry: Entry) -> str:
        """Format an entry: one line for each line of its message, each with the prefix (`long` has one header)."""
        prefix, suffix = (_cut(text) for text in self._frame(entry))
        if "color" in self.modifiers:
            prefix = f"\x1b[{_COLORS.get(PRIORITIES[entry.priority], _DEFAULT_COLOR)}m{prefix}"
            suffix = f"\x1b[0m{suffix}"
        lines = [entry.message] if self.style == "long" else entry.message.removesuffix("\n").split("\n")
        return "".join(f"{prefix}{line}{suffix}" for line in lines)

    def _frame(self, entry: Entry) -> tuple[str, str]:
        level = PRIORITIES[entry.priority]
        tag = f"{entry.tag:<8}"
        uid = self._uid(entry.uid)
        when = self._time(entry.realtime_ns)
        frames = {
            "tag": (f"{level}/{tag}: ", "\n"),
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
        seconds, nanoseconds = divmod(max(0, realtime_ns), 1_000_000_000)
        fraction = f"{nanoseconds // 1000:06d}" if "usec" in self.modifiers else f"{nanoseconds // 1_000_000:03d}"
        if "epoch" in self.modifiers:
            return f"{seconds:19d}.{fraction}"
        day = time.strftime("%Y-%m-%d %H:%M:%S" if "year" in self.modifiers else "%m-%d %H:%M:%S", time.gmtime(seconds))
        return f"{day}.{fraction}" + (" +0000" if {"zone", "UTC"} & self.modifiers else "")


def _cut(text: str) -> str:
    """Cut a prefix or suffix to 127 bytes, the size of liblog's buffers."""
    data = text.encode("utf-8", "replace")
    if len(data) <= _MAX_FRAME_BYTES:
        return text
    end = "\n" if text.endswith("\n") else ""
    return data[: _MAX_FRAME_BYTES - len(end)].decode("utf-8", "ignore") + end
