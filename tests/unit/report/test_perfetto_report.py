"""Perfetto traces: the kernel trace stays as it is, sums are those of the report, and calls, tests and power are on its clock."""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from profile_maker import EVIL, profile
from support.ftrace_writer import Form, comments
from support.ledger_maker import ThreadSpec as LedgerThread
from support.messenger_profile import messenger, polls
from support.perfetto_reader import ReadTrace, Slice, read_trace
from support.perfetto_writer import PerfettoWriter
from support.recording_maker import PID0, make_recording, start_ns
from support.reports import output_of
from support.run_bytes import BOOT_OFFSET_NS, REAL_OFFSET_NS, TID0
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.android.perfetto.messages import message_class
from navitas.base.protobuf_writer import content as field_content
from navitas.energy.analyze.load import TestSelection, analyze, load_tables
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.analysis_settings import AnalysisSettings
from navitas.energy.attribute.calls import walk
from navitas.recording.manifest import File, Manifest
from navitas.recording.store import MANIFEST_NAME
from navitas.report.perfetto import perfetto_report
from navitas.report.perfetto.energy_samples import whole_uj
from navitas.report.perfetto.largest_calls import LargestCalls
from navitas.report.perfetto.trace_packets import SEQUENCE
from navitas.report.registry import find_format

MS = 1_000_000
CALLS = (
    call("a.FooTest#one", 50, 450, call("a.Foo#slow", 100, 300, call("a.Foo#leaf", 120, 130)), call("a.Foo#quick", 310, 320)),
    call("a.FooTest#two", 500, 700),
)
SCENARIO = Scenario(
    1000,
    threads=(
        ThreadSpec("main", CALLS, ((50, 450, 0.8), (500, 700, 0.5))),
        ThreadSpec("work\ner", (call("a.Work#run", 200, 600),), ((200, 600, 0.4),)),
    ),
    tests=(TestSpec("a.FooTest#one", 40, 460), TestSpec("a.FooTest#two", 490, 710)),
    rails={"VDD_CPU": ((0, 1000, 1.5),)},
)


def boottime_ns(ms: float, run: int = 0) -> int:
    return start_ns(run) + round(ms * MS) + BOOT_OFFSET_NS


def kernel_trace(run: int = 0) -> bytes:
    writer = PerfettoWriter()
    writer.snapshot(boottime_ns(1, run), start_ns(run) + MS, start_ns(run) + MS + REAL_OFFSET_NS)
    writer.tree({PID0 + run: "org.example.sample"}, [(TID0, PID0 + run, "main"), (TID0 + 1, PID0 + run, "worker")])
    switches = [(boottime_ns(ms, run), 0, tid, "main") for ms, tid in ((50, TID0), (450, 0), (500, TID0), (700, 0))]
    writer.compact(0, switches)
    writer.compact(1, [(boottime_ns(200, run), 0, TID0 + 1, "worker"), (boottime_ns(600, run), 0, 0, "swapper")])
    return bytes(writer)


_FORM = Form()
TEXT = "".join(
    [
        comments("boot"),
        _FORM.switch(0, boottime_ns(10), ("swapper/0", 0, "R"), ("main", TID0)),
        _FORM.switch(0, boottime_ns(60), ("main", TID0, "S"), ("swapper/0", 0)),
    ]
).encode()


def recorded(folder: Path, *traces: tuple[str, bytes], scenario: Scenario = SCENARIO, runs: int = 1) -> Path:
    recording = make_recording(folder / "rec", *(replace(scenario, repeat=run) for run in range(runs)))
    files = []
    for run, (name, data) in enumerate(traces):
        path = f"runs/{run}/{name}"
        (recording.path / path).write_bytes(data)
        files.append(File(path=path, kind="trace", bytes=len(data), sha256="0" * 64, run=run))
    manifest: Manifest = recording.manifest.model_copy(update={"files": [*recording.manifest.files, *files]})
    (recording.path / MANIFEST_NAME).write_text(manifest.model_dump_json(by_alias=True))
    return recording.path


