"""Predict the power of measured chips at frequencies that a calibration did not get (`python tests/accuracy/calibration.py`).

Every fifth frequency of each cluster is left out in turn, as `navitas power calibrate` does. Compared are plain interpolation
between the others, the profile's curve through them (a prior of 1), and the prior that cross-validation chooses: with the
constant `CLEAR`, and with the one that the other chips alone would choose. Fails if these are worse than plain interpolation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.field_data import FIELD_DATA, NO_FIELD_DATA

from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.fit_rows import CLEAR, FitRows
from navitas.calibrate.operating_points import PointSource, within_speeds
from navitas.calibrate.other_phone import start_for
from navitas.calibrate.points_csv import read_points
from navitas.calibrate.regularised_fit import F64, relative_errors
from navitas.calibrate.wattson_curves import read_curves
from navitas.power import catalog
from navitas.power.cpu import power_model

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
CLEARS = (CLEAR, 2.0, 3.0)
NOISE = 1.1
"""Errors of a few dozen points are not known better than by this factor."""
FIGURES: Mapping[str, Callable[[F64], float]] = {
    "median": lambda errors: float(np.median(errors)),
    "90th %": lambda errors: float(np.quantile(errors, 0.9)),
    "mean": lambda errors: float(errors.mean()),
}


def rows_of(chip: str) -> tuple[FitRows, PointSource]:
    path, profile, cores = CHIPS[chip]
    source = read_curves(FIELD_DATA / path, chip) if "wattson" in path else read_points(FIELD_DATA / path)
    cpu = power_model(catalog.load(profile), VOLTAGE_V).cpu
    if cores:
        cpu = start_for(cpu, cores, [source])
    source, _ = within_speeds(source, cpu)
    return FitRows.of(CpuCoefficients.of(cpu, VOLTAGE_V), source.points, ()), source


def chosen_by_others(chip: str, errors: Mapping[tuple[str, float], F64], plain: Mapping[str, F64]) -> float:
    """The value of `CLEAR` with which the other chips are least worse than by plain interpolation, in their worst figure."""
    others = [each for each in CHIPS if each.partition(",")[0] != chip.partition(",")[0]]
    worst = {
        clear: max(figure(errors[each, clear]) / figure(plain[each]) for each in others for figure in FIGURES.values())
        for clear in CLEARS
    }
    return min(CLEARS, key=worst.__getitem__)


def main() -> int:
    if not FIELD_DATA.is_dir():
        print(NO_FIELD_DATA)
        return 0
    plain: dict[str, F64] = {}
    curve: dict[str, F64] = {}
    errors: dict[tuple[str, float], F64] = {}
    for chip in CHIPS:
        rows, source = rows_of(chip)
        plain[chip] = relative_errors(rows.interpolated(source.points), rows.measured)
        curve[chip] = rows.errors_with(1.0)
        for clear in CLEARS:
            errors[chip, clear] = relative_errors(replace(rows, clear=clear).held_out(), rows.measured)
    table = Table("chip", "points", "currents between measured frequencies", *FIGURES)
    worse = []
    for chip in CHIPS:
        clear = chosen_by_others(chip, errors, plain)
        ways = {
            "straight lines, beyond the ends the nearest": plain[chip],
            "the profile's curve": curve[chip],
            "as calibrated": errors[chip, CLEAR],
            f"as calibrated, if the other chips chose how clear a gain must be: {clear:g}": errors[chip, clear],
        }
        for way, each in ways.items():
            table.add_row(chip, str(len(each)), way, *(f"{100 * figure(each):.1f}" for figure in FIGURES.values()))
            if way.startswith("as calibrated"):
                worse += [f"{chip}: {name}" for name, figure in FIGURES.items() if figure(each) > NOISE * figure(plain[chip])]
    Console(width=140).print(table)
    if worse:
        print(f"worse than plain interpolation: {', '.join(worse)}")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
