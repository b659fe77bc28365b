"""Format log entries as `logcat` does (AOSP system/logging, liblog/logprint.cpp and log_read.h)."""

from __future__ import annotations

import re
import struct
import time
from dataclasses import dataclass

from navitas.virtual_phone.identity import FIRST_APP_UID, user_name
from navitas.virtual_phone.logd import BUFFERS, Entry

STYLES = ("brief", "long", "process", "raw", "tag", "thread", "threadtime", "time")
MODIFIERS = ("color", "colour", "descriptive", "epoch", "monotonic", "nsec", "printable", "uid", "usec", "UTC", "year", "zone")

PRIORITIES = "..VDIWEFS"
"""The letter of each priority."""
_COLORS = {"D": 34, "I": 32, "W": 33, "E": 31, "F": 31}
_DEFAULT_COLOR = 39
_MAX_FRAME_BYTES = 127
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\\\ufffd]")
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\v": "\\v", "\f": "\\f", "\r": "\\r", "\n": "\\n", "\\": "\\\\"}
_BINARY = struct.Struct("<HHiIIIII")


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A style and its modifiers. `boot_realtime_ns` converts wall time to time since boot."""

    style: str = "threadtime"
    modifiers: frozenset[str] = frozenset()
    boot_realtime_ns: int = 0

    def render(self, entry: Entry) -> str:
        """Format an entry: one line for each line of its message, each with the prefix (`long` has one header)."""
        prefix, suffix = (_cut(text) for text in self._frame(entry))
        if "color" in self.modifiers:
            prefix = f"\x1b[{_COLORS.get(PRIORITIES[entry.priority], _DEFAULT_COLOR)}m{prefix}"
            suffix = f"\x1b[0m{suffix}"
        lines = [entry.message] if self.style == "long" else entry.message.removesuffix("\n").split("\n")
        if "printable" in self.modifiers:
            lines = [_UNPRINTABLE.sub(_escaped, line) for line in lines]
        return "".join(f"{prefix}{line}{suffix}" for line in lines)

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


def _cut(text: str) -> str:
    """Cut a prefix or suffix to 127 bytes, the size of liblog's buffers."""
    data = text.encode("utf-8", "replace")
    if len(data) <= _MAX_FRAME_BYTES:
        return text
    end = "\n" if text.endswith("\n") else ""
    return data[: _MAX_FRAME_BYTES - len(end)].decode("utf-8", "ignore") + end


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    return _ESCAPES.get(char) or f"\\x{ord(char):02X}"


def binary(entry: Entry) -> bytes:
    """Encode an entry as `logcat -B` does: struct logger_entry, then priority, tag, NUL, message, NUL."""
    payload = bytes([entry.priority]) + f"{entry.tag}\0{entry.message}\0".encode("utf-8", "replace")
    seconds, nanoseconds = divmod(entry.realtime_ns, 1_000_000_000)
    ids = (entry.pid, entry.tid, seconds & 0xFFFFFFFF, nanoseconds, BUFFERS.index(entry.buffer), entry.uid)
    return _BINARY.pack(len(payload), _BINARY.size, *ids) + payload
