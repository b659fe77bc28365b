"""Views in the terminal, at any width, and in the JSON report."""

from __future__ import annotations

import io
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from attribution_maker import nested, run, thread
from hardware_maker import ABOUT, CAMERA_ON, profile_of, rails
from rich.cells import cell_len
from rich.console import Console
from support.reports import closed, data_of, printed, text_of
from support.run_tables import changed

from navitas.base.errors import UsageError
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.report import json_report, text
from navitas.report.terminal.power_table import blocks
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport
from navitas.report.view_request import VIEWS, ViewRequest


def photographed(*, use_rails: bool = True) -> Profile:
    """m1, called by m0, has a camera on for 200 ms. Its rail measured 0.24 J, the model estimates 0.12 J."""
    calls = nested((100, 900, 0), (200, 300, 1))
    threads = [thread(1, calls, [(0, 0), (1000, 100)], name="main"), thread(2, samples=[(0, 0), (1000, 50)], name="worker")]
    measured = rails([(0, (1.0,)), (1000, (1.24,))], ["VSYS_PWR_CAM"])
    return profile_of(changed(run(threads, [(0, 1000)]), hooks=CAMERA_ON, rails=measured), use_rails=use_rails)


def views(*names: str, **more: object) -> ViewRequest:
    return ViewRequest(names, **more)  # type: ignore[arg-type]


def row(text: str, key: str) -> list[str]:
    """The cells of the first table row with this key."""
    return next(line for line in text.splitlines() if line.startswith(f"{key} ")).split()


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_views_fit_the_terminal(width: int) -> None:
    found = printed(ViewsReport(views(*VIEWS, step_ns=100_000_000)), photographed(), width)
    assert max(map(cell_len, found.splitlines())) <= width
    for title in ("Components", "Apps, other processes and base", "Run 0", "main: "):
        assert title in found


def test_the_report_has_energy_evidence_rails_and_the_model_alone_of_each_component() -> None:
    found = printed(TerminalReport(), photographed())
    assert row(found, "camera")[:9] == ["camera", "240", "mJ", *row(found, "camera")[3:6], "rails", "240", "mJ"]
    assert "camera × 2.00" in found and " 120 mJ " in found
    by_model = printed(TerminalReport(), photographed(use_rails=False))
    assert row(by_model, "camera")[1:3] == ["120", "mJ"] and "(--evidence model)" in " ".join(by_model.split())
    assert "Evidence of camera: hooks" in by_model and "Evidence of cpu: " in by_model


def test_rows_of_methods_name_the_component_of_a_call() -> None:
    found = printed(TerminalReport(), photographed())
    (line,) = (line for line in found.splitlines() if line.startswith("a.C.m1 "))
    assert "camera 99." in line
    (line,) = (line for line in found.splitlines() if line.startswith("a.C.m0 "))
    assert "camera" not in line


def test_a_component_limits_every_view() -> None:
    found = printed(ViewsReport(views(*VIEWS, component="camera")), photographed())
    assert "\ncpu " not in found and "Evidence of cpu" not in found and "worker" not in found
    assert "main, camera: 240 mJ" in found


def test_the_depth_limits_the_tree_and_the_sum_of_the_rest_is_split_by_component() -> None:
    found = printed(ViewsReport(views("tree", depth=1)), photographed())
    assert "\na.C.m0 " in found and "· a.C.m1" not in found
    assert " 240 mJ " in next(line for line in found.splitlines() if line.startswith("· … 1 more"))


def test_a_thread_limits_timeline_and_tree() -> None:
    found = printed(ViewsReport(views("timeline", "tree", thread="worker")), photographed())
    assert "worker: " in found and "main: " not in found
    camera = row(found, "camera")
    assert camera[-2:] == ["0", "J"]


def test_threads_without_calls_are_summed_up() -> None:
    found = printed(ViewsReport(views("tree")), photographed())
    assert "… 1 thread without traced calls: " in found and "worker" not in found


def test_a_run_without_length_has_a_title_only() -> None:
    made = photographed()
    runs = tuple(replace(entry, end_ns=entry.start_ns) for entry in made.ledger.runs)
    empty = Profile(replace(made.ledger, runs=runs), ABOUT)
    assert "Run 0, repeat 1: 0 s" in printed(ViewsReport(views("timeline", step_ns=1_000_000)), empty)
    (one,) = data_of(json_report.write, empty, views=views("timeline"))["views"]["timeline"]["runs"]
    assert one["power_w"]["camera"] == []


