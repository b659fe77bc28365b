"""Method traces of Android's runtime, and recordings that join them with a kernel trace."""

from __future__ import annotations

import hashlib
import json
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from original_logs import profile_xml
from support.art_writer import Event, art_trace, packed, streamed
from support.field_data import FIELD_DATA, needs_field_data
from support.ftrace_writer import Form, comments
from support.perfetto_writer import PerfettoWriter

from navitas.base.errors import NavitasError, PowerProfileError, RecordingError, UsageError
from navitas.energy.analyze.load import load
from navitas.recording.importing.art_trace import ArtTrace, read_art_trace
from navitas.recording.importing.place_in_trace import matched_threads, place, running_threads
from navitas.recording.importing.recording_parts import MethodName, named_methods
from navitas.recording.importing.traced_recording import ReadTrace, TracedRecording, read_kernel_trace, write_traced
from navitas.recording.writer import Supply

THREADS = {1: "main", 2: "Worker thread with a long name"}
MS = 1_000_000
START_US = 5_000_000
SPEEDS = (400000, 800000)
PROFILE = profile_xml([((0, 1), SPEEDS)])
ENTER, EXIT, UNROLL = 0, 1, 2


def _slices() -> list[tuple[int, int, int]]:
    """Slices of two threads on two cores: tid, start and end in µs of the trace's clock. Irregular, over two seconds."""
    rng = random.Random(3)
    found = []
    for tid in (100, 105):
        at = START_US - 400_000
        while at < START_US + 1_600_000:
            ran = rng.randint(500, 9000)
            found.append((tid, at, at + ran))
            at += ran + rng.randint(300, 12_000)
    return found


SLICES = _slices()


def _kernel_trace(tmp_path: Path, slices: list[tuple[int, int, int]] = SLICES) -> ReadTrace:
    form = Form(tgid=True)
    names = {100: "org.example.app", 105: "with a long name"[-15:]}
    rows = []
    for tid, start, end in slices:
        cpu, task = int(tid == 105), (names[tid], tid)
        rows.append((start, form.switch(cpu, start * 1000, ("swapper", 0, "R"), task)))
        rows.append((end, form.switch(cpu, end * 1000, (*task, "S"), ("swapper", 0), tgid=100)))
    first = min(start for _, start, _ in slices)
    head = "".join(form.frequency(cpu, first * 1000, 800000) for cpu in (0, 1))
    path = tmp_path / "trace.txt"
    path.write_text(comments("mono") + head + "".join(text for _, text in sorted(rows)))
    return read_kernel_trace(path, "trace.txt")


def _events(slices: list[tuple[int, int, int]] = SLICES) -> list[Event]:
    """A call of `run` in each slice, and of `work` in its second half. CPU time counts from the thread's first event."""
    found: list[Event] = []
    used = {100: 0, 105: 0}
    for tid, start, end in slices:
        if not START_US + 1000 < start < end < START_US + 1_000_000:
            continue
        middle = (start + end) // 2
        number = 1 if tid == 100 else 2
        for at, method, action in ((start, 4, ENTER), (middle, 8, ENTER), (end, 8, EXIT), (end, 4, UNROLL)):
            found.append((number, method, action, used[tid] + at - start, at - START_US))
        used[tid] += end - start
    return found


def _read(tmp_path: Path, data: bytes) -> ArtTrace:
    path = tmp_path / "app.trace"
    path.write_bytes(data)
    return read_art_trace(path, "app.trace")


def _written(
    tmp_path: Path,
    data: bytes,
    kernel: ReadTrace | None = None,
    *,
    xml: bytes = PROFILE,
    pid: int | None = None,
    start_ns: int | None = None,
) -> TracedRecording:
    """Join a method trace with a kernel trace, by default that of `SLICES`."""
    art, supply = _read(tmp_path, data), Supply(xml, "test", 3.85, "option")
    kernel = kernel or _kernel_trace(tmp_path)
    return write_traced(tmp_path / "rec", kernel, art, supply, name="app", pid=pid, start_ns=start_ns)


