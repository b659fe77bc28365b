"""Fitting and applying a model of 200 operations to 100,000 cases, compared with reading the table."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from common import Figures, arguments

from navitas.insight.operations.regress.apply import apply_model
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.prepare import FitOptions
from navitas.insight.operations.regress.table import read_table

MAX_S = 10.0
_ROWS, _OPERATIONS = 100_000, 200


def main(argv: list[str]) -> int:
    """Report wall times."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Models of operations")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.csv"
        _write(path, _ROWS // (10 if options.quick else 1))
        begin = time.perf_counter()
        table = read_table(path)
        read_s = time.perf_counter() - begin
        model = fit_table(table, FitOptions("energy_j"))
        fitted_s = time.perf_counter() - begin
        figures.add(
            f"{table.rows:,} × {_OPERATIONS}: fit", fitted_s, "s", at_most=MAX_S, note=f"{fitted_s / read_s:.0f} × reading"
        )
        begin = time.perf_counter()
        apply_model(model, read_table(path))
        applied_s = time.perf_counter() - begin
        figures.add(
            f"{table.rows:,} × {_OPERATIONS}: apply", applied_s, "s", at_most=MAX_S, note=f"{applied_s / read_s:.0f} × reading"
        )
    return figures.close(options.check)


def _write(path: Path, rows: int) -> None:
    random = np.random.default_rng(0)
    mean = random.uniform(1, 1000, _OPERATIONS) * random.exponential(1, (rows, _OPERATIONS))
    counts = random.poisson(mean * (random.random((rows, _OPERATIONS)) < 0.3))
    energy = (counts @ random.uniform(1e-8, 1e-6, _OPERATIONS) + 1e-3) * np.exp(0.05 * random.standard_normal(rows))
    columns = {f"op{place}": counts[:, place] for place in range(_OPERATIONS)}
    pyarrow.csv.write_csv(pa.table({**columns, "energy_j": energy}), path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
