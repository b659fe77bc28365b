"""Readings of rails that restart or jump."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.recording_maker import make_recording
from support.scenario import Scenario, TestSpec

from navitas.recording.parse import parsed_recording
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.parse.power_monitors import PowerMonitors
from navitas.recording.parse.rail_readings import RailReadings, best_rails, possible_growth
from navitas.recording.store import open_recording

SCENARIO = Scenario(3000, tests=(TestSpec("a.T#one", 40, 2900),), rails={"S1M": ((0, 3000, 2.0),), "S2M": ((0, 3000, 1.0),)})


def readings(*columns: Sequence[float], names: Sequence[str] = ("A", "B")) -> RailReadings:
    table = np.array(columns, np.float64).T
    return RailReadings(tuple(names[: len(columns)]), np.arange(len(table)) * 200_000_000, table)


def test_rails_that_grow_stay_as_they_are() -> None:
    rails = readings([5, 5, 6, 9], [1, 1, 1, 1])
    assert possible_growth(rails) == (rails, {})


def test_a_rail_that_restarts_loses_one_interval() -> None:
    rails, impossible = possible_growth(readings([5, 6, 7, 1, 2, 4], [1, 2, 3, 4, 5, 6]))
    assert rails.energy_j.T.tolist() == [[5, 6, 7, 7, 8, 10], [1, 2, 3, 4, 5, 6]]
    assert impossible == {"A": 1}


@pytest.mark.parametrize("damaged", [9e11, 1e300, np.inf, 0.0])
def test_a_single_damaged_reading_loses_nothing(damaged: float) -> None:
    rails, impossible = possible_growth(readings([5, 6, damaged, 8, 9]))
    assert rails.energy_j.T.tolist() == [[5, 6, 6, 8, 9]]
    assert impossible == {"A": 1}


def test_longer_jumps_count_as_nothing() -> None:
    rails, impossible = possible_growth(readings([5, 6, 9e11, 9e11 + 1, 8, 9]))
    assert rails.energy_j.T.tolist() == [[5, 6, 6, 7, 7, 8]]
    assert impossible == {"A": 2}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_readings(count: int) -> None:
    rails = RailReadings(("A",), np.arange(count), np.arange(count, dtype=np.float64)[:, None])
    assert possible_growth(rails) == (rails, {})


def test_rails_of_equal_names_are_counted_together() -> None:
    assert possible_growth(readings([5, 4, 3], [5, 4, 3], names=("A", "A")))[1] == {"A": 4}


def test_the_report_names_rails_that_went_back(tmp_path: Path) -> None:
    whole = parse_recording(make_recording(tmp_path / "rec", SCENARIO)).runs[0].devices.rails
    shell = tmp_path / "rec" / "runs" / "0" / "shell.txt"
    shell.write_text(re.sub(r"(\[S1M\], )1(\d{7})$", r"\g<1>\2", shell.read_text(), flags=re.MULTILINE))
    parsed = parse_recording(open_recording(tmp_path / "rec"))
    rails = parsed.runs[0].devices.rails
    assert whole is not None and rails is not None
    lost_j = (whole.energy_j[-1] - whole.energy_j[0]) - (rails.energy_j[-1] - rails.energy_j[0])
    assert lost_j.tolist() == pytest.approx([0.4, 0.0])
    assert [(loss.name, loss.count) for loss in parsed.losses if loss.what == "rail_readings"] == [("S1M", 1)]
    assert any("rails: 1 readings went back" in warning.message for warning in parsed.warnings)


def test_a_reading_without_one_of_the_rails_is_not_called_torn(tmp_path: Path) -> None:
    make_recording(tmp_path / "rec", SCENARIO)
    shell = tmp_path / "rec" / "runs" / "0" / "shell.txt"
    shell.write_text(re.sub(r"^CH\d+\(T=\d+\)\[S2M\].*\n", "", shell.read_text(), count=1, flags=re.MULTILINE))
    parsed = parse_recording(open_recording(tmp_path / "rec"))
    assert [(loss.what, loss.count) for loss in parsed.losses] == [("rail_readings", 1)]
    (message,) = (warning.message for warning in parsed.warnings if warning.code == "rail_readings")
    assert message == "rails: 1 readings were skipped: they have other rails than most readings"


def test_the_first_source_with_two_readings_in_the_run_counts() -> None:
    def at(*seconds: float) -> RailReadings:
        return RailReadings(("A",), np.array([round(s * 1e9) for s in seconds], np.int64), np.zeros((len(seconds), 1)))

    one, early, good, also = at(15), at(1, 2, 3), at(11, 19), at(12, 13, 14)
    start_ns, end_ns = 10_000_000_000, 20_000_000_000
    for found, expected in [
        ([], None),
        ([one], one),
        ([at(), one, early, good, also], good),
        ([also, good], also),
        ([at(), at(5, 25)], 1),
        ([early, one], one),
        ([early, at(4, 5)], early),
    ]:
        best = best_rails(found, start_ns, end_ns)
        assert best is (found[expected] if isinstance(expected, int) else expected), found


@pytest.mark.parametrize(("shown", "warned"), [(0, True), (1, True), (2, False)])
def test_a_source_with_one_reading_hides_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: int, warned: bool
) -> None:
    complete = parsed_recording.shell_tables

    def cut(*inputs: Any) -> Any:
        tables = complete(*inputs)
        assert tables.rails is not None
        rails = replace(tables.rails, t_ns=tables.rails.t_ns[:shown], energy_j=tables.rails.energy_j[:shown])
        return replace(tables, rails=rails)

    monkeypatch.setattr(parsed_recording, "shell_tables", cut)
    monkeypatch.setattr(parsed_recording, "read_monitors", lambda *_, **more: PowerMonitors(is_short=True))
    parsed = parse_recording(make_recording(tmp_path / "rec", SCENARIO))
    assert ("power_monitors" in {warning.code for warning in parsed.warnings}) == warned
