"""The bytes of a run's charges, as columns of the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.calls.paths import EMPTY
from navitas.attribute.charges import Charges
from navitas.attribute.ledger import NO_TEST, OUTSIDE
from navitas.attribute.run_rows import RunRows
from navitas.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.parse.arrays import F64, I64

TransferColumns = tuple[I64 | F64, ...]


def transfers_of(
    charges: Sequence[Charges], spans: WindowSpans, tests: I64, rows: RunRows, owners: tuple[I64, int]
) -> list[TransferColumns]:
    """Test, owner, component, path, received and sent bytes of all charges that moved bytes.

    `tests` has the test of each window. `owners` are the owner of each row, and that of the run's first thread.
    """
    of_row, first = owners
    found: list[TransferColumns] = []
    for component, one in enumerate(charges):
        moved = np.flatnonzero((one.received_bytes > 0) | (one.sent_bytes > 0))
        if not len(moved):
            continue
        window, thread = spans.at(one.t_ns[moved]), one.thread[moved]
        inside = window != NO_WINDOW
        test, owner = np.full(len(moved), NO_TEST), first + thread
        test[inside] = tests[window[inside]]
        owner[inside] = of_row[rows.row(window[inside], thread[inside])]
        path = np.where(one.path[moved] == EMPTY, OUTSIDE, one.path[moved] + 1)
        found.append((test, owner, np.full(len(moved), component), path, one.received_bytes[moved], one.sent_bytes[moved]))
    return found
