"""The call in which one thread handed work to another: the join of `Handoffs` with call paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.calls.api_calls import paths_at
from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.parse.arrays import I64
from navitas.parse.hook_calls import Handoffs
from navitas.parse.tables import Thread


def starter_paths(threads: Sequence[Thread], handoffs: Handoffs, paths: Paths) -> I64:
    """The starter's call path of each handoff, `EMPTY` if its thread or its call is unknown. New paths are added to `paths`."""
    found = np.full(len(handoffs), EMPTY)
    known = np.flatnonzero(handoffs.origin >= 0)
    if len(known):
        thread, t_ns, node = handoffs.origin[known], handoffs.origin_ns[known], handoffs.origin_node[known]
        found[known] = paths_at(threads, thread, t_ns, node, paths)
    return found
