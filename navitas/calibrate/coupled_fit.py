"""Fit power that depends on two frequencies, as a table (2-D) and as a sum of two curves (additive), with held-out errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from navitas.calibrate.fit_rows import FOLDS
from navitas.calibrate.operating_points import LEAST_MW, Dependency, OperatingPoint
from navitas.calibrate.regularised_fit import F64, Neighbours, Start, fit_scales, relative_errors
from navitas.errors import UsageError

LEAST_CELLS = 10
MOST_CELLS = 1000
_SEED = 0
_FREE = 0.01
Cell = tuple[int, Dependency]
"""A frequency of the policy's own in kHz, and the second one."""
Form = Literal["2-D", "additive"]


@dataclass(frozen=True, slots=True)
class Surface:
    """The fitted mW of a policy by cell, in the better form. Errors are medians of absolute relative ones at held-out cells."""

    policy: int
    mw: Mapping[Cell, float]
    coupled_error: float
    additive_error: float

    @property
    def form(self) -> Form:
        """The form with the smaller held-out error: additive, if the second frequency changes nothing but a constant."""
        return "2-D" if self.coupled_error < self.additive_error else "additive"


def surfaces(points: Sequence[OperatingPoint]) -> tuple[Surface, ...]:
    """Fit each policy with points that depend on a second frequency. Only points with one busy core count.

    Raises `UsageError` if a policy has too few cells.
    """
    found = []
    for policy in sorted({point.cpu for point in points if point.dependency is not None}):
        cells: dict[Cell, list[float]] = {}
        for point in points:
            if point.cpu == policy and point.dependency is not None and point.cores == 1:
                cells.setdefault((point.freq_khz, point.dependency), []).append(point.power_mw)
        found.append(fit_surface(policy, {cell: float(np.mean(values)) for cell, values in cells.items()}))
    return tuple(found)


def fit_surface(policy: int, measured: Mapping[Cell, float]) -> Surface:
    """Fit one policy. Raises `UsageError` if there are fewer than ten cells, or more than 1,000."""
    if len(measured) < LEAST_CELLS:
        raise UsageError(
            f"policy {policy}: {len(measured)} pairs of frequencies are too few for a 2-D model; {LEAST_CELLS} are needed",
            "Measure more of them, or leave out the second frequency.",
        )
    if len(measured) > MOST_CELLS:
        raise UsageError(
            f"policy {policy}: has {len(measured):,} pairs of frequencies, and a 2-D model takes {MOST_CELLS:,}",
            "Give fewer pairs, such as those of the phone's own frequencies.",
        )
    cells = sorted(measured)
    mw = np.maximum([measured[cell] for cell in cells], LEAST_MW)
    fold = np.random.default_rng(_SEED).permutation(len(cells)) % FOLDS
    errors = {}
    for name, fit in (("2-D", coupled), ("additive", additive)):
        predicted = np.full(len(cells), np.nan)
        for number in range(FOLDS):
            predicted[fold == number] = fit(cells, mw, fold != number)[fold == number]
        errors[name] = float(np.median(relative_errors(predicted, mw)))
    everything = np.ones(len(cells), bool)
    chosen = coupled if errors["2-D"] < errors["additive"] else additive
    fitted = chosen(cells, mw, everything)
    return Surface(policy, dict(zip(cells, fitted.tolist(), strict=True)), errors["2-D"], errors["additive"])


def additive(cells: Sequence[Cell], mw: F64, kept: np.ndarray) -> F64:
    """Predict all cells by a curve of the own frequency plus one of the second frequency, fitted to the kept cells."""
    curves = [*sorted({cell[0] for cell in cells}), *sorted({cell[1] for cell in cells})]
    place: dict[object, int] = {key: number for number, key in enumerate(curves)}
    use = np.zeros((len(cells), len(place)))
    for row, (khz, dependency) in enumerate(cells):
        use[row, place[khz]] = use[row, place[dependency]] = 1.0
    none = Neighbours([], [], [])
    unit = float(np.median(mw))
    target = np.zeros(use.shape[1])
    return np.asarray(use * unit @ fit_scales(use[kept] * unit, mw[kept], Start(target, none), strength=_FREE), np.float64)


def coupled(cells: Sequence[Cell], mw: F64, kept: np.ndarray) -> F64:
    """Predict all cells by a figure of their own, smooth in both frequencies, relative to a curve of the own frequency."""
    khz = np.array([cell[0] for cell in cells], np.float64)
    speeds = np.unique(khz[kept])
    curve = np.array([np.median(mw[kept & (khz == each)]) for each in speeds])
    start = np.interp(khz, speeds, curve)
    use = np.diag(start)
    return np.asarray(start * fit_scales(use[kept], mw[kept], Start(np.ones(len(cells)), _neighbours(cells))), np.float64)


def _neighbours(cells: Sequence[Cell]) -> Neighbours:
    """Cells next to each other along one of the frequencies, with the same other one."""
    place = {cell: number for number, cell in enumerate(cells)}
    lines: dict[object, list[Cell]] = {}
    for khz, dependency in cells:
        lines.setdefault(("own", khz, dependency.policy), []).append((khz, dependency))
        lines.setdefault(("second", dependency), []).append((khz, dependency))
    pairs = [pair for line in lines.values() for pair in pairwise(sorted(line))]
    ratio = [max(two[0] / one[0], two[1].freq_khz / one[1].freq_khz) for one, two in pairs]
    return Neighbours([place[one] for one, _ in pairs], [place[two] for _, two in pairs], np.log(ratio).tolist())
