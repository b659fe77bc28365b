"""Reports of recordings with components other than the CPU."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from attribution_maker import nested, run, thread
from hardware_maker import hooks, profile_of, rails
from rich.console import Console
from support.reports import closed, data_of, text_of

import navitas
from navitas.analyze.profile import About, Profile
from navitas.parse.hook_calls import HookKind
from navitas.report import collapsed, json_report, speedscope
from navitas.report.terminal.terminal_report import TerminalReport

GOLDEN = Path(__file__).parents[2] / "golden/recording-v1"
ABOUT = About(
    "made",
    device={"kind": "virtual", "serial": "s", "model": "m"},
    settings={"granularity": "class"},
    power_profile={"name": "made", "source": "a test", "voltage_v": 1.0, "voltage_source": "option"},
    battery_mah=None,
    voltage_v=1.0,
    provenance={"navitas_version": "0"},
)


def photographed() -> Profile:
    """A method starts the camera, which stays on for 200 ms. Its rail measured 0.24 J, the model estimates 0.12 J."""
    caller = thread(1, nested((100, 900, 0), (200, 300, 1)), [(0, 0), (1000, 100)])
    kind = HookKind.CAMERA
    used = hooks([(0, 250, 250, 0, kind, False, 7), (0, 450, 450, 0, kind, True, 7)])
    measured = rails([(0, (1.0,)), (1000, (1.24,))], ["VSYS_PWR_CAM"])
    return Profile(profile_of(replace(run([caller]), hooks=used, rails=measured)).ledger, ABOUT)


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
    console = Console(width=120, record=True, file=io.StringIO())
    TerminalReport().render(made, console)
    assert "camera" in console.export_text()
    table = made.to_pandas()
    camera = table[(table["component"] == "camera") & (table["method"] == "m1")]
    assert camera["exclusive_j"].sum() == pytest.approx(0.24)


def test_evidence_of_the_model_leaves_older_recordings_as_they_are() -> None:
    by_rails, by_model = navitas.load(GOLDEN), navitas.load(GOLDEN, evidence="model")
    assert by_model.components == ("cpu",) and by_model.totals.energy_j == by_rails.totals.energy_j
