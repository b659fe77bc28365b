"""A run's trace: it is joined with the run, or the reason is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ftrace_writer import Form, comments
from support.perfetto_writer import PerfettoWriter
from support.recording_maker import make_recording, start_ns
from support.run_bytes import BOOT_OFFSET_NS, REAL_OFFSET_NS, TID0
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.base.protobuf_writer import varint
from navitas.recording.manifest import File, Warning
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.store import Recording

MS = 1_000_000
SCENARIO = Scenario(
    1000,
    threads=(ThreadSpec("main", (call("a.FooTest#one", 50, 450),), ((50, 100, 1.0),)),),
    tests=(TestSpec("a.FooTest#one", 40, 460),),
)


def boottime(ms: float) -> int:
    return start_ns() + int(ms * MS) + BOOT_OFFSET_NS


def perfetto(tid: int = TID0) -> bytes:
    writer = PerfettoWriter()
    writer.snapshot(boottime(1), start_ns() + MS, start_ns() + MS + REAL_OFFSET_NS)
    writer.tree({4000: "org.example.sample"}, [(tid, 4000, "main")])
    writer.compact(0, [(boottime(10), 0, tid, "main"), (boottime(60), 1, 0, "swapper"), (boottime(70), 0, tid, "main")])
    return b"".join(varint(10) + varint(len(packet)) + packet for packet in writer.packets)


def text(tid: int = TID0) -> bytes:
    form = Form()
    lines = [
        form.switch(0, boottime(10), ("swapper/0", 0, "R"), ("main", tid)),
        "what is this\n",
        form.switch(0, boottime(60), ("main", tid, "S"), ("swapper/0", 0)),
    ]
    return (comments("boot") + "".join(lines)).encode()


def parsed(folder: Path, name: str, data: bytes, *, warnings: tuple[Warning, ...] = ()) -> ParsedRecording:
    recording = make_recording(folder / "rec", SCENARIO)
    path = recording.path / "runs" / "0" / name
    path.write_bytes(data)
    file = File(path=f"runs/0/{name}", kind="trace", bytes=len(data), sha256="0" * 64, run=0)
    manifest = recording.manifest.model_copy(
        update={"files": [*recording.manifest.files, file], "warnings": list(warnings)},
    )
    return parse_recording(Recording(recording.path, manifest))


@pytest.mark.parametrize(("name", "data"), [("trace.pftrace", perfetto()), ("trace.txt", text()), ("trace.html", text())])
def test_a_trace_is_joined_with_its_run(tmp_path: Path, name: str, data: bytes) -> None:
    run = parsed(tmp_path, name, data).runs[0]
    assert run.cpu.trace is not None
    assert run.cpu.trace.switches.t_ns[:2].tolist() == [start_ns() + 10 * MS, start_ns() + 60 * MS]
    assert run.cpu.trace.switches.next_tid[:2].tolist() == [TID0, 0]


def test_a_trace_without_the_process_is_reported(tmp_path: Path) -> None:
    run = parsed(tmp_path, "trace.pftrace", perfetto(tid=99)).runs[0]
    assert run.cpu.trace is None and "trace_without_app" in {reason.code for reason in run.cpu.reasons}


def test_a_trace_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    result = parsed(tmp_path, "trace.pftrace", b"no trace at all")
    assert result.runs[0].cpu.trace is None
    codes = [reason.code for reason in result.runs[0].cpu.reasons]
    assert codes == ["trace_unreadable"] or codes[-1] == "trace_empty"


def test_skipped_lines_are_reported(tmp_path: Path) -> None:
    data = text() + b"            main-5000  [000] d..3  7000.0: sched_switch: torn\n"
    result = parsed(tmp_path, "trace.txt", data)
    assert any("trace.txt" in warning.message and "skipped" in warning.message for warning in result.warnings)


def test_the_reason_for_a_missing_trace_is_reported(tmp_path: Path) -> None:
    own = Warning(code="trace", message="the phone has neither perfetto nor atrace", run=0)
    other = Warning(code="trace", message="something else", run=1)
    run = parsed(tmp_path, "other.bin", b"", warnings=(own, other)).runs[0]
    texts = [reason.text for reason in run.cpu.reasons if reason.code == "tracer"]
    assert texts == ["the phone has neither perfetto nor atrace"]
