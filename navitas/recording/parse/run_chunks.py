"""Collect all chunks of a run from event files and logcat (docs/dev/formats.md), and check them against the recording's maps."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from navitas.recording.manifest import Run
from navitas.recording.parse.chunks import Chunk, ChunkScan, read_chunks, scan_chunks
from navitas.recording.parse.findings import UPDATE, Findings
from navitas.recording.parse.methodmap import Span, check_maps
from navitas.recording.raw import read_lines
from navitas.recording.store import Recording

STAMP = r"(?:(?P<date>(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9})|(?P<epoch>\d{1,19})\.(?P<fraction>\d{3,9}))"
_WHO = r"(?:[\w-]{1,32}\s+)?(?P<pid>\d{1,10})\s+(?P<tid>\d{1,10}) (?P<priority>[VDIWEFAS]) "
_THREADTIME = re.compile(rf"\s*{STAMP}(?: [+-]\d{{4}})?\s+{_WHO}")
_BRIEF_PID = re.compile(r"\(\s{0,10}(\d{1,10})\):")
_BRIEF_PRIORITY = re.compile(r"[VDIWEFAS]/")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One line. `realtime_ns` is None unless logcat printed epoch times. Ids that a line lacks are 0."""

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
    return record_of_parts({**match.groupdict(), "tag": tag, "message": message})


def record_of_parts(parts: Mapping[str, str | None]) -> LogRecord:
    """Return the record of a line's parts: date, or epoch and fraction; pid, tid, priority, tag, message. Any can be missing."""
    epoch, fraction = parts.get("epoch"), parts.get("fraction")
    realtime_ns = None if not epoch or not fraction else int(epoch) * 1_000_000_000 + int(fraction.ljust(9, "0"))
    stamp = parts.get("date") or (f"{epoch}.{fraction}" if epoch else "")
    pid, tid = (int(text, 16 if text.startswith("0x") else 10) for text in (parts.get("pid") or "0", parts.get("tid") or "0"))
    priority, tag, message = (parts.get(name) or "" for name in ("priority", "tag", "message"))
    return LogRecord(realtime_ns, stamp, pid, tid, priority, tag.rstrip(), message)


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
    return LogcatChunks(b"".join(joined.values()), max(numbers) + 1 - len(joined), len(numbers) - len(joined))


_PID = re.compile(r"events-(\d{1,10})\.nvch")


def read_run_chunks(recording: Recording, run: Run, known: dict[int, Span], findings: Findings) -> list[Chunk]:
    """Return the run's valid chunks. Damaged, unknown and missing data goes to `findings`.

    Raises `RecordingError` if a file cannot be opened or events belong to another method map.
    Each process numbers its threads from 1. The serials of a second process (after a crash) continue after those of the first.
    """
    processes: dict[int, list[Chunk]] = {}
    for number, path in enumerate(recording.files("events", run.id)):
        match = _PID.fullmatch(path.name)
        scan = read_chunks(path)
        check_maps(scan.chunks, known, str(path))
        _report(scan, path.name, findings)
        processes.setdefault(int(match[1]) if match else -1 - number, []).extend(scan.chunks)
    for path in recording.files("logcat", run.id):
        _add_logcat(path, run, processes, known, findings)
    chunks: list[Chunk] = []
    for number, of_process in enumerate(processes.values()):
        offset = max((chunk.serial for chunk in chunks), default=0)
        once = {(c.serial, c.type, c.seq): c for c in of_process}.values()
        for c in once:
            serial = c.serial + offset if c.serial else 0
            chunks.append(replace(c, serial=serial, process=number, serials_before=offset) if number else c)
    return chunks


def _add_logcat(path: Path, run: Run, processes: dict[int, list[Chunk]], known: dict[int, Span], findings: Findings) -> None:
    """Add the chunks of this run's app from logcat. All processes write to logcat, and the app may have several."""
    streams = read_logcat_chunks(read_lines(path))
    for pid in [pid for pid, stream in streams.items() if stream.newer and not stream.data]:
        _newer(streams.pop(pid).newer, path.name, findings)
    scans = {pid: scan_chunks(stream.data) for pid, stream in streams.items()}
    wanted = {run.pid} if run.pid is not None else _of_app(scans, processes, known)
    for pid, stream in streams.items():
        if pid not in wanted:
            message = f"{path.name} also contains events of process {pid}, which is not of this run; they are left out"
            findings.warn("foreign_log", message, "No events of this run are lost.")
            continue
        scan = scans[pid]
        check_maps(scan.chunks, known, str(path))
        _report(scan, path.name, findings)
        findings.add_loss(
            "logcat_chunks",
            stream.missing,
            path.name + " lacks {count} chunks of events",
            "Enlarge the device's log buffer (logcat -G 16M), or use --transport files.",
            file=path.name,
        )
        processes.setdefault(pid, []).extend(scan.chunks)


def _of_app(scans: Mapping[int, ChunkScan], processes: Mapping[int, object], known: Mapping[int, Span]) -> set[int]:
    """Return the processes whose calls belong to the recording's maps, or that also have event files; otherwise the last one."""
    own = {pid for pid, scan in scans.items() if pid in processes or any(chunk.map_id in known for chunk in scan.chunks)}
    return own if own or processes else set(list(scans)[-1:])


def _report(scan: ChunkScan, name: str, findings: Findings) -> None:
    message = f"{name} is damaged in {scan.damaged} places: {{count}} bytes were skipped"
    findings.add_loss("damaged_bytes", scan.skipped_bytes, message, "Their data is missing from every figure.", file=name)
    _newer(scan.newer, name, findings)
    message = f"{name} contains {{count}} chunks of types that this version of Navitas does not know ({{names}})"
    findings.add_losses_by_name("unknown_chunks", _by_name(scan.unknown), message, f"They were skipped. {UPDATE}", file=name)


def _newer(versions: Counter[int], name: str, findings: Findings) -> None:
    message = f"{name} contains {{count}} chunks of a newer version ({{names}}); this version of Navitas reads version 1"
    findings.add_losses_by_name("newer_chunks", _by_name(versions), message, UPDATE, file=name)


def _by_name(counts: Counter[int]) -> dict[str, int]:
    return {str(number): counts[number] for number in sorted(counts)}