def analyzed(recording: Path, selection: TestSelection | None = None) -> Profile:
    return analyze(load_tables(recording, AnalysisSettings(call_steps=True, recorded=True)), selection)


def read(made: Profile) -> ReadTrace:
    return read_trace(output_of("perfetto", made), SEQUENCE)


def whole_run(trace: ReadTrace) -> Slice:
    return next(found for found in trace.slices if found.track.names[-1] == "Navitas")


def calls_of(trace: ReadTrace) -> dict[str, Slice]:
    return {found.name: found for found in trace.slices if found.arguments.keys() == {"energy_uj"}}


def checked(made: Profile) -> ReadTrace:
    """Read the report. Its weights are the profile's energy but for less than 1 µJ, and none is negative."""
    trace = read(made)
    assert all(sample.weight > 0 for sample in trace.samples)
    assert {(sample.counter, sample.unit) for sample in trace.samples} == {("energy", "uJ")}
    assert abs(sum(sample.weight for sample in trace.samples) - made.totals.energy_j * 1e6) < 1.01
    return trace


def packets_of(trace: bytes) -> list[bytes]:
    return [packet.SerializeToString() for packet in message_class("Trace").FromString(trace).packet]


def test_the_kernel_trace_stays_as_it_is(tmp_path: Path) -> None:
    data = output_of("perfetto", analyzed(recorded(tmp_path, ("trace.pftrace", kernel_trace()))))
    trace = read_trace(data, SEQUENCE)
    assert trace.others == packets_of(kernel_trace())
    assert whole_run(trace).arguments["kernel trace"] == "included"
    assert not trace.clocks, "Perfetto drops a clock that goes back"
    first, second = message_class("Trace").FromString(data).packet[:2]
    assert first.HasField("clock_snapshot") and second.trusted_packet_sequence_id == SEQUENCE, "sorted as it is read"


def test_figures_precede_a_compressed_kernel_trace(tmp_path: Path) -> None:
    content = kernel_trace()
    compressed = PerfettoWriter()
    compressed.packets = [field_content(50, zlib.compress(content))]
    data = output_of("perfetto", analyzed(recorded(tmp_path, ("trace.pftrace", bytes(compressed)))))
    assert data.endswith(bytes(compressed))
    assert whole_run(read_trace(data, SEQUENCE)).arguments["kernel trace"] == "included"


def test_traces_of_all_runs_follow_each_other(tmp_path: Path) -> None:
    traces = [("trace.pftrace", kernel_trace(run)) for run in range(2)]
    made = analyzed(recorded(tmp_path, *traces, runs=2))
    trace = checked(made)
    assert trace.others == packets_of(traces[0][1] + traces[1][1])
    assert {sample.pid for sample in trace.samples} == {PID0, PID0 + 1}


def test_a_damaged_end_of_the_kernel_trace_is_left_out(tmp_path: Path) -> None:
    trace = read(analyzed(recorded(tmp_path, ("trace.pftrace", kernel_trace() + b"\x0a\x50torn"))))
    assert trace.others == packets_of(kernel_trace())


@pytest.mark.parametrize(
    ("traces", "said"),
    [
        ((), "none was recorded"),
        ((("trace.pftrace", b"no trace"),), "not included: it could not be joined with the run"),
        ((("trace.txt", TEXT),), "not included: trace.txt is text"),
    ],
)
def test_without_a_kernel_trace_the_clocks_are_those_of_the_run(
    tmp_path: Path, traces: tuple[tuple[str, bytes], ...], said: str
) -> None:
    trace = read(analyzed(recorded(tmp_path, *traces)))
    assert not trace.others
    assert whole_run(trace).arguments["kernel trace"] == said
    (clocks,) = trace.clocks
    assert clocks[6] - clocks[3] == BOOT_OFFSET_NS and clocks[1] - clocks[3] == REAL_OFFSET_NS


