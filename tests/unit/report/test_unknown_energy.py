"""Reports of calls whose energy is unknown: those of virtual threads whose carriers are unknown."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console
from support.recording_maker import make_recording
from support.scenario import Call, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.analyze.profile import Profile
from navitas.compare.session import parse_session
from navitas.report import html_report, json_report
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
    text = io.StringIO()
    json_report.write(unknown, text)
    report = json.loads(text.getvalue())
    jsonschema.validate(report, json_report.schema())
    methods = {method["name"]: method for method in report["methods"]}
    assert methods["handle"]["exclusive_j"] is None and methods["handle"]["measured_calls"] == 0
    assert methods["spin"]["calls"] == [2] and methods["spin"]["measured_calls"] == 1
    threads = {thread["name"]: thread for thread in report["tests"][0]["threads"]}
    assert threads["v"]["energy_j"] is threads["v"]["cpu_ns"] is None
    assert all(row["inclusive_j"] is None for row in (*threads["v"]["methods"], *threads["v"]["nodes"]))
    assert threads["main"]["energy_j"] > 0 and all(method["exclusive_j"] > 0 for method in threads["main"]["methods"])


def test_a_comparison_leaves_out_threads_without_energy(unknown: Profile) -> None:
    text = io.StringIO()
    json_report.write(unknown, text)
    session = parse_session(text.getvalue(), "report.json")
    names = {subject.name for subject in session.joules(session.tests) if subject.kind in {"thread", "method"}}
    assert names == {"main", "a.Work.spin()V"}


def test_tables_and_pages_have_dashes(unknown: Profile) -> None:
    console = Console(width=200, no_color=True, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        TerminalReport().render(unknown, console)
    rows = [line.split() for line in capture.get().splitlines()]
    (handle,) = [row for row in rows if row[:1] == ["a.Work.handle"]]
    assert handle[1:5] == ["–", "–", "–", "–"]
    (thread,) = [row for row in rows if row[:1] == ["v"]]
    assert thread[1:3] == ["–", "–"]
    page = io.StringIO()
    html_report.write(unknown, page)
    assert "no_thread_cpu_time" in {notice.code for notice in unknown.warnings}
    assert "2 calls have no energy" in page.getvalue()
