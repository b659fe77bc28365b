"""Tables of execution cases with known costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.insight.operations.regress.table import Table
from navitas.recording.parse.arrays import F64


def planted(seed: int, rows: int = 400, operations: int = 80, each: int = 8) -> tuple[F64, F64, F64]:
    """Counts, costs, and energy with 5 % of noise. Each case uses one operation much, and some others little."""
    random = np.random.default_rng(seed)
    costs = 10 ** random.uniform(-8, -5, operations)
    counts = np.zeros((rows, operations))
    for number, row in enumerate(counts):
        used = random.choice(operations, min(each, operations), replace=False)
        joules = 10 ** random.uniform(-1, 1)
        row[used] = np.round(0.01 * joules * random.random(len(used)) / costs[used])
        row[number % operations] = np.round(joules / costs[number % operations])
    return counts, costs, (counts @ costs + 1e-4) * (1 + 0.05 * random.standard_normal(rows))


def table_of(counts: F64, energy: F64, names: list[str] | None = None) -> Table:
    """A table with the columns op0, op1 and so on, and `e`."""
    names = names or [f"op{place}" for place in range(counts.shape[1])]
    values = {name: pa.array(column) for name, column in zip(names, counts.T, strict=True)}
    return Table("t.csv", (*names, "e"), len(energy), {**values, "e": pa.array(energy)})


def written(path: Path, counts: F64, energy: F64) -> Path:
    """The same as a CSV file."""
    header = ",".join([f"op{place}" for place in range(counts.shape[1])] + ["e"])
    np.savetxt(path, np.column_stack([counts, energy]), delimiter=",", header=header, comments="")
    return path