@pytest.mark.parametrize("traces", [(), (("trace.pftrace", kernel_trace()),)])
def test_samples_have_the_energy_of_the_report(tmp_path: Path, traces: tuple[tuple[str, bytes], ...]) -> None:
    made = analyzed(recorded(tmp_path, *traces))
    trace = checked(made)
    for name in ("slow", "leaf", "run"):
        stacks = [sample for sample in trace.samples if sample.frames[-1][0].endswith(f".{name}")]
        method = next(total for total in made.method_totals() if total.method.name == name)
        assert sum(sample.weight for sample in stacks) == pytest.approx(method.exclusive_j * 1e6, abs=2)
        assert {sample.tid for sample in stacks} == {TID0 + 1 if name == "run" else TID0}
        assert {sample.pid for sample in stacks} == {PID0}
    leaf = next(sample for sample in trace.samples if sample.frames[-1][0] == "a.Foo.leaf")
    assert [frame[0] for frame in leaf.frames] == ["main", "a.FooTest.one", "a.Foo.slow", "a.Foo.leaf"]
    assert boottime_ns(118) <= leaf.t_ns <= boottime_ns(132)


def test_calls_are_nested_slices_of_their_threads(tmp_path: Path) -> None:
    made = analyzed(recorded(tmp_path, ("trace.pftrace", kernel_trace())))
    calls = calls_of(read(made))
    assert {name: found.depth for name, found in calls.items()} == {
        "a.FooTest.one": 0, "a.Foo.slow": 1, "a.Foo.leaf": 2, "a.Foo.quick": 1, "a.FooTest.two": 0, "a.Work.run": 0,
    }  # fmt: skip
    slow, work = calls["a.Foo.slow"], calls["a.Work.run"]
    assert (slow.begin_ns, slow.end_ns) == pytest.approx((boottime_ns(100), boottime_ns(300)), abs=MS)
    assert (slow.track.pid, slow.track.tid, work.track.tid) == (PID0, TID0, TID0 + 1)
    assert work.track.names == ("work\\u000aer",)
    one, leaf = (calls[f"a.{name}"].arguments["energy_uj"] for name in ("FooTest.one", "Foo.leaf"))
    assert isinstance(one, float) and isinstance(leaf, float)
    inclusive = {total.method.name: total.inclusive_j * 1e6 for total in made.method_totals()}
    assert (one, leaf) == pytest.approx((inclusive["one"], inclusive["leaf"]), rel=1e-6)


def test_only_the_largest_calls_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfetto_report, "LargestCalls", partial(LargestCalls, most=2))
    trace = read(analyzed(recorded(tmp_path)))
    assert calls_of(trace).keys() == {"a.FooTest.one", "a.Foo.slow"}
    assert str(whole_run(trace).arguments["calls"]).startswith("the 2 with most energy of 6")


def test_calls_are_the_same_when_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unfinished = call("a.FooTest#two", 500, None, call("a.Foo#throws", 510, 520))
    main = replace(SCENARIO.threads[0], calls=(CALLS[0], unfinished))
    scenario = replace(SCENARIO, threads=(main, SCENARIO.threads[1]), events_per_chunk=2)
    made = analyzed(recorded(tmp_path, scenario=scenario))
    calls = calls_of(read(made))
    assert len(calls) == 7
    assert calls["a.FooTest.two"].end_ns >= boottime_ns(700)
    monkeypatch.setattr(walk, "PIECE_EVENTS", 2)
    assert calls_of(read(made)) == calls


def test_tests_are_slices_with_their_energy(tmp_path: Path) -> None:
    made = analyzed(recorded(tmp_path))
    tests = [found for found in read(made).slices if found.track.names[-1] == "Tests"]
    assert [(found.name, found.begin_ns, found.end_ns) for found in tests] == [
        ("a.FooTest#one", boottime_ns(40), boottime_ns(460)),
        ("a.FooTest#two", boottime_ns(490), boottime_ns(710)),
    ]
    for found, test in zip(tests, made.tests, strict=True):
        assert found.arguments["energy_uj"] == test.energy_j * 1e6
        assert found.arguments["status"] == "passed"


