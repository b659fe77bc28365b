"""Parse logcat lines in the formats `threadtime` (with or without epoch, year, uid) and `brief` (AOSP: logprint.cpp)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STAMP = r"(?:(?P<date>(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9})|(?P<epoch>\d{1,19})\.(?P<fraction>\d{3,9}))"
_WHO = r"(?:[\w-]{1,32}\s+)?(?P<pid>\d{1,10})\s+(?P<tid>\d{1,10}) (?P<priority>[VDIWEFAS]) "
_THREADTIME = re.compile(rf"\s*{_STAMP}(?: [+-]\d{{4}})?\s+{_WHO}")
_BRIEF_PID = re.compile(r"\(\s{0,10}(\d{1,10})\):")
_BRIEF_PRIORITY = re.compile(r"[VDIWEFAS]/")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One line. `realtime_ns` is None unless logcat printed epoch times. `tid` is 0 in the brief format."""

    realtime_ns: int | None
    stamp: str
    pid: int
    tid: int
    priority: str
    tag: str
    message: str


def parse_line(line: str) -> LogRecord | None:
    """Return a line's record, or None for an unknown format."""
    match = _THREADTIME.match(line)
    if match is None:
        return _brief(line)
    tag, colon, message = line[match.end() :].partition(": ")
    if not colon:
        if not tag.endswith(":"):
            return None
        tag = tag[:-1]
    realtime_ns = None
    if match["epoch"]:
        realtime_ns = int(match["epoch"]) * 1_000_000_000 + int(match["fraction"].ljust(9, "0"))
    stamp = match["date"] or f"{match['epoch']}.{match['fraction']}"
    return LogRecord(realtime_ns, stamp, int(match["pid"]), int(match["tid"]), match["priority"], tag.rstrip(), message)


def _brief(line: str) -> LogRecord | None:
    if not _BRIEF_PRIORITY.match(line):
        return None
    match = _BRIEF_PID.search(line)
    if match is None:
        return None
    return LogRecord(None, "", int(match[1]), 0, line[0], line[2 : match.start()].rstrip(), line[match.end() :].removeprefix(" "))
