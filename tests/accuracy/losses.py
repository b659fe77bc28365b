"""Errors of models in rows that they were not fitted to, by the loss of the fit (`python tests/accuracy/losses.py`).

The tables are of textbooks (statsmodels) and measured: power of cores by frequency (Wattson), energy of a benchmark by
frequency (freqbench), energy of apps by a power meter. The measured ones are in `NAVITAS_FIELD_DATA`; without it, they are left
out.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import statsmodels.api as sm

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.field_data import FIELD_DATA, NO_FIELD_DATA

from navitas.insight.operations.regress.apply import apply_model
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.prepare import LOSS_CHOICES, FitOptions
from navitas.insight.operations.regress.table import Table

SPLITS = 12
TARGET = "energy"
Columns = dict[str, np.ndarray]


def _rows(name: str) -> list[dict[str, str]]:
    with (FIELD_DATA / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def _numbers(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in rows])


def _textbook(data: Any, target: str, *features: str) -> Columns:
    return {name: np.asarray(data[name], np.float64) for name in features} | {TARGET: np.asarray(data[target], np.float64)}


def _core_power(soc: str) -> Columns:
    rows = _rows(f"wattson/{soc}/cpu_2d.csv")
    own, shared = _numbers(rows, "freq_khz") / 1e6, _numbers(rows, "dep_freq") / 1e6
    powers = {"own": own, "own2": own**2, "own3": own**3, "shared": shared, "shared2": shared**2}
    return powers | {TARGET: _numbers(rows, "static") + _numbers(rows, "active")}


def _benchmark() -> Columns:
    """Each CPU of four SoCs has its own columns: time, and time × frequency and its cube."""
    of_soc = {soc: _rows(f"freqbench/{soc}_main_results.csv") for soc in ("gs101", "sm8150", "msm8996", "sm8250")}
    rows = [row for each in of_soc.values() for row in each]
    cpus = np.array([f"{soc} {row['CPU']}" for soc, each in of_soc.items() for row in each])
    time, frequency = _numbers(rows, "Time (s)"), _numbers(rows, "Frequency (kHz)") / 1e6
    features = {f"{cpu} ^{power}": (cpus == cpu) * time * frequency**power for cpu in np.unique(cpus) for power in (0, 1, 3)}
    return features | {TARGET: _numbers(rows, "Energy (J)")}


def _apps(name: str) -> Columns:
    rows = _rows(f"monsoon/{name}.csv")
    apps, time = np.array([row["app"] + row["intensity"] for row in rows]), _numbers(rows, "duration_ms") / 1e3
    return {app: (apps == app) * time for app in np.unique(apps)} | {TARGET: _numbers(rows, "energy_j")}


TEXTBOOK: dict[str, Callable[[], Columns]] = {
    "expenses for food (Engel)": lambda: _textbook(sm.datasets.engel.load_pandas().data, "foodexp", "income"),
    "investments (Grunfeld)": lambda: _textbook(sm.datasets.grunfeld.load_pandas().data, "invest", "value", "capital"),
}
MEASURED: dict[str, Callable[[], Columns]] = {
    "power of cores, Pixel 6": lambda: _core_power("Tensor"),
    "power of cores, SXR2230P": lambda: _core_power("SXR2230P"),
    "CoreMark, four SoCs": _benchmark,
    "apps, power meter": lambda: _apps("nexus5x_monsoon"),
    "apps, Android's estimate": lambda: _apps("mi9t_batterystats_model"),
}


def held_out(columns: Columns, loss: str) -> Iterator[tuple[float, float, str]]:
    """The mean relative error and the mean squared error of a third of the rows, and the loss of the fit to the others."""
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(len(columns[TARGET]))
        held, kept = (_table(columns, rows) for rows in np.split(order, [len(order) // 3]))
        model, energy = fit_table(kept, FitOptions(TARGET, loss=loss)), held.numbers(TARGET)
        error = apply_model(model, held).energy_j - energy
        yield float(np.mean(np.abs(error) / energy)), float(np.mean(error**2)), str(model.loss)


def _table(columns: Columns, rows: np.ndarray) -> Table:
    return Table("table", tuple(columns), len(rows), {name: pa.array(values[rows]) for name, values in columns.items()})


def main() -> None:
    """Print a row for each table."""
    if not FIELD_DATA.is_dir():
        print(NO_FIELD_DATA)
    for name, read in (TEXTBOOK | (MEASURED if FIELD_DATA.is_dir() else {})).items():
        columns = read()
        cells = []
        for loss in LOSS_CHOICES:
            relative, squared, losses = zip(*held_out(columns, loss), strict=True)
            cells.append(f"{loss} {100 * np.mean(relative):.2f} %, {np.sqrt(np.mean(squared)):.3g}")
            if loss == LOSS_CHOICES[0]:
                cells[-1] += f" ({', '.join(f'{count} {each}' for each, count in Counter(losses).most_common())})"
        print(f"{name:26s} {len(columns[TARGET]):4d} rows  " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