def test_power_adds_up_to_the_energy(tmp_path: Path) -> None:
    made = analyzed(recorded(tmp_path))
    trace = read(made)
    assert integral_j(trace.counters["org.example.sample", "power of cpu"]) == pytest.approx(made.totals.energy_j, rel=1e-6)
    owners = [values for names, values in trace.counters.items() if names[-1] == "power"]
    assert sum(map(integral_j, owners)) == pytest.approx(made.totals.energy_j, rel=1e-6)
    assert {track.unit for track in trace.tracks.values() if track.names[-1] == "power"} == {"mW"}
    (rail,) = (values for names, values in trace.counters.items() if names[-1] == "rail VDD_CPU")
    assert [value for _, value in rail] == pytest.approx([*([1500.0] * (len(rail) - 1)), 0.0], rel=0.01)


def integral_j(values: list[tuple[int, float]]) -> float:
    assert values[-1][1] == 0
    return math.fsum(value * (until - since) for (since, value), (until, _) in pairwise(values)) / 1e12


def test_chosen_tests_alone(tmp_path: Path) -> None:
    made = analyzed(recorded(tmp_path), TestSelection(("*#two",), frozenset({("a.FooTest", "two")})))
    trace = checked(made)
    assert [found.name for found in trace.slices if found.track.names[-1] == "Tests"] == ["a.FooTest#two"]
    assert not any("Foo.slow" in found.name for found in trace.slices)


def test_a_profile_without_its_recording() -> None:
    made = messenger()
    trace = checked(made)
    about = whole_run(trace).arguments
    assert about["kernel trace"] == about["calls"] == "not included: the profile has no recording"
    assert not trace.others
    polled = [sample for sample in trace.samples if sample.frames[-1] == ("org.example.Inbox.poll", "Inbox.java", 34)]
    assert sum(sample.weight for sample in polled) == 6_000_000


def test_names_are_printable() -> None:
    trace = checked(profile())
    names = [name for track in trace.tracks.values() for name in track.names] + [found.name for found in trace.slices]
    names += [frame[0] for sample in trace.samples for frame in sample.frames]
    assert any("\\u001b" in name for name in names)
    assert not any(char in name for name in names for char in "\x1b\u202e\n")
    assert "\x1b" in EVIL


def test_negative_energy_lowers_other_samples() -> None:
    worker = LedgerThread(2, "worker", -1e-3)
    made = messenger(replace(polls(), threads=(*polls().threads, worker)))
    trace = checked(made)
    assert not any(frame[0] == "worker" for sample in trace.samples for frame in sample.frames[1:])


def test_baseline_runs_are_left_out(tmp_path: Path) -> None:
    recording = recorded(tmp_path, ("trace.pftrace", kernel_trace(0)), ("trace.pftrace", kernel_trace(1)), runs=2)
    manifest = Manifest.model_validate_json((recording / MANIFEST_NAME).read_text())
    runs = [manifest.runs[0], manifest.runs[1].model_copy(update={"baseline": True})]
    (recording / MANIFEST_NAME).write_text(manifest.model_copy(update={"runs": runs}).model_dump_json(by_alias=True))
    made = analyzed(recording)
    trace = checked(made)
    assert len(trace.others) == 4
    assert {sample.pid for sample in trace.samples} == {PID0}


ENERGIES = st.lists(st.tuples(st.integers(0, 5), st.floats(-50, 50) | st.integers(-3, 3).map(float)), max_size=40)


@given(ENERGIES)
@example([(0, -5.0), (1, 3.0)])
def test_whole_microjoules_have_the_sum_of_all(rows: list[tuple[int, float]]) -> None:
    rows.sort(key=lambda row: row[0])
    group, energy_uj = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
    order, weights = whole_uj(group, energy_uj)
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(max(energy_uj.sum(), 0.0), abs=1.01)


def test_the_extension_names_the_format() -> None:
    form = find_format("perfetto")
    assert (form.extension, form.binary, form.call_steps, form.recorded) == (".pftrace", True, True, True)
