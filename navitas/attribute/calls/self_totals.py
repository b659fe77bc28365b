"""Totals of call paths by test and thread, without callees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.forest import sums
from navitas.parse.arrays import F64, I64

CALLS, THROWS, CUTS = range(3)


@dataclass(frozen=True, slots=True)
class SelfTotals:
    """Time, energy and calls of call paths without callees, by test and thread.

    `window` is the test's window. `amounts` has the columns of `Amounts`; `counts` has calls, throws and cut calls.
    """

    window: I64
    thread: I64
    path: I64
    counts: I64
    amounts: F64

    @classmethod
    def merged(cls, parts: Sequence[SelfTotals], columns: int) -> SelfTotals:
        """Sum up all parts into one row per window, thread and path; `columns` is the width of `amounts`."""
        if not parts:
            none = np.empty(0, np.int64)
            return cls(none, none, none, np.empty((0, 3), np.int64), np.empty((0, columns)))
        window, thread, path, counts, amounts = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("window", "thread", "path", "counts", "amounts")
        )
        pair = np.unique(window * (thread.max(initial=0) + 1) + thread, return_inverse=True)[1]
        width = int(path.max(initial=0)) + 1
        key, first, group = np.unique(pair * width + path, return_index=True, return_inverse=True)
        size = len(key)
        return cls(
            window[first], thread[first], path[first], sums(group, counts, size).astype(np.int64), sums(group, amounts, size)
        )
