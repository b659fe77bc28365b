"""Whole recordings. Their tables match the scenario for each transport and mode, and missing data is reported."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import chunk_writer as cw
from support.recording_maker import make_recording, start_ns
from support.run_bytes import joules
from support.scenario import PolicySpec, Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import RecordingError
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.parse.tables import EXIT, THROW, Thread
from navitas.recording.store import Recording, open_recording

MS = 1_000_000
WORKER = ThreadSpec(
    "worker",
    (call("a.Work#run", 100, 400, call("a.Work#sort", 150, 300, throws=True), call("a.Work#sort", 310, 320)),),
    ((100, 400, 0.8),),
    cpu=2,
)
MAIN = ThreadSpec(
    "main",
    (call("a.FooTest#one", 50, 450), call("a.FooTest#two", 500, 700)),
    ((50, 100, 1.0), (500, 600, 0.5)),
    cpu_before_ms=250,
)
GC = ThreadSpec("GC Thread#0", busy=((200, 260, 1.0),), cpu=3, probed=False)
SCENARIO = Scenario(
    1000,
    threads=(MAIN, WORKER, GC),
    tests=(TestSpec("a.FooTest#one", 40, 460), TestSpec("a.FooTest#two", 490, 710, status="failed")),
    policies=(
        PolicySpec(0, (0, 1), (500_000, 1_000_000), ((100, 400, {500_000: 0.25, 1_000_000: 0.75}),)),
        PolicySpec(2, (2, 3), (800_000, 2_000_000)),
    ),
    others={1: ((0, 1000, 0.1),)},
    rails={"S1M": ((0, 500, 2.0), (500, 1000, 0.5)), "S2M": ((0, 1000, 1.0),)},
)


def thread(parsed: ParsedRecording, name: str) -> Thread:
    return next(thread for thread in parsed.runs[0].threads if thread.name == name)


def names(parsed: ParsedRecording) -> list[str]:
    return [f"{method.class_name}#{method.name}" for method in parsed.method_table.methods]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return make_recording(tmp_path_factory.mktemp("run") / "rec", SCENARIO)


@pytest.fixture(scope="module")
def parsed(recording: Recording) -> ParsedRecording:
    return parse_recording(recording)


def test_a_complete_recording_has_no_warnings(parsed: ParsedRecording) -> None:
    assert (parsed.warnings, parsed.losses) == ((), ())
    run = parsed.runs[0]
    assert (run.run_id, run.start_ns, run.end_ns) == (0, start_ns(), start_ns() + 1000 * MS)


def test_threads_and_their_calls(parsed: ParsedRecording) -> None:
    assert [(t.serial, t.name, t.role) for t in parsed.runs[0].threads] == [
        (1, "main", "app"),
        (2, "worker", "app"),
        (-1, "GC Thread#0", "gc"),
    ]
    calls = thread(parsed, "worker").calls.whole()
    assert ((calls.t_ns - start_ns()) // MS).tolist() == [100, 150, 300, 310, 320, 400]
    assert calls.kind.tolist() == [0, 0, THROW, 0, EXIT, EXIT]
    assert [names(parsed)[m] for m in calls.method.tolist()] == ["a.Work#run", *["a.Work#sort"] * 4, "a.Work#run"]


def test_cpu_clocks_match_the_scenario(parsed: ParsedRecording) -> None:
    for spec in SCENARIO.threads:
        found = thread(parsed, spec.name)
        for clock in (found.anchors, found.samples):
            expected = [spec.cpu_ns((t - start_ns()) / MS) for t in clock.t_ns.tolist()]
            assert clock.cpu_ns.tolist() == expected
        assert len(found.samples.t_ns) > 2


def test_windows_and_markers(parsed: ParsedRecording) -> None:
    windows = [(w.test_id, (w.start_ns - start_ns()) / MS, (w.end_ns - start_ns()) / MS) for w in parsed.runs[0].app.windows]
    assert windows == [(0, 40, 460), (1, 490, 710)]
    assert [m.kind for m in parsed.runs[0].app.markers] == ["run_start", *["test_start", "test_finish"] * 2, "run_end"]


def test_sampled_tables(parsed: ParsedRecording) -> None:
    run = parsed.runs[0]
    for table, spec in zip(run.cpu.time_in_state, SCENARIO.policies, strict=True):
        assert (table.policy, tuple(table.freq_khz)) == (spec.id, spec.freq_khz)
        at_ms = (table.t_ns - start_ns()) / MS
        expected = np.array([spec.ns_in_state(ms) for ms in at_ms])
        assert (np.abs((table.ns - table.ns[0]) - expected) <= 10 * MS).all()
    assert run.cpu.process is not None and run.cpu.stat is not None and run.devices.rails is not None
    assert abs(run.cpu.process.cpu_ns[-1] - sum(t.cpu_ns(1000) for t in SCENARIO.threads)) <= 10 * MS
    assert run.cpu.stat.cpus == (0, 1, 2, 3)
    assert (np.abs(run.cpu.stat.busy_ns[-1] - [SCENARIO.busy_ns(cpu, 1000) for cpu in range(4)]) <= 10 * MS).all()
    assert run.cpu.stat.t_ns.tolist() == [start_ns() + ms * MS for ms in range(0, 1001, 200)]
    assert run.devices.rails.names == ("S1M", "S2M")
    np.testing.assert_allclose(
        np.ptp(run.devices.rails.energy_j, axis=0), [joules(w, 1000) for w in SCENARIO.rails.values()], atol=1e-6
    )


def same(a: ParsedRecording, b: ParsedRecording) -> None:
    assert a.runs[0].app.windows == b.runs[0].app.windows
    for one, other in zip(a.runs[0].threads, b.runs[0].threads, strict=True):
        assert (one.serial, one.tid, one.name) == (other.serial, other.tid, other.name)
        for column in ("t_ns", "kind", "method"):
            assert getattr(one.calls.whole(), column).tolist() == getattr(other.calls.whole(), column).tolist()
        assert one.samples.cpu_ns.tolist() == other.samples.cpu_ns.tolist()


def test_the_logcat_transport_gives_the_same_tables(tmp_path: Path, parsed: ParsedRecording) -> None:
    through_log = parse_recording(make_recording(tmp_path, replace(SCENARIO, transport="logcat")))
    assert through_log.warnings == ()
    same(parsed, through_log)


def test_chunks_in_both_files_and_logcat_count_once(tmp_path: Path, recording: Recording, parsed: ParsedRecording) -> None:
    both = make_recording(tmp_path, replace(SCENARIO, transport="logcat"))
    events = recording.files("events", 0)[0]
    (tmp_path / "runs/0" / events.name).write_bytes(events.read_bytes())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["files"].append(next(file.model_dump() for file in recording.manifest.files if file.kind == "events"))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    same(parsed, parse_recording(open_recording(both.path)))


CLOCK_SET = [((500, -3600.0),), ((500, 3600.0),), ((500, -0.7),), ((500, 0.7),), ((510, 0.13),), ((1990, -0.25),),
             ((300, 3600.0), (1500, -7200.0)), ((1001, -3600.0), (2001, 3600.0))]  # fmt: skip


@pytest.mark.parametrize("clock_set", CLOCK_SET, ids=str)
@pytest.mark.parametrize("rails", [True, False])
def test_setting_the_clock_during_a_run_changes_nothing(
    tmp_path: Path, clock_set: tuple[tuple[float, float], ...], rails: bool
) -> None:
    long = replace(SCENARIO, duration_ms=3000, rails=SCENARIO.rails if rails else {})
    before = parse_recording(make_recording(tmp_path / "before", long)).runs[0]
    after = parse_recording(make_recording(tmp_path / "after", replace(long, clock_set=clock_set)))
    run = after.runs[0]
    assert (after.warnings, after.losses) == ((), ())
    assert before.cpu.stat is not None and run.cpu.stat is not None
    assert np.abs(run.cpu.stat.t_ns - before.cpu.stat.t_ns).max() <= 1000  # the shell reports microseconds
    if rails:
        assert before.devices.rails is not None and run.devices.rails is not None
        assert np.abs(run.devices.rails.t_ns - before.devices.rails.t_ns).max() <= 1000
    assert (run.start_ns, run.end_ns, run.app.windows) == (before.start_ns, before.end_ns, before.app.windows)


def test_readings_that_no_triple_can_convert_are_dropped_with_a_warning(tmp_path: Path) -> None:
    recording = make_recording(tmp_path / "rec", SCENARIO)
    shell = tmp_path / "rec" / "runs" / "0" / "shell.txt"
    blocks = shell.read_text().split("@ ")
    early = [f"{float(block.partition(chr(10))[0]) - 3600:.6f}\n{block.partition(chr(10))[2]}" for block in blocks[1:3]]
    shell.write_text("@ ".join(["", *early, *blocks[1:]]))
    found = parse_recording(recording)
    assert {warning.code for warning in found.warnings} == {"file_changed", "unjoined_readings"}
    assert {(loss.what, loss.count) for loss in found.losses} == {("unjoined_readings", 2)}
    assert found.runs[0].cpu.stat is not None


def test_small_chunks_give_the_same_tables(tmp_path: Path, parsed: ParsedRecording) -> None:
    same(parsed, parse_recording(make_recording(tmp_path, replace(SCENARIO, events_per_chunk=1))))


def test_folded_threads_keep_their_time(tmp_path: Path) -> None:
    folded = replace(SCENARIO, threads=tuple(replace(t, folded=t.probed) for t in SCENARIO.threads))
    found = thread(parse_recording(make_recording(tmp_path, folded)), "worker").folded
    assert len(found.node) and found.self_ns.sum() == 300 * MS
    assert (found.calls.sum(), found.throws.sum()) == (3, 1)


def test_runs_are_separate(tmp_path: Path) -> None:
    parsed = parse_recording(make_recording(tmp_path, SCENARIO, replace(SCENARIO, repeat=1, transport="logcat")))
    assert [[w.test_id for w in run.app.windows] for run in parsed.runs] == [[0, 1], [2, 3]]
    assert [run.start_ns for run in parsed.runs] == [start_ns(0), start_ns(1)]


def test_a_test_cut_by_a_crash_ends_at_the_end_of_the_run(tmp_path: Path) -> None:
    scenario = replace(SCENARIO, tests=(TestSpec("a.FooTest#one", 40, None),), exit="crashed", duration_ms=600)
    parsed = parse_recording(make_recording(tmp_path, scenario))
    (window,) = parsed.runs[0].app.windows
    assert (window.end_ns, parsed.runs[0].end_ns) == (start_ns() + 700 * MS,) * 2


def test_an_ignored_test_takes_no_time(tmp_path: Path) -> None:
    tests = (TestSpec("a.FooTest#one", 40, 40.01, status="ignored"), TestSpec("a.FooTest#two", 490, 710))
    parsed = parse_recording(make_recording(tmp_path, replace(SCENARIO, tests=tests)))
    assert [window.test_id for window in parsed.runs[0].app.windows] == [1]
    assert parsed.warnings == ()


def damaged(tmp_path: Path, change: bytes, at: int) -> ParsedRecording:
    recording = make_recording(tmp_path, SCENARIO)
    path = recording.files("events", 0)[0]
    data = path.read_bytes()
    path.write_bytes(data[:at] + change + data[at:])
    return parse_recording(recording)


def test_damage_is_counted_and_the_other_data_is_read(tmp_path: Path, parsed: ParsedRecording) -> None:
    found = damaged(tmp_path, b"garbage", 0)
    same(parsed, found)
    assert [(loss.what, loss.count, loss.run) for loss in found.losses] == [("damaged_bytes", 7, 0)]
    assert {(warning.code, warning.run) for warning in found.warnings} == {("file_changed", None), ("damaged_bytes", 0)}


def test_a_lost_chunk_is_reported(tmp_path: Path) -> None:
    recording = make_recording(tmp_path, replace(SCENARIO, events_per_chunk=2))
    path = recording.files("events", 0)[0]
    data = bytearray(path.read_bytes())
    data[data.index(b"worker") + 20] ^= 1
    path.write_bytes(bytes(data))
    assert {("damaged_bytes", 1), ("chunks", 1)} == {
        (loss.what, min(loss.count, 1)) for loss in parse_recording(recording).losses
    }


def test_lost_events_are_counted_by_thread(tmp_path: Path) -> None:
    scenario = replace(SCENARIO, threads=(replace(MAIN, lost=5), replace(WORKER, lost=7)))
    parsed = parse_recording(make_recording(tmp_path, scenario))
    assert [t.lost_events for t in parsed.runs[0].threads] == [5, 7]
    assert [(loss.what, loss.count, loss.serial, loss.thread) for loss in parsed.losses] == [
        ("events", 7, 2, "worker"),
        ("events", 5, 1, "main"),
    ]
    (warning,) = parsed.warnings
    assert warning.message == "12 events were lost while recording (worker: 7, main: 5)"


def test_impossible_thread_ids_are_ignored_and_counted(tmp_path: Path) -> None:
    recording = make_recording(tmp_path, SCENARIO)
    append(recording, cw.chunk(cw.ANCHORS, b"", 0, serial=1, seq=1, tid=1 << 31))
    append(recording, cw.chunk(cw.ANCHORS, cw.anchors_payload([(start_ns(), 0)]), 1, serial=9, tid=(1 << 32) - 1))
    append(recording, cw.chunk(cw.ANCHORS, b"", 0, serial=2, seq=1, tid=77))
    parsed = parse_recording(recording)
    tids = {thread.serial: thread.tid for thread in parsed.runs[0].threads if thread.serial > 0}
    assert tids == {1: 5000, 2: 5001, 9: 0}
    lost = [(loss.serial, loss.count) for loss in parsed.losses if loss.what == "thread_ids"]
    assert lost == [(1, 1), (9, 1)]


def append(recording: Recording, data: bytes) -> None:
    path = recording.files("events", 0)[0]
    path.write_bytes(path.read_bytes() + data)


def test_a_map_of_another_build_is_an_error(tmp_path: Path) -> None:
    recording = make_recording(tmp_path, SCENARIO)
    append(recording, cw.chunk(cw.CALLS, b"", 0, map_id=0xDEAD, serial=9))
    with pytest.raises(RecordingError, match="000000000000dead"):
        parse_recording(recording)


def test_ids_outside_the_map_and_unknown_chunks_are_reported(tmp_path: Path) -> None:
    recording = make_recording(tmp_path, SCENARIO)
    map_id = int(recording.manifest.maps[0].id, 16)
    append(recording, cw.chunk(cw.CALLS, cw.calls_payload([(5, 0, 4000)], 0), 1, map_id=map_id, serial=9) + cw.chunk(77, b"", 0))
    parsed = parse_recording(recording)
    assert ("foreign_methods", 1) in [(loss.what, loss.count) for loss in parsed.losses]
    assert "unknown_chunks" in {warning.code for warning in parsed.warnings}


def test_without_events_there_are_warnings_and_no_tables(tmp_path: Path) -> None:
    recording = make_recording(tmp_path, SCENARIO)
    recording.files("events", 0)[0].unlink()
    parsed = parse_recording(recording)
    run = parsed.runs[0]
    assert (run.threads, run.app.windows, run.cpu.time_in_state, run.cpu.process, run.cpu.stat, run.devices.rails) == (
        (),
        (),
        (),
        None,
        None,
        None,
    )
    assert {warning.code for warning in parsed.warnings} == {"file_missing", "no_events", "no_markers", "no_clocks"}


def test_log_lines_of_an_earlier_process_are_ignored(tmp_path: Path, parsed: ParsedRecording) -> None:
    recording = make_recording(tmp_path, replace(SCENARIO, transport="logcat"))
    path = recording.files("logcat", 0)[0]
    stale = [
        f"1600000000.000000     9     9 I navitas : {line}\n"
        for line in cw.logcat_lines([cw.chunk(cw.CALLS, b"", 0, map_id=1)], 9)
    ]
    path.write_text("".join(stale) + path.read_text())
    found = parse_recording(recording)
    same(parsed, found)
    assert "foreign_log" in {warning.code for warning in found.warnings}


def test_all_processes_of_an_app_are_read_from_the_log(tmp_path: Path) -> None:
    """An app may have several processes. Events of another app, whose map is not in the recording, are ignored."""
    recording = make_recording(tmp_path, replace(SCENARIO, transport="logcat"))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    del manifest["runs"][0]["pid"]  # as if the profiler had not recorded the process id
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    path = recording.files("logcat", 0)[0]
    second = re.sub(r" NV1 \d+ ", " NV1 77 ", path.read_text())
    foreign = "".join(
        f"1600000000.000000    88    88 I navitas : {line}\n"
        for line in cw.logcat_lines([cw.chunk(cw.CALLS, b"", 0, serial=1, map_id=1)], 88)
    )
    path.write_text(path.read_text() + second + foreign)
    found = parse_recording(open_recording(tmp_path))
    assert [thread.serial for thread in found.runs[0].threads if thread.serial > 0] == [1, 2, 3, 4]
    assert [warning.message for warning in found.warnings if warning.code == "foreign_log"] == [
        "logcat.txt also contains events of process 88, which is not of this run; they are left out"
    ]


def of_two_processes(folder: Path) -> Recording:
    """Return one run with the event files of two processes."""
    make_recording(folder, SCENARIO, SCENARIO)
    manifest = json.loads((folder / "manifest.json").read_text())
    for file in manifest["files"]:
        file["run"] = 0 if file["path"].endswith(".nvch") else file["run"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return open_recording(folder)


def test_a_second_process_has_its_own_threads(tmp_path: Path) -> None:
    run = parse_recording(of_two_processes(tmp_path)).runs[0]
    assert [t.serial for t in run.threads if t.serial > 0] == [1, 2, 3, 4]
    assert len(run.app.markers) == 12


def test_gaps_are_counted_in_each_process(tmp_path: Path) -> None:
    """Each process numbers its process-wide chunks from 0, so one process's chunks do not fill another's gaps."""
    recording = of_two_processes(tmp_path)
    for path, seqs, lost in zip(recording.files("events", 0), ((0, 2, 3), (0, 1, 3)), (3, 4), strict=True):
        chunks = (cw.chunk(cw.COUNTERS, b"", 0, seq=seq, lost=lost if seq == 3 else 0) for seq in seqs)
        path.write_bytes(b"".join(chunks))
    losses = {loss.what: loss.count for loss in parse_recording(recording).losses}
    assert losses == {"chunks": 2, "records": 7}


def test_a_run_without_its_end_is_reported(tmp_path: Path, parsed: ParsedRecording) -> None:
    """As when the log dropped its last lines. If the process died, the run's exit says so."""
    assert "no_run_end" not in {warning.code for warning in parsed.warnings}
    scenario = replace(SCENARIO, exit="crashed")
    assert "no_run_end" not in {warning.code for warning in parse_recording(make_recording(tmp_path / "a", scenario)).warnings}
    recording = make_recording(tmp_path / "b", scenario)
    path = recording.path / "manifest.json"
    path.write_text(path.read_text().replace('"crashed"', '"complete"'))
    assert "no_run_end" in {warning.code for warning in parse_recording(open_recording(recording.path)).warnings}


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
def test_damage_to_any_raw_file_raises_at_most_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    scenario = replace(SCENARIO, duration_ms=100, transport=data.draw(st.sampled_from(["files", "logcat"])))
    recording = make_recording(tmp_path_factory.mktemp("fuzz") / "rec", scenario)
    path = data.draw(st.sampled_from(sorted(p for p in recording.path.rglob("*") if p.is_file())))
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(0, len(raw) - 1)))
        raw[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
    path.write_bytes(bytes(raw))
    try:
        parse_recording(open_recording(recording.path))
    except RecordingError as error:
        assert str(recording.path) in error.message and error.remedy
