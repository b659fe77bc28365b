"""Parts of calls within tests, ready to be merged into call trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.forest import sums
from navitas.parse.arrays import F64, I64

CALLS, THROWS, CUTS = range(3)


@dataclass(frozen=True, slots=True)
class Items:
    """What was spent in call paths themselves (without callees), each by one thread in one test.

    `amounts` columns are those of `Amounts`. `counts` columns: calls, throws, cut calls.
    """

    window: I64
    thread: I64
    path: I64
    counts: I64
    amounts: F64

    @classmethod
    def joined(cls, parts: Sequence[Items], columns: int) -> Items:
        """All parts' items, each window, thread and path once; `columns` is the width of `amounts`."""
        if not parts:
            none = np.empty(0, np.int64)
            return cls(none, none, none, np.empty((0, 3), np.int64), np.empty((0, columns)))
        window, thread, path, counts, amounts = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("window", "thread", "path", "counts", "amounts")
        )
        of_cell = np.unique(window * (thread.max(initial=0) + 1) + thread, return_inverse=True)[1]
        width = int(path.max(initial=0)) + 1
        key, first, item = np.unique(of_cell * width + path, return_index=True, return_inverse=True)
        size = len(key)
        return cls(
            window[first], thread[first], path[first], sums(item, counts, size).astype(np.int64), sums(item, amounts, size)
        )
