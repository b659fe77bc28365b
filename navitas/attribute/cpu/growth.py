"""How curves grow: from cell to cell, and without falling."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import Knots, overlaps
from navitas.parse.arrays import F64, I64


def cells(knots: Knots, value: F64, edges: I64) -> tuple[I64, I64, F64]:
    """What each curve adds in each cell between neighbouring `edges` that it reaches: (curve, cell, increment)."""
    first = np.clip(np.searchsorted(edges, knots.first_ns, side="right") - 1, 0, None)
    last = np.clip(np.searchsorted(edges, knots.last_ns, side="left") - 1, None, len(edges) - 2)
    owner, cell = overlaps(first, last)
    low = knots.place(owner, edges[cell]).read(value)
    return owner, cell, knots.place(owner, edges[cell + 1]).read(value) - low


def monotone(value: F64) -> F64:
    """Isotonic regression: the non-decreasing series nearest in least squares (pool adjacent violators)."""
    means: list[float] = []
    counts: list[int] = []
    for x in value.tolist():
        mean, count = x, 1
        while means and means[-1] > mean:
            other = counts.pop()
            mean = (mean * count + means.pop() * other) / (count + other)
            count += other
        means.append(mean)
        counts.append(count)
    return np.repeat(np.array(means), counts)
