"""Conversion of missing figures: NaN in columns, None in records."""

from __future__ import annotations

import numpy as np

from navitas.parse.arrays import F64


def none_for_nan(values: F64) -> list[float | None]:
    """Return the values as a list, with None for each NaN."""
    found: list[float | None] = values.tolist()
    missing = np.flatnonzero(np.isnan(values)).tolist()
    for row in missing:
        found[row] = None
    return found
