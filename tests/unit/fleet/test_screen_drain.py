"""What the screen may drain at most, where samples say little about its time."""

from __future__ import annotations

import pytest

from navitas.fleet.findings.single_apps import _screen_ppm_s


@pytest.mark.parametrize(
    ("s", "whole", "reliable", "found"),
    [
        (2000.0, 100.0, 80.0, 25.0),
        (2000.0, 100.0, 1e-9, 1e6 / 14_400),  # Ends are independent of the time between them.
        (100.0, 100.0, 1e-9, 10.0),
        (-5.0, 100.0, 50.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
    ],
)
def test_the_screens_drain_is_limited(s: float, whole: float, reliable: float, found: float) -> None:
    assert _screen_ppm_s(s, whole, reliable) == pytest.approx(found)
