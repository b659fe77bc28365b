"""The calibration report, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from navitas.calibrate.calibration import Calibration
from navitas.calibrate.coupled_fit import Surface
from navitas.power.model import CpuPower


def report(calibration: Calibration, start: CpuPower, voltage_v: float, surfaces: Sequence[Surface]) -> Mapping[str, Any]:
    """Return the members of the report. Errors are shares: 0.05 is 5 %."""
    return {
        "voltage_v": voltage_v,
        "errors": [asdict(each) for each in calibration.errors],
        "disagreements": [asdict(each) for each in calibration.disagreements],
        "coupled": [
            {
                "policy": each.policy,
                "form": each.form,
                "cells": len(each.mw),
                "held_out_2d": each.coupled_error,
                "held_out_additive": each.additive_error,
            }
            for each in surfaces
        ],
        "before": _cpu(start),
        "after": _cpu(calibration.cpu),
        "warnings": list(calibration.warnings),
    }


def _cpu(cpu: CpuPower) -> Mapping[str, Any]:
    clusters = [cluster.as_json() for cluster in cpu.clusters]
    return {"active_ma": cpu.active_ma, "clusters": clusters}