def test_steps_have_rows_if_their_length_was_given() -> None:
    assert "\n100 ms " in printed(ViewsReport(views("timeline", step_ns=100_000_000)), photographed())
    assert "From" not in printed(ViewsReport(views("timeline")), photographed())
    fine = printed(ViewsReport(views("timeline", step_ns=1_000_000)), photographed())
    assert "1,000 steps do not fit here: --json has them." in fine and "in steps of 20.0 ms" in fine


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("step_ns", [None, 200_000_000])
def test_below_a_chart_are_the_time_and_the_tests(width: int, step_ns: int | None) -> None:
    """One cell of each line is one step, which is the only length that the view names."""
    text = printed(ViewsReport(views("timeline", step_ns=step_ns)), photographed(), width=width)
    header = next(line for line in text.splitlines() if "Power over time" in line)
    at = header.index("Power over time")
    rows = {line[:at].strip(): line[at:] for line in text.splitlines() if line[:at].strip() in ("camera", "Time", "Tests")}
    assert rows["Time"].startswith("╵0 s") and rows["Tests"].startswith("a─")
    assert text.count("in steps of") == 1 and "Each block" not in text
    assert "\na  a.CTest#t0\n" in text
    assert len(rows["Tests"].split()[0]) >= len(rows["camera"].split()[0])


def test_a_view_is_printed_alone() -> None:
    """Without the report's header and its footer: one line names the evidence and counts the warnings."""
    made = photographed()
    made = Profile(made.ledger, ABOUT, [Notice("lost", "3 chunks lost", "")])
    lines = printed(ViewsReport(views("timeline")), made).splitlines()
    assert lines[0].startswith("Run 0") and lines[-2] == ""
    assert lines[-1] == "Evidence: thread-time for cpu; rails for camera. 1 warning: see the report without --view."


@pytest.mark.parametrize(("values", "wanted"), [([0.0, 1.0, 8.0], " ▁█"), ([0.0, 0.0], "  "), ([], ""), ([5.0], "█")])
def test_blocks(values: list[float], wanted: str) -> None:
    assert blocks(np.array(values)) == wanted


@pytest.mark.parametrize(
    ("request_", "message"),
    [(views("top", component="wify"), "component 'wify'"), (views("tree", thread="mian"), "thread 'mian'")],
)
def test_an_unknown_name_is_an_error_with_the_nearest_one(request_: ViewRequest, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        ViewsReport(request_).render(photographed(), Console(file=io.StringIO()))
    assert caught.value.remedy and caught.value.remedy.startswith("known are ")


def test_the_json_report_has_the_views() -> None:
    made = photographed()
    report = data_of(json_report.write, made, views=views(*VIEWS, step_ns=100_000_000))
    jsonschema.validate(report, closed(json_report.schema()))
    top, timeline, tree = (report["views"][name] for name in VIEWS)
    assert top["energy_j"] == pytest.approx(report["totals"]["energy_j"])
    camera = next(one for one in top["components"] if one["component"] == "camera")
    assert (camera["rails_j"], camera["unscaled_j"], camera["level"]) == (pytest.approx(0.24), pytest.approx(0.12), "rails")
    assert sum(user["energy_j"] for user in top["users"]) == pytest.approx(top["energy_j"])
    (one,) = timeline["runs"]
    assert one["end_ns"] - one["start_ns"] == 1_000_000_000 and len(one["power_w"]["camera"]) == 10
    assert sum(one["power_w"]["camera"]) * 0.1 == pytest.approx(0.24)
    main = next(each for each in tree["threads"] if each["name"] == "main")
    outer, inner = main["nodes"]
    assert (inner["parent"], inner["components"]["camera"]) == (outer["id"], pytest.approx(0.24))
    names = {method["id"]: method["name"] for method in report["methods"]}
    assert names[inner["method"]] == "m1"
    alone = data_of(json_report.write, made, views=views("top", "tree", component="camera"))["views"]
    assert [one["component"] for one in alone["top"]["components"]] == ["camera"]
    assert sum(user["energy_j"] for user in alone["top"]["users"]) == pytest.approx(0.24)
    assert "views" not in data_of(json_report.write, made)


def test_the_text_format_has_the_views() -> None:
    made = photographed()
    assert "Apps, other processes and base" in text_of(text.write, made, views=views("top"))
    assert "Methods" in text_of(text.write, made)
