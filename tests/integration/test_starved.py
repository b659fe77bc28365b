"""Every report of a starved recording states it, and the virtual phone's recordings have their tests' waiting times."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.lab import Profiled
from support.recording_maker import make_recording
from support.scenario import Call, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.analyze.load import load_tables
from navitas.cli.main import run

pytestmark = pytest.mark.xdist_group("cases")
TEST = "org.example.PollTest#polls"


def polled(*, ran: float, waited: float, repeat: int = 0) -> Scenario:
    """A test of one second, whose thread ran and waited for these shares of it."""
    thread = ThreadSpec("main", (Call(TEST, 100.0, 1100.0),), ((100.0, 1100.0, ran),), waiting=((100.0, 1100.0, waited),))
    return Scenario(threads=(thread,), tests=(TestSpec(TEST, 100.0, 1100.0),), duration_ms=1200.0, repeat=repeat)


def test_a_starved_recording_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = (polled(ran=0.95, waited=0.02), polled(ran=0.4, waited=0.58, repeat=1))
    recording = make_recording(tmp_path / "rec", *runs)
    assert run(["report", str(recording.path), "--json", str(tmp_path / "report.json")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "this computer was busy with other work while 1 test waited for a CPU" in shown
    assert "docs/unsteady-tests.md" in shown
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    shares = [test["starved_share"] for test in report["tests"]]
    assert shares == pytest.approx([0.02 / 0.97, 0.58 / 0.98], rel=0.05)
    (pace,) = [each["pace"] for each in report["repeats"]]
    assert pace["cpu_ratio"] == pytest.approx(0.95 / 0.4, rel=0.05)
    assert pace["calls"] == [1, 1]
    assert {warning["code"] for warning in report["warnings"]} >= {"starved", "pace_changed"}


def test_a_recording_without_waiting_times_is_not_reported_as_starved(tmp_path: Path) -> None:
    recording = make_recording(tmp_path / "rec", polled(ran=0.4, waited=0.0))
    profile = navitas.load(recording.path)
    assert profile.cpu_use(profile.tests[0]).starved_share is None
    assert "starved" not in {notice.code for notice in profile.warnings}


def test_the_virtual_phone_records_waiting_times(cases: Profiled) -> None:
    """On any host, the reported time is the time that its kernel counted."""
    (run,) = load_tables(cases.outcome.recording).parsed.runs
    queue = run.run_queue
    assert queue is not None
    for test, window in zip(cases.profile.tests, run.windows, strict=True):
        use = cases.profile.cpu_use(test)
        first, last = np.interp([window.start_ns, window.end_ns], queue.t_ns, queue.waited_ns)
        assert use.waited_ns == pytest.approx(last - first, abs=1)
        assert use.starved_ns is not None
        assert 0 <= use.starved_ns <= use.waited_ns
