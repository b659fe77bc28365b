"""The comparison with a power meter runs without tuning, and skips without the data."""

from __future__ import annotations

from pathlib import Path

import monsoon
import pytest
from support.capture import Capture
from support.field_data import FIELD_DATA, needs_field_data


@needs_field_data
def test_every_measured_app_is_predicted() -> None:
    apps = monsoon.compare(FIELD_DATA / "monsoon")
    assert len(apps) == 14 and {len(app.measured_j) for app in apps} == {30}
    by_name = {app.app: app for app in apps}
    assert by_name["networking high"].source == "recorded" and by_name["baseline"].source == "name"
    found = monsoon.figures(apps)
    assert -1 <= found["rank correlation"] <= 1
    assert by_name["display"].total_j > by_name["baseline"].total_j


def test_without_the_data_the_script_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    monkeypatch.setattr(monsoon, "FIELD_DATA", tmp_path)
    assert monsoon.main() == 0
    assert capsys.readouterr().out.startswith("skipped: no field data")


def test_predictions_are_current_times_voltage() -> None:
    """The screen at its lowest brightness, and the microphone, for three minutes."""
    found = monsoon.predict([("screen", 0.0, 180.0, 1), ("brightness", 0.0, 180.0, 0), ("audio", 60.0, 120.0, 1)])
    assert found["screen"] == pytest.approx((91.82 + 313.05 / 10) / 1e3 * monsoon.VOLTS * 180)
    assert found["audio"] == pytest.approx(100.88 / 1e3 * monsoon.VOLTS * 60)
