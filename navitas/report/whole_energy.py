"""Energy in whole microjoules, none below 0, for formats that have no other numbers. The sums stay the same."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from navitas.base.units import UJ_PER_J
from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.attribute.component import OwnerKind
from navitas.recording.parse.arrays import F64, I64

_LARGEST_UJ = 1 << 53
"""The largest number that readers with 64-bit floats hold exactly: 9 GJ."""


@dataclass(frozen=True, slots=True)
class WholeEnergy:
    """Microjoules. The last dimension is the component.

    - `node_uj`: self energy of each row of `CallTrees`.
    - `thread_uj`: energy outside of methods with probes, and that of probes, of each row of `LedgerTables.threads`.
    - `other_uj`: by test and kind of owner. Threads have 0.
    """

    node_uj: I64
    thread_uj: I64
    other_uj: I64


def whole_energy(tables: LedgerTables) -> WholeEnergy:
    """Round the energy of tests, by component.

    A call keeps its whole microjoules, and its caller gets the remainder; so the inclusive energy of each call is right to 1 µJ.
    Negative self energy also goes to the caller. What a thread or another owner lacks is taken from the test's unattributed
    energy, base energy, other processes, threads and calls, in this order. The energy of a test is right to 1 µJ, unless it is
    negative: then it is 0.
    """
    trees, threads = tables.trees, tables.threads
    nodes, outside = _microjoules(trees.exclusive_j), _microjoules(threads.untraced_j + threads.probes_j)
    others = _microjoules(tables.tests_by_kind)
    others[:, OwnerKind.THREAD] = 0.0
    whole = WholeEnergy(*(np.zeros(values.shape, np.int64) for values in (nodes, outside, others)))
    for component in range(nodes.shape[1]):
        carried = outside[:, component].tolist()
        whole.node_uj[:, component] = _of_calls(nodes[:, component], trees.parent, trees.tree, carried)
        for test, (low, high) in enumerate(zip(threads.start[:-1].tolist(), threads.start[1:].tolist(), strict=True)):
            rest = carried[low:high] + others[test, :, component].tolist()
            in_rows, lacking = _spread(rest)
            whole.thread_uj[low:high, component] = in_rows[: high - low]
            whole.other_uj[test, :, component] = in_rows[high - low :]
            first, end = trees.start[low], trees.start[high]
            for column in (
                whole.other_uj[test, ::-1, component],
                whole.thread_uj[low:high, component],
                whole.node_uj[first:end, component],
            ):
                lacking -= _taken(column, lacking)
    return whole


def _microjoules(joules: F64) -> F64:
    return np.clip(joules * UJ_PER_J, -_LARGEST_UJ, _LARGEST_UJ)


def _of_calls(uj: F64, parent: I64, tree: I64, carried: list[float]) -> list[int]:
    """Return the whole microjoules of calls. The remainders of outermost calls are added to `carried`, by tree."""
    rest, parents, trees = uj.tolist(), parent.tolist(), tree.tolist()
    whole = [0] * len(rest)
    for node in range(len(rest) - 1, -1, -1):  # Callers precede their callees.
        if (left := rest[node]) >= 1.0:
            whole[node] = int(left)
            left -= whole[node]
        if left:
            if (caller := parents[node]) >= 0:
                rest[caller] += left
            else:
                carried[trees[node]] += left
    return whole


def _spread(values: list[float]) -> tuple[list[int], int]:
    """Round values so that their sum is right to 1: the remainder of a value is added to the next one.

    Negative values are 0. Also returns how much less they are together.
    """
    whole, remainder, lacking = [], 0.0, 0.0
    for value in values:
        if value <= -0.5:
            lacking -= value
            whole.append(0)
            continue
        with_remainder = value + remainder if value else 0.0
        whole.append(max(floor(with_remainder + 0.5), 0))
        remainder += value - whole[-1]
    return whole, max(floor(lacking - remainder + 0.5), 0)


def _taken(uj: I64, wanted: int) -> int:
    """Take microjoules from a column in order, as far as it has any. Returns how much that is."""
    if wanted <= 0:
        return 0
    before = np.cumsum(uj) - uj
    parts = np.clip(min(wanted, 1 << 62) - before, 0, uj)
    uj -= parts
    return int(parts.sum())
