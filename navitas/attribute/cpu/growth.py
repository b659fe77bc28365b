"""Growth of curves in intervals, and isotonic regression."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import Knots, overlaps
from navitas.parse.arrays import F64, I64


def interval_increments(knots: Knots, value: F64, edges: I64) -> tuple[I64, I64, F64]:
    """Growth of each curve in each interval between adjacent `edges` that it overlaps: (curve, interval, increment)."""
    first = np.clip(np.searchsorted(edges, knots.first_ns, side="right") - 1, 0, None)
    last = np.clip(np.searchsorted(edges, knots.last_ns, side="left") - 1, None, len(edges) - 2)
    owner, interval = overlaps(first, last)
    low = knots.place(owner, edges[interval]).read(value)
    return owner, interval, knots.place(owner, edges[interval + 1]).read(value) - low


def monotone(value: F64) -> F64:
    """Isotonic regression: the non-decreasing series with the least squared error (pool adjacent violators)."""
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
