"""Parse lines of logcat, and reassemble the chunks in them (docs/dev/formats.md, logcat transport)."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

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


TAG = "navitas"
_NEWER = re.compile(r"NV(\d{1,3}) \d{1,10} ")
_PART = re.compile(r"NV1 (\d{1,10}) (\d{1,10}) (\d{1,6})/(\d{1,6}) ([A-Za-z0-9+/=]*)\s*$")


@dataclass(slots=True)
class LogcatChunks:
    """One process's chunks. `data` has the format of an event file.

    `missing` is the number of lost chunks, including `broken` chunks, which have only some of their parts.
    `newer` counts lines of newer versions of the transport, by version.
    """

    data: bytes = b""
    missing: int = 0
    broken: int = 0
    newer: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class _Parts:
    total: int
    texts: dict[int, str] = field(default_factory=dict)

    def joined(self) -> bytes | None:
        """Return the chunk's bytes, or None if a part is missing. Parts are numbered from 0 or from 1."""
        first = min(self.texts)
        if len(self.texts) != self.total or first not in {0, 1} or max(self.texts) != first + self.total - 1:
            return None
        try:
            return base64.b64decode("".join(self.texts[i] for i in sorted(self.texts)), validate=True)
        except binascii.Error:
            return None


def read_logcat_chunks(lines: Iterable[str]) -> dict[int, LogcatChunks]:
    """Return chunks by process id, in the order in which the processes first appear. Repeated lines count once."""
    processes: dict[int, dict[int, _Parts]] = {}
    newer: dict[int, Counter[int]] = {}
    for line in lines:
        if "NV" not in line:
            continue
        record = parse_line(line.rstrip("\r\n"))
        if record is None or record.tag != TAG:
            continue
        match = _PART.match(record.message)
        if match is None:
            if (version := _NEWER.match(record.message)) is not None and int(version[1]) > 1:
                newer.setdefault(record.pid, Counter())[int(version[1])] += 1
            continue
        pid, number, part, total = (int(match[i]) for i in range(1, 5))
        parts = processes.setdefault(pid, {}).setdefault(number, _Parts(total))
        if total == parts.total:
            parts.texts[part] = match[5]
    found = {pid: _assemble(numbers) for pid, numbers in processes.items()}
    for pid, versions in newer.items():
        found.setdefault(pid, LogcatChunks()).newer = versions
    return found


def _assemble(numbers: dict[int, _Parts]) -> LogcatChunks:
    joined = {number: data for number in sorted(numbers) if (data := numbers[number].joined()) is not None}
    expected = max(numbers) + 1
    return LogcatChunks(b"".join(joined.values()), expected - len(joined), len(numbers) - len(joined))