def test_a_method_map_has_the_hash_of_its_classes_and_methods() -> None:
    methods = [MethodName("a.B", "run", "()V", "B.java", 12), MethodName("a.A", 'q"\\ä', "", None, None)]
    named = named_methods([*methods, methods[0]])
    document = json.loads(named.data)
    assert [(one["class"], one["name"], one["line"]) for one in document["methods"]] == [
        ("a.A", 'q"\\ä', None),
        ("a.B", "run", 12),
    ]
    assert [(one["name"], one["file"]) for one in document["classes"]] == [("a.A", None), ("a.B", "B.java")]
    hashed = json.dumps([document["classes"], document["methods"]])
    assert document["map_id"] == named.map_id == hashlib.sha256(hashed.encode()).hexdigest()[:16]
    assert named.data == json.dumps(document).encode() and named.ids == {methods[1]: 0, methods[0]: 1}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_records_of_all_versions(version: int, tmp_path: Path) -> None:
    events = [(1, 4, ENTER, 0, 10), (2, 12, ENTER, 0, 12), (1, 4, UNROLL, 7, 20), (2, 12, EXIT, 5, 21)]
    found = _read(tmp_path, art_trace(events, THREADS, version=version, start_us=77))
    main, worker = found.threads
    assert (found.pid, found.start_ns, main.name, worker.name) == (100, 77_000, "main", "Worker thread with a long name")
    assert (main.t_ns.tolist(), main.kind.tolist()) == ([10_000, 20_000], [0, 2])
    assert (main.cpu_ns is None) == (version < 3)
    assert [found.methods[i].name for i in worker.method.tolist()] == ["call", "call"]
    run = found.methods[int(main.method[0])]
    assert (run.class_name, run.descriptor, run.file, run.line) == ("a.b.Main", "()V", "Main.java", 12)


def test_a_streamed_trace_has_the_same_events(tmp_path: Path) -> None:
    events = _events()
    whole, parts = _read(tmp_path, art_trace(events, THREADS)), _read(tmp_path, streamed(events, THREADS))
    assert (whole.pid, whole.methods) == (parts.pid, parts.methods)
    for one, other in zip(whole.threads, parts.threads, strict=True):
        assert (
            one.name == other.name and one.t_ns.tolist() == other.t_ns.tolist() and one.method.tolist() == other.method.tolist()
        )


def test_times_continue_after_71_minutes(tmp_path: Path) -> None:
    events = [(1, 4, ENTER, 0, (1 << 32) - 5), (1, 4, EXIT, 5, (1 << 32) + 5)]
    (main,) = _read(tmp_path, art_trace(events, THREADS)).threads
    assert np.diff(main.t_ns).tolist() == [10_000]


def test_newer_cut_and_other_files_are_named(tmp_path: Path) -> None:
    events = [(1, 4, ENTER, 0, 1), (1, 4, EXIT, 1, 2)]
    data = art_trace(events, THREADS)
    for wrong, message in (
        (data.replace(b"SLOW\x03", b"SLOW\x07"), "unknown version 7"),
        (data.replace(b"SLOW\x03", b"SLOW\xf6"), r"unknown version 6 \(of long calls only\)"),
        (data.replace(b"SLOW\x03", b"SLOW\x05"), "an early form of the version 5, with text first"),
        (b"\x0a\x03abc", "not a method trace"),
        (data[:60], "cut off"),
        (data[: data.index(b"SLOW")], "header of the records is missing"),
        (art_trace(events, THREADS, clock="thread-cpu"), "no wall clock"),
    ):
        with pytest.raises(RecordingError, match=message):
            _read(tmp_path, wrong)
    cut = _read(tmp_path, data[:-3])
    assert (cut.cut_bytes, len(cut.threads[0].t_ns)) == (11, 1)
    assert _read(tmp_path, art_trace(events, THREADS, full=True)).is_full


