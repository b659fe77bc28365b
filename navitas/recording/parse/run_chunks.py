"""Collect all chunks of a run from event files and logcat, and check them against the recording's maps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from navitas.recording.manifest import Run
from navitas.recording.parse.chunks import Chunk, ChunkScan, read_chunks, scan_chunks
from navitas.recording.parse.findings import UPDATE, Findings
from navitas.recording.parse.logcat_chunks import read_logcat_chunks
from navitas.recording.parse.methodmap import Span, check_maps
from navitas.recording.raw import read_lines
from navitas.recording.store import Recording

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
