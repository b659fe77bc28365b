"""Charges as totals of call paths, so that they join the totals of calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.amounts import JOULES
from navitas.attribute.calls.overhead import with_probe_columns
from navitas.attribute.calls.paths import EMPTY
from navitas.attribute.calls.self_totals import SelfTotals
from navitas.attribute.charges import Charges
from navitas.attribute.window_spans import NO_WINDOW, WindowSpans


def charged_paths(charges: Sequence[Charges], spans: WindowSpans) -> list[SelfTotals]:
    """The charges of each component, by window, thread and path, with no calls and no times.

    Charges without a known path are left out: they are energy outside of calls.
    """
    parts = []
    for number, one in enumerate(charges):
        window = spans.at(one.t_ns)
        known = (window != NO_WINDOW) & (one.path != EMPTY)
        if known.any():
            amounts = np.zeros((int(known.sum()), JOULES + len(charges)))
            amounts[:, JOULES + number] = one.energy_j[known]
            counts = np.zeros((len(amounts), 3), np.int64)
            totals = SelfTotals(window[known], one.thread[known], one.path[known], counts, amounts)
            parts.append(with_probe_columns(SelfTotals.merged([totals], amounts.shape[1]), None))
    return parts