def test_impossible_headers_are_named(tmp_path: Path) -> None:
    data = bytearray(art_trace([(1, 4, ENTER, 0, 1)], THREADS))
    at = data.index(b"SLOW")
    for field, wrong in ((6, 65535), (6, 0), (16, 65535)):
        damaged = bytearray(data)
        damaged[at + field : at + field + 2] = wrong.to_bytes(2, "little")
        with pytest.raises(RecordingError, match="an impossible header"):
            _read(tmp_path, bytes(damaged))


def test_events_of_unlisted_methods_are_counted_and_ids_are_bounded(tmp_path: Path) -> None:
    data = art_trace([(1, 4, ENTER, 0, 1), (1, 8, ENTER, 1, 2), (1, 8, EXIT, 2, 3)], THREADS)
    for wrong in (b"-0x8\t", b"0x" + b"8" * 6000 + b"\t", b"zz\t"):
        assert _read(tmp_path, data.replace(b"0x8\t", wrong)).unlisted == 2
    assert _read(tmp_path, data).unlisted == 0
    written = _written(tmp_path, art_trace(_events(), THREADS, start_us=START_US).replace(b"0x8\t", b"0x80\t"))
    assert any("an id that the trace does not list" in note.message for note in written.notes)


def test_a_streamed_trace_of_too_many_parts_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.recording.importing.art_records.MAX_PACKETS", 1000)
    monkeypatch.setattr("navitas.recording.importing.art_records.MAX_TEXT", 1 << 20)
    head = streamed([], {})[:32]
    for part, count, message in (
        (b"\0\0\1\0\0", 1001, "1,000 entries"),
        (b"\0\0\1\xff\xff" + b"m" * 65535, 17, "1 MiB"),
    ):
        with pytest.raises(RecordingError, match=f"more than {message} of methods and threads"):
            _read(tmp_path, head + part * count)
    with pytest.raises(RecordingError, match="more than 10,000 threads"):
        _read(tmp_path, art_trace([(number, 4, ENTER, 0, 1) for number in range(1, 10_002)], THREADS))


def test_a_streamed_trace_without_its_summary_says_so(tmp_path: Path) -> None:
    data = streamed(_events(), THREADS, start_us=START_US)
    data = data[: data.rindex(b"*version") - 7]
    with pytest.raises(UsageError, match=r"^app\.trace: .* does not name its process, since its final summary is missing"):
        _written(tmp_path, data)
    written = _written(tmp_path, data, pid=100)
    assert any("final summary of the method trace is missing" in note.message for note in written.notes)


def test_wrong_causes_are_not_given(tmp_path: Path) -> None:
    for data, message in (
        (art_trace([], THREADS), r"app\.trace: the method trace has no events"),
        (art_trace(_events(), THREADS, pid=999), r"app\.trace: no thread of the method trace .* no process 999"),
    ):
        with pytest.raises(RecordingError, match=message):
            _written(tmp_path, data)


def test_a_name_must_be_of_one_thread_in_both_traces(tmp_path: Path) -> None:
    read = _kernel_trace(tmp_path)
    events = [(number, 4, ENTER, 0, 1) for number in (1, 2, 3, 4, 5)]
    names = {1: "main", 2: THREADS[2], 3: THREADS[2], 4: "main", 5: "x"}
    assert matched_threads(_read(tmp_path, art_trace(events, names)), read.trace, None) == (100, {})
    names = {1: "main", 2: THREADS[2], 3: "a", 4: "b", 5: "x"}
    assert matched_threads(_read(tmp_path, art_trace(events, names)), read.trace, None) == (100, {1: 100, 2: 105})


