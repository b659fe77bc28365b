"""Clocks of a process of this computer, in an event file as the runtime writes one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support.raising import raising

from navitas.capture.collect.readings import process_threads
from navitas.capture.collect.readings.process_threads import ProcessThreads
from navitas.recording.parse.chunks import COUNTERS, MARKERS, TRIPLES, by_thread_and_type, read_chunks
from navitas.recording.parse.clock_triples import decode_triples
from navitas.recording.parse.counters import decode_counters
from navitas.recording.parse.markers import decode_markers
from navitas.recording.parse.schedstat import parse_schedstat


def thread(proc: Path, tid: int, run_ns: int, comm: str) -> None:
    folder = proc / "7/task" / str(tid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schedstat").write_text(f"{run_ns} 20 3\n")
    (folder / "comm").write_text(f"{comm}\n")


def test_threads_have_their_clocks(tmp_path: Path) -> None:
    thread(tmp_path, 7, 1000, "java")
    thread(tmp_path, 8, 2000, "my worker")
    (tmp_path / "7/stat").write_text("7 (java) S 1")
    with ProcessThreads(7, tmp_path / "events-7.nvch", lambda: [(10, b"300 5\n")], tmp_path):
        thread(tmp_path, 8, 5000, "my worker")
    scan = read_chunks(tmp_path / "events-7.nvch")
    assert not scan.damaged
    readings, dropped = decode_counters([chunk for chunk in scan.chunks if chunk.type == COUNTERS])
    assert (dropped, readings[10].texts[-1], readings[2].texts[0]) == (0, b"300 5\n", b"7 (java) S 1")
    lifetimes, torn = parse_schedstat(readings[1])
    assert (torn, sorted(lifetimes)) == (0, [7, 8])
    assert lifetimes[8][0].name == "my worker"
    markers, *_ = decode_markers([chunk for chunk in scan.chunks if chunk.type == MARKERS])
    assert [marker.kind for marker in markers] == ["run_start", "run_end"]
    clocks = decode_triples([chunk for chunk in scan.chunks if chunk.type == TRIPLES])
    assert len(clocks.monotonic_ns) >= 2
    assert markers[0].t_ns <= clocks.monotonic_ns[0] <= markers[-1].t_ns


def test_a_process_that_has_ended_has_no_more_readings(tmp_path: Path) -> None:
    with ProcessThreads(7, tmp_path / "events-7.nvch", raising(OSError("the phone is lost")), tmp_path):
        pass
    assert {chunk.type for chunk in read_chunks(tmp_path / "events-7.nvch").chunks} == {MARKERS, TRIPLES}


def test_readings_reach_the_file_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_threads, "_PERIOD_S", 0.0)
    file = tmp_path / "events-7.nvch"
    (tmp_path / "7/task").mkdir(parents=True)
    with ProcessThreads(7, file, lambda: [(10, b"300 5\n")], tmp_path) as threads:
        for tid in range(100, 300):
            thread(tmp_path, tid, 1000, "brief")
            if tid > 100:
                (tmp_path / f"7/task/{tid - 1}/schedstat").unlink()
                (tmp_path / f"7/task/{tid - 1}/comm").unlink()
                (tmp_path / f"7/task/{tid - 1}").rmdir()
        end = time.monotonic() + 10
        while len(read_chunks(file).chunks) < 30 and time.monotonic() < end:
            time.sleep(0.005)
        most = process_threads._WRITE_EVERY * 3
        assert len(threads._readings) < most and len(threads._clocks) < most and len(threads._known) <= 2
    scan = read_chunks(file)
    assert not scan.damaged
    assert [missing for *_, missing in by_thread_and_type(scan.chunks)] == [0, 0, 0]
    markers, *_ = decode_markers([chunk for chunk in scan.chunks if chunk.type == MARKERS])
    assert [marker.kind for marker in markers] == ["run_start", "run_end"]


def test_another_process_with_its_pid_is_not_read(tmp_path: Path) -> None:
    thread(tmp_path, 7, 1000, "java")
    with ProcessThreads(7, tmp_path / "events-7.nvch", list, tmp_path):
        (tmp_path / "7").rename(tmp_path / "ended")
        thread(tmp_path, 7, 9000, "other")
    readings, _ = decode_counters([chunk for chunk in read_chunks(tmp_path / "events-7.nvch").chunks if chunk.type == COUNTERS])
    assert [lifetime.name for lifetime in parse_schedstat(readings[1])[0][7]] == ["java"]


def test_a_full_disk_is_a_failure_and_no_error() -> None:
    with ProcessThreads(os.getpid(), Path("/dev/full"), lambda: []) as reading:
        pass
    assert isinstance(reading.failure, OSError)
