"""Every report of a starved recording states it. test_known_cases.py compares the waiting times of the virtual phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture
from support.recording_maker import make_recording
from support.scenario import Call, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.cli.main import run

TEST = "org.example.PollTest#polls"


def polled(*, ran: float, waited: float, repeat: int = 0) -> Scenario:
    """A test of one second, whose thread ran and waited for these shares of it."""
    thread = ThreadSpec("main", (Call(TEST, 100.0, 1100.0),), ((100.0, 1100.0, ran),), waiting=((100.0, 1100.0, waited),))
    return Scenario(threads=(thread,), tests=(TestSpec(TEST, 100.0, 1100.0),), duration_ms=1200.0, repeat=repeat)


def test_a_starved_recording_is_reported(tmp_path: Path, capsys: Capture) -> None:
    runs = (polled(ran=0.95, waited=0.02), polled(ran=0.4, waited=0.58, repeat=1))
    recording = make_recording(tmp_path / "rec", *runs)
    assert run(["report", str(recording.path), "--json", str(tmp_path / "report.json")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "other programs kept this computer busy, so 1 test waited for a CPU" in shown
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