@given(st.binary(max_size=300) | st.binary(max_size=60).map(lambda tail: b"SLOW\xf3\0\x20\0" + bytes(24) + tail))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_a_trace_or_an_error_of_navitas(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    with suppress(NavitasError):
        _read(tmp_path_factory.getbasetemp(), data)


@pytest.mark.parametrize("start_us", [START_US, 0])
def test_energies_of_methods_follow_from_the_slices(start_us: int, tmp_path: Path) -> None:
    """By the start in the header, or by the slices that fit. `run` has all of the energy in its calls, `work` half of it."""
    events = _events()
    written = _written(tmp_path, art_trace(events, THREADS, start_us=start_us))
    assert written.placed.source == ("its header" if start_us else "the scheduling slices that fit best")
    assert abs(written.placed.start_ns - START_US * 1000) <= written.placed.uncertain_ns + 20_000
    assert written.placed.share > 0.98 and written.placed.uncertain_ns < 500_000
    assert written.without_slices == ()
    profile = load(tmp_path / "rec")
    assert {one.level for one in profile.evidence if one.component == "cpu"} == {"sched"}
    (test,) = profile.tests
    watts = (800_000 / 10_000 + 7) / 1e3 * 3.85
    for name in ("main", THREADS[2]):
        (thread,) = [one for one in test.threads if one.name == name]
        number = 1 if name == "main" else 2
        seconds = sum((end - start) for tid, start, end in SLICES if START_US + 1000 < start < end < START_US + 1_000_000
                      and (tid == 100) == (number == 1)) / 1e6  # fmt: skip
        found = {profile.method_table.methods[one.method].name: one for one in thread.methods}
        assert found["run"].inclusive_j == pytest.approx(watts * seconds, rel=0.02)
        assert found["work"].inclusive_j == pytest.approx(watts * seconds / 2, rel=0.05)
        assert found["run"].throws == found["run"].calls > 10
    assert not [warning for warning in profile.warnings if warning.code == "not_conserved"]


def test_a_trace_of_version_5_has_the_energies_of_version_3(tmp_path: Path) -> None:
    """Its numbers of threads are thread ids: their names need not be those of the kernel trace."""
    tids = {1: 100, 2: 105}
    events = [(tids[number], method, action, cpu * 1000, wall * 1000) for number, method, action, cpu, wall in _events()]
    energies = []
    for name, data in (
        ("old", art_trace(_events(), THREADS, start_us=START_US)),
        ("new", packed(events, {100: "main", 105: "renamed"}, start_ns=START_US * 1000, in_packet=100)),
    ):
        (tmp_path / name).mkdir()
        written = _written(tmp_path / name, data)
        assert (written.placed.start_ns, written.placed.source, written.without_slices) == (START_US * 1000, "its header", ())
        (test,) = load(tmp_path / name / "rec").tests
        energies.append([thread.energy_j for thread in test.threads])
    assert energies[0] == pytest.approx(energies[1], rel=1e-6) and min(energies[0]) > 0


def test_a_system_trace_of_profiling_manager_has_no_frequencies_and_says_so(tmp_path: Path) -> None:
    """It has the scheduler without `cpu_frequency`."""
    writer = PerfettoWriter()
    writer.tree({100: "org.example.app"}, [(105, 100, "ith a long name")])
    for cpu, tid in ((0, 100), (1, 105)):
        own = sorted((start, end) for of, start, end in SLICES if of == tid)
        writer.compact(cpu, [row for start, end in own for row in ((start * 1000, 0, tid, "x"), (end * 1000, 1, 0, "swapper"))])
    (tmp_path / "trace.pftrace").write_bytes(bytes(writer))
    read = read_kernel_trace(tmp_path / "trace.pftrace", "trace.pftrace")
    _written(tmp_path, art_trace(_events(), {1: "main"}, start_us=START_US), read)
    (cpu_evidence,) = [one for one in load(tmp_path / "rec").evidence if one.component == "cpu"]
    assert cpu_evidence.level == "device"
    assert {"trace_clock_guessed", "no_time_in_state"} <= {reason.code for reason in cpu_evidence.reasons}


@needs_field_data
@pytest.mark.parametrize("case", ["01-perfetto-guest-frequency", "03-perfetto-guest-cpu", "07-per-core-clock"])
def test_the_busy_cores_clock_of_the_host_counts(case: str, tmp_path: Path) -> None:
    folder = FIELD_DATA / "reported-cases" / case
    read = read_kernel_trace(next(folder.glob("trace.*")), case)
    art = read_art_trace(folder / "wall.trace", "wall.trace")
    supply = Supply((folder / "pp.xml").read_bytes(), "pp", 3.85, "option")
    written = write_traced(tmp_path / "rec", read, art, supply, name="wall", pid=None, start_ns=None)
    profile = load(tmp_path / "rec")
    assert profile.tests[0].energy_j == pytest.approx(0.229698, abs=1e-6)
    code = "trace_core_clocks" if case.startswith("07") else "trace_other_machines"
    assert [reason.code for one in profile.evidence for reason in one.reasons if reason.code.startswith("trace")] == [code]
    assert any("1 packet of others than the host" in note.message for note in written.repeated_notes) == (code[6:11] == "other")


def test_a_profile_with_a_placeholder_warns_at_the_import_and_in_the_report(tmp_path: Path) -> None:
    xml = profile_xml([((0,), SPEEDS), ((1,), SPEEDS)], lambda cpu, khz: 0.1 if cpu else khz / 10_000)
    written = _written(tmp_path, art_trace(_events(), THREADS, start_us=START_US), xml=xml)
    for notes in (written.repeated_notes, load(tmp_path / "rec").warnings):
        assert any(note.code == "power_profile" and "cluster 1: all currents are AOSP" in note.message for note in notes)


def test_a_start_of_the_user_counts(tmp_path: Path) -> None:
    written = _written(tmp_path, art_trace(_events(), THREADS), start_ns=START_US * 1000 + 3 * MS)
    assert (written.placed.start_ns, written.placed.source) == (START_US * 1000 + 3 * MS, "--start")
    assert any("poor fit" in note.remedy for note in written.notes)


def test_a_profile_of_one_cluster_is_for_all_cpus_of_the_trace(tmp_path: Path) -> None:
    data = art_trace(_events(), THREADS, start_us=START_US)
    by_cluster = PROFILE.replace(b"<array name='cpu.clusters.cores'><value>2</value></array>", b"")
    assert _written(tmp_path, data, xml=by_cluster).without_slices == ()
    (test,) = load(tmp_path / "rec").tests
    assert all(thread.energy_j > 0 for thread in test.threads)
    by_point = b'<device><array name="cpu.scaling_step_power.policy0"><value>1</value><value>2</value></array></device>'
    (tmp_path / "new").mkdir()
    with pytest.raises(PowerProfileError, match="by operating point"):
        _written(tmp_path / "new", data, xml=by_point)
    with pytest.raises(UsageError, match="the trace has CPU 1"):
        _written(tmp_path / "new", data, xml=profile_xml([((0,), SPEEDS)]))


def test_traces_of_other_times_and_repetitive_ones_are_refused(tmp_path: Path) -> None:
    regular = [(tid, START_US + i * 10_000, START_US + i * 10_000 + 4000) for tid in (100, 105) for i in range(-40, 160)]
    with pytest.raises(RecordingError, match="several places"):
        _written(tmp_path, art_trace(_events(regular), THREADS), _kernel_trace(tmp_path, regular))
    with pytest.raises(RecordingError, match="no thread of the method trace"):
        _written(tmp_path, art_trace(_events(), {1: "main", 2: "x"}, pid=999))
    with pytest.raises(UsageError, match="does not name its process"):
        _written(tmp_path, art_trace(_events(), THREADS, pid=None))


def test_threads_of_another_name_have_no_energy_and_are_named(tmp_path: Path) -> None:
    written = _written(tmp_path, art_trace(_events(), {1: "main", 2: "unknown"}, start_us=START_US))
    assert (written.threads, written.without_slices) == (("main",), ("unknown",))
    assert any("1 thread of the method trace is not found" in note.message for note in written.notes)


def test_a_kernel_trace_without_switches_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    path.write_text("# tracer: nop\n")
    with pytest.raises(RecordingError, match="no usable trace of the scheduler"):
        read_kernel_trace(path, "trace.txt")


@pytest.mark.parametrize("slept_us", [None, 0, 90_000_000])
@pytest.mark.parametrize("is_boottime", [True, False])
def test_a_perfetto_trace_is_on_boottime(slept_us: int | None, is_boottime: bool, tmp_path: Path) -> None:
    """The header's start is boottime or monotonic time; snapshots relate both, if the trace has any."""
    ahead = (slept_us or 0) * 1000
    writer = PerfettoWriter()
    first, last = min(start for _, start, _ in SLICES) * 1000 + ahead, max(end for *_, end in SLICES) * 1000 + ahead
    if slept_us is not None:
        writer.snapshot(first, first - ahead, 1_700_000_000_000_000_000)
        writer.snapshot(last, last - ahead, 1_700_000_000_000_000_000 + last - first)
    writer.tree({100: "org.example.app"}, [(105, 100, "ith a long name")])
    writer.polled_frequencies(first, [800000, 800000])
    for cpu, tid in ((0, 100), (1, 105)):
        own = sorted((start, end) for of, start, end in SLICES if of == tid)
        rows = [row for start, end in own for row in ((start * 1000 + ahead, 0, tid, "x"), (end * 1000 + ahead, 1, 0, "swapper"))]
        writer.compact(cpu, rows)
    (tmp_path / "trace.pftrace").write_bytes(bytes(writer))
    read = read_kernel_trace(tmp_path / "trace.pftrace", "trace.pftrace")
    start_us = START_US + ((slept_us or 0) if is_boottime else 0)
    data = art_trace(_events(), {1: "main", 2: "with a long name"[-15:]}, start_us=start_us)
    written = _written(tmp_path, data, read)
    assert (written.placed.start_ns, written.placed.source) == (START_US * 1000, "its header")
    profile = load(tmp_path / "rec")
    assert {one.level for one in profile.evidence if one.component == "cpu"} == {"sched"}
    (test,) = profile.tests
    assert all(thread.energy_j > 0 for thread in test.threads if thread.name == "main")


@needs_field_data
@pytest.mark.parametrize("name", ["android_systrace.html", "lisa_trace-cmd_report.txt"])
def test_methods_find_their_place_in_a_trace_of_a_real_phone(name: str, tmp_path: Path) -> None:
    """Methods are made from slices of the busiest threads, in a part of the trace; their place must be found again."""
    read = read_kernel_trace(FIELD_DATA / "ftrace" / name, name)
    tids = set(np.unique(read.trace.tasks.tid).tolist())
    running = {tid: one for tid, one in running_threads(read.trace, tids).items() if len(one.from_ns) > 30}
    chosen = sorted(running, key=lambda tid: -len(running[tid].from_ns))[:3]
    span = read.trace.end_ns - read.trace.start_ns
    begin, end = read.trace.start_ns + span // 4, read.trace.start_ns + 3 * span // 4
    events: list[Event] = []
    for number, tid in enumerate(chosen, 1):
        one = running[tid]
        for start, stop in zip(one.from_ns.tolist(), one.to_ns.tolist(), strict=True):
            if begin < start and stop < end:
                events += [(number, 4, ENTER, 0, (start - begin) // 1000 + 1), (number, 4, EXIT, 0, (stop - begin) // 1000)]
    art = _read(tmp_path, art_trace(events, {1: "a", 2: "b", 3: "c"}))
    of_number = {number: running[tid] for number, tid in enumerate(chosen, 1)}
    placed = place(art, read.trace, of_number, start_ns=None, shown=name)
    assert abs(placed.start_ns - begin) <= placed.uncertain_ns + 50_000
    assert placed.uncertain_ns < 2_000_000 and placed.share > 0.97


def test_thread_numbers_of_old_releases_are_thread_ids(tmp_path: Path) -> None:
    read = _kernel_trace(tmp_path)
    events = [(100, 4, ENTER, 0, 1), (105, 4, ENTER, 0, 1)]
    art = _read(tmp_path, art_trace(events, {100: "main", 105: THREADS[2]}, pid=None, version=2))
    assert matched_threads(art, read.trace, 100) == (100, {100: 100, 105: 105})
