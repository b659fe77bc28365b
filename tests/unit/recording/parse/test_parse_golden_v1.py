"""The frozen recording of schema version 1 must stay readable with exactly these figures. It is never updated."""

from __future__ import annotations

import numpy as np
import pytest
from support.golden import GOLDEN

from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.store import open_recording

MAIN, GC = "main", "GC Thread#0"


@pytest.fixture(scope="module")
def parsed() -> ParsedRecording:
    return parse_recording(open_recording(GOLDEN))


def test_manifest() -> None:
    recording = open_recording(GOLDEN)
    manifest = recording.manifest
    assert recording.check() == ()
    assert (manifest.state, manifest.device.kind, manifest.power_profile.voltage_v) == ("complete", "virtual", 3.85)
    assert [(run.id, run.exit, run.repeat, run.pid) for run in manifest.runs] == [
        (0, "crashed", 0, 4000),
        (1, "complete", 1, 4001),
    ]
    assert [(test.id, test.run, test.class_name, test.method, test.status) for test in manifest.tests] == [
        (0, 0, "org.example.SortTest", "withSort", "passed"),
        (1, 0, "org.example.SortTest", "cut", "cut"),
        (2, 1, "org.example.SortTest", "withSort", "failed"),
    ]


def test_methods_and_losses(parsed: ParsedRecording) -> None:
    assert [f"{m.class_name}#{m.name}" for m in parsed.method_table.methods] == [
        "org.example.SortTest#cut",
        "org.example.SortTest#withSort",
        "org.example.Sorter#merge",
        "org.example.Sorter#sort",
        "org.example.Sorter$1#run",
    ]
    assert parsed.method_table.base == {"36b9b900498770ce": 0}
    assert [(loss.what, loss.count, loss.run) for loss in parsed.losses] == [("events", 3, 0)]
    assert [warning.code for warning in parsed.warnings] == ["events"]


def test_a_run_of_events_from_a_file(parsed: ParsedRecording) -> None:
    run = parsed.runs[0]
    main, worker, gc = run.threads
    assert [(w.test_id, w.start_ns, w.end_ns) for w in run.app.windows] == [
        (0, 1_000_010_000_000, 1_000_190_000_000),
        (1, 1_000_240_000_000, 1_000_400_000_000),
    ]
    assert (run.start_ns, run.end_ns) == (1_000_000_000_000, 1_000_400_000_000)
    assert [(t.serial, t.tid, t.name, t.role, t.lost_events) for t in run.threads] == [
        (1, 5000, "main", "app", 0),
        (2, 5001, "pool-1-thread-1", "app", 3),
        (-1, 5002, "GC Thread#0", "gc", 0),
    ]
    assert main.calls.whole().method.tolist() == [1, 3, 2, 2, 2, 2, 3, 1, 0, 3]
    assert main.calls.whole().kind.tolist() == [0, 0, 0, 1, 0, 2, 1, 1, 0, 0]
    assert ((main.calls.whole().t_ns - run.start_ns) // 1_000_000).tolist() == [20, 30, 40, 60, 70, 100, 150, 180, 250, 260]
    assert (int(main.anchors.cpu_ns[-1]), int(main.samples.cpu_ns[-1])) == (285_000_000, 355_000_000)
    assert (int(worker.anchors.cpu_ns[-1]), int(gc.samples.cpu_ns[-1])) == (63_000_000, 20_000_000)


def test_a_folded_run_from_logcat(parsed: ParsedRecording) -> None:
    run = parsed.runs[1]
    main = run.threads[0]
    folded = main.folded
    assert [(w.test_id, w.start_ns, w.end_ns) for w in run.app.windows] == [(2, 2_000_010_000_000, 2_000_190_000_000)]
    assert len(main.calls) == 0
    assert {(n, p, m) for n, p, m in zip(folded.node.tolist(), folded.parent.tolist(), folded.method.tolist(), strict=True)} == {
        (0, -1, 1),
        (1, 0, 3),
        (2, 1, 2),
    }
    self_ms = {node: int(folded.self_ns[folded.node == node].sum()) // 1_000_000 for node in range(3)}
    assert self_ms == {0: 40, 1: 70, 2: 50}
    assert (folded.calls.sum(), folded.throws.sum()) == (4, 1)
    assert int(main.anchors.cpu_ns[-1]) == 280_000_000


def test_sampled_tables(parsed: ParsedRecording) -> None:
    run = parsed.runs[0]
    assert run.cpu.process is not None and run.cpu.stat is not None and run.devices.rails is not None
    assert int(run.cpu.process.cpu_ns[-1]) == 430_000_000
    assert run.cpu.stat.busy_ns[-1].tolist() == [230_000_000, 100_000_000, 60_000_000, 20_000_000]
    assert run.devices.rails.names == ("S2M_VDD_CPUCL2", "VSYS_PWR_MMWAVE")
    np.testing.assert_allclose(run.devices.rails.energy_j[[0, -1]], [[7.0, 7.0], [7.5, 7.04]])
    low, high = run.cpu.time_in_state
    assert (low.policy, low.freq_khz.tolist()) == (0, [500_000, 1_000_000])
    assert (low.ns[-1] - low.ns[0]).tolist() == [320_000_000, 70_000_000]
    assert (high.ns[-1] - high.ns[0]).tolist() == [400_000_000, 0]
