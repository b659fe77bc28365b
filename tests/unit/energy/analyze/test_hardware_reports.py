"""Reports of recordings with components other than the CPU."""

from __future__ import annotations

import jsonschema
import pytest
from attribution_maker import run
from hardware_maker import CALLER, CAMERA_ON, profile_of, rails
from support.golden import GOLDEN
from support.html_pages import Page
from support.reports import closed, data_of, printed, text_of
from support.run_tables import changed

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.report import collapsed, json_report, speedscope
from navitas.report.page import page_report
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport
from navitas.report.view_request import ViewRequest


def photographed() -> Profile:
    """A method starts the camera, which stays on for 200 ms. Its rail measured 0.24 J, the model estimates 0.12 J.

    The rails of the GPU and GNSS measured 0.1 J and nothing.
    """
    measured = rails([(0, (1.0, 2.0, 3.0)), (1000, (1.24, 2.1, 3.0))], ["VSYS_PWR_CAM", "S2S_VDD_G3D", "L9S_GNSS_CORE"])
    return profile_of(changed(run([CALLER]), hooks=CAMERA_ON, rails=measured))


def test_the_page_has_the_components_and_what_methods_used_of_each() -> None:
    page = text_of(page_report.write, photographed())
    tables = Page(page).tables
    head, *rows = tables["components"]
    shown = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert set(shown) == {"cpu", "camera", "gpu"}
    camera = shown["camera"]
    assert [camera[column] for column in ("Evidence", "Energy", "Rails", "Model alone", "App", "Base")] == [
        "rails", "240 mJ", "240 mJ", "120 mJ", "240 mJ", "0 J"
    ]  # fmt: skip
    assert (shown["cpu"]["Rails"], shown["gpu"]["Model alone"], shown["gpu"]["Base"]) == ("–", "–", "100 mJ")
    assert "Scaled to its rails: camera\u00a0×\u00a02.00. Rails measured nothing: gnss." in page
    head, *rows = tables["methods-by-component"]
    assert head == ["Method", "cpu", "cpu self", "camera", "camera self"]
    assert sorted((row[0], row[3], row[4]) for row in rows) == [("a.C.m0", "240 mJ", "0 J"), ("a.C.m1", "240 mJ", "240 mJ")]
    assert "Evidence for camera, gpu: rails (its power rails; the model splits what they measured)." in page
    assert "<li>gpu: nothing in the recording shows what used it: only its rail is known</li>" in page


def test_the_page_of_the_cpu_alone_has_no_components() -> None:
    page = Page(text_of(page_report.write, navitas.load(GOLDEN)))
    assert {"tests", "methods", "threads"} <= set(page.tables) and not {"components", "methods-by-component"} & set(page.tables)


def test_a_rail_that_measured_nothing_and_no_user_is_a_note() -> None:
    """Not in JSON, and not if --component names it: there, it is a component like others."""
    made = photographed()
    for report in (TerminalReport(), ViewsReport(ViewRequest(("top", "timeline"), step_ns=500_000_000))):
        found = printed(report, made)
        assert "\nRails measured nothing: gnss.\n" in found and "\ngnss" not in found
        assert "Evidence of camera, gpu: rails (" in found or "Evidence: thread-time for cpu; rails for camera, gpu." in found
    timeline = printed(ViewsReport(ViewRequest(("timeline",), step_ns=500_000_000)), made)
    assert "gpu" in timeline and "gnss" not in timeline
    alone = printed(ViewsReport(ViewRequest(("top",), component="gnss")), made)
    assert "\ngnss " in alone and "Evidence: rails for gnss." in alone
    report = data_of(json_report.write, made)
    assert report["totals"]["components"]["gnss"] == 0.0 and report["evidence"]["components"]["gnss"]["rails_j"] == 0.0


def test_the_json_report_has_the_rails_of_each_component() -> None:
    report = data_of(json_report.write, photographed())
    jsonschema.validate(report, closed(json_report.schema()))
    camera = report["evidence"]["components"]["camera"]
    assert (camera["level"], camera["rails_j"], camera["unscaled_j"]) == ("rails", pytest.approx(0.24), pytest.approx(0.12))
    assert report["totals"]["components"]["camera"] == pytest.approx(0.24)
    assert "rails_j" not in report["evidence"]["components"]["cpu"]


def test_other_formats_have_the_energy_of_the_call() -> None:
    made = photographed()
    assert text_of(collapsed.write, made) and text_of(speedscope.write, made)
    assert "camera" in printed(TerminalReport(), made)
    table = made.to_pandas()
    camera = table[(table["component"] == "camera") & (table["method"] == "m1")]
    assert camera["exclusive_j"].sum() == pytest.approx(0.24)


def test_evidence_of_the_model_leaves_older_recordings_as_they_are() -> None:
    by_rails, by_model = navitas.load(GOLDEN), navitas.load(GOLDEN, evidence="model")
    assert by_model.components == ("cpu",) and by_model.totals.energy_j == by_rails.totals.energy_j
