"""Reports of calls whose energy is unknown: those of virtual threads whose carriers are unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from support.recording_maker import make_recording
from support.reports import data_of, printed, text_of
from support.scenario import Call, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.insight.compare.comparison import compare
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.report_session import parse_session
from navitas.report import json_report
from navitas.report.page import page_report
from navitas.report.terminal.terminal_report import TerminalReport

SPIN = Call("a.Work#spin", 10, 30)
MAIN = ThreadSpec("main", (SPIN,), busy=((10, 30, 1.0),))
VIRTUAL = ThreadSpec("v", (Call("a.Work#handle", 40, 80, (Call("a.Work#spin", 40, 60),)),), mounts=())


@pytest.fixture
def unknown(tmp_path: Path) -> Profile:
    """A profile in which one of two calls of `spin`, and its caller `handle`, ran on a thread without a clock."""
    scenario = Scenario(100, (MAIN, VIRTUAL), (TestSpec("a.VirtualTest#waits", 5, 95),))
    return navitas.load(make_recording(tmp_path / "recording", scenario).path)


def test_json_has_null_and_the_calls_that_are_measured(unknown: Profile) -> None:
    report = data_of(json_report.write, unknown)
    jsonschema.validate(report, json_report.schema())
    methods = {method["name"]: method for method in report["methods"]}
    assert methods["handle"]["exclusive_j"] is None and methods["handle"]["measured_calls"] == 0
    assert methods["spin"]["calls"] == [2] and methods["spin"]["measured_calls"] == 1
    threads = {thread["name"]: thread for thread in report["tests"][0]["threads"]}
    assert threads["v"]["energy_j"] is threads["v"]["cpu_ns"] is None
    assert all(row["inclusive_j"] is None for row in (*threads["v"]["methods"], *threads["v"]["nodes"]))
    table = unknown.to_arrow().to_pylist()
    assert {row["exclusive_j"] for row in table if row["thread"] == "v"} == {None}
    assert None not in {row["exclusive_j"] for row in table if row["thread"] != "v"}
    assert threads["main"]["energy_j"] > 0 and all(method["exclusive_j"] > 0 for method in threads["main"]["methods"])


def test_a_comparison_leaves_out_what_is_not_known_on_both_sides(unknown: Profile, tmp_path: Path) -> None:
    scenario = Scenario(100, (MAIN, replace(VIRTUAL, mounts=None)), (TestSpec("a.VirtualTest#waits", 5, 95),))
    known = navitas.load(make_recording(tmp_path / "known", scenario).path)
    sessions = [parse_session(text_of(json_report.write, profile), "report.json") for profile in (unknown, known)]
    choice = FigureChoice()
    found = compare(sessions[:1], sessions[1:], choice, together=False, margin_percent=1, least_share=0)
    assert {change.subject.name for change in found.changes if change.subject.kind in {"thread", "method"}} == {"main"}
    assert any("a.Work.spin()V" in note and "CPU time" in note for note in found.warnings)


def test_tables_and_pages_have_dashes(unknown: Profile) -> None:
    rows = [line.split() for line in printed(TerminalReport(), unknown, 200).splitlines()]
    (handle,) = [row for row in rows if row[:1] == ["a.Work.handle"]]
    assert handle[1:5] == ["–", "–", "–", "–"]
    (thread,) = [row for row in rows if row[:1] == ["v"]]
    assert thread[1:3] == ["–", "–"]
    assert "no_thread_cpu_time" in {notice.code for notice in unknown.warnings}
    assert "2 calls have no CPU energy" in text_of(page_report.write, unknown)
