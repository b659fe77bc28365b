"""Python's garbage collector in processes that allocate much and leave few cycles: imports, tables, and columns of data."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Make collections rare. By default, those during imports alone take a tenth of the time of a start."""
    gc.set_threshold(50_000, 20, 20)
