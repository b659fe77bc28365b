"""Predict the power of measured chips at frequencies that a calibration did not get (`python tests/accuracy/calibration.py`).

Every fifth frequency of each cluster is left out in turn, as `navitas power calibrate` does. Compared are plain interpolation
between the others, the profile's curve through them (a prior of 1), and the prior that cross-validation chooses. Frequencies
between measured ones and the ends of clusters are apart, since plain interpolation has only the nearest power beyond the ends.
Fails if calibrated profiles are worse than plain interpolation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.field_data import FIELD_DATA, NO_FIELD_DATA

from navitas.insight.calibrate.calibration import relative_errors
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import FitRows
from navitas.insight.calibrate.operating_points import PointSource, within_speeds
from navitas.insight.calibrate.points_csv import read_points
from navitas.insight.calibrate.start_model import start_for
from navitas.insight.calibrate.wattson_curves import read_curves
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.recording.parse.arrays import F64

VOLTAGE_V = 3.85
CHIPS = {
    "gs101": ("freqbench/gs101_main_results.csv", "google-pixel-6", ()),
    "msm8996": ("freqbench/msm8996_main_results.csv", "oneplus-3", ()),
    "sm8150": ("freqbench/sm8150_main_results.csv", "google-pixel-6", (4, 3, 1)),
    "sm8250": ("freqbench/sm8250_main_results.csv", "google-pixel-6", (4, 3, 1)),
    "gs101, Wattson": ("wattson/Tensor", "google-pixel-6", ()),
    "SXR2230P, Wattson": ("wattson/SXR2230P", "google-pixel-6", (2, 4)),
}
"""The points, the profile that the calibration starts from, and the cores of clusters if it is another phone's."""
NOISE = 1.1
"""Errors of a few dozen points are not known better than by this factor."""
FIGURES: Mapping[str, Callable[[F64], float]] = {
    "median": lambda errors: float(np.median(errors)),
    "90th %": lambda errors: float(np.quantile(errors, 0.9)),
    "mean": lambda errors: float(errors.mean()),
}
CHECKED = {"between": tuple(FIGURES), "ends": ("mean",)}
"""A chip has four or six ends: too few for a median."""


def rows_of(chip: str) -> tuple[FitRows, PointSource]:
    path, profile, cores = CHIPS[chip]
    source = read_curves(FIELD_DATA / path, chip).source() if "wattson" in path else read_points(FIELD_DATA / path)
    cpu = power_model(catalog.load(profile), VOLTAGE_V).cpu
    if cores:
        cpu = start_for(cpu, cores, [source])
    source, _ = within_speeds(source, cpu)
    return FitRows.of(CpuCoefficients.of(cpu, VOLTAGE_V), source.points, ()), source


def parts_of(rows: FitRows) -> dict[str, NDArray[np.bool_]]:
    """Which points have measured frequencies on both sides, and which are the ends of their cluster."""
    ends = [number for speeds in rows.speeds_of() for number in (speeds[0], speeds[-1])]
    at_end = np.isin(rows.speed[rows.row], ends)
    return {"between": ~at_end, "ends": at_end}


def main() -> int:
    if not FIELD_DATA.is_dir():
        print(NO_FIELD_DATA)
        return 0
    table = Table("chip", "points", "number", "currents between measured frequencies", *FIGURES)
    worse = []
    for chip in CHIPS:
        rows, source = rows_of(chip)
        measured = np.array([point.power_mw for point in source.points])
        plain = relative_errors(rows.interpolated(source.points), measured)
        calibrated = relative_errors(rows.held_out()[rows.row], measured)
        ways = {
            "straight lines, beyond the ends the nearest": plain,
            "the profile's curve": rows.errors_with(1.0)[rows.speed[rows.row]],
            "as calibrated": calibrated,
        }
        for part, own in parts_of(rows).items():
            for way, errors in ways.items():
                shown = (f"{100 * figure(errors[own]):.1f}" for figure in FIGURES.values())
                table.add_row(chip, part, str(int(own.sum())), way, *shown)
            for name in CHECKED[part]:
                if FIGURES[name](calibrated[own]) > NOISE * FIGURES[name](plain[own]):
                    worse.append(f"{chip}, {part}: {name}")
    Console(width=120).print(table)
    if worse:
        print(f"worse than plain interpolation: {', '.join(worse)}")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
