"""An impossible probe cost is reported and not used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from navitas.recording.parse.calibration import check_probe_cost
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.tables import CallCost, ProbeCost

FAST = CallCost(inside_ns=17, outside_ns=23, thrown_inside_ns=20, thrown_outside_ns=30, spread_ns=1)


def test_a_possible_probe_cost_is_used() -> None:
    findings = Findings(0)
    assert check_probe_cost(None, findings) is None
    slow = ProbeCost(FAST, replace(FAST, inside_ns=30_000.0))
    assert check_probe_cost(slow, findings) is slow and findings.warnings == []


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"inside_ns": 2e9}, "2e+09 ns"),
        ({"outside_ns": -60.0}, "-43 ns"),
        ({"thrown_outside_ns": 1e12}, "1e+12 ns"),
        ({"inside_ns": float("nan")}, "nan"),
    ],
)
def test_impossible_costs_are_reported_and_not_used(changed: dict[str, float], shown: str) -> None:
    findings = Findings(3)
    assert check_probe_cost(ProbeCost(FAST, replace(FAST, **changed)), findings) is None
    (warning,) = findings.warnings
    assert (warning.code, warning.run) == ("probe_cost", 3) and shown in warning.message
