"""Call trees of bounded size for flame graphs: what is too small to see is summed up under its caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from navitas.analyze.records import MethodRecords, Nodes, TestEnergy, ThreadEnergy
from navitas.attribute.forest import sums
from navitas.parse.arrays import F64

_Column: TypeAlias = NDArray[np.number[Any]]

LEAST_SHARE = 1e-4
"""The smallest share of all energy that has a frame of its own."""
MOST_FRAMES = 50_000
"""The largest number of such frames; of more, only those with the most energy are left."""
SMALLER = -2
"""In place of a method: the calls below one caller that are too small for frames of their own."""

SMALLER_THREADS = "smaller"
"""The role of a thread that stands for threads that are too small for frames of their own."""


@dataclass(frozen=True, slots=True)
class FlameNodes:
    """Tests with their largest threads and calls.

    In `tests`, the smaller threads of a test are one thread with the role `SMALLER_THREADS`, and the smaller calls of a caller
    are one node with the method `SMALLER`: energies are conserved. Smaller tests are only counted (`smaller_tests`) and summed up
    (`smaller_tests_j`). `least_j` is the least energy of a test, thread or call that is shown; `left_out` is the number of nodes
    of call trees that are not.
    """

    tests: tuple[TestEnergy, ...]
    smaller_tests: int
    smaller_tests_j: float
    least_j: float
    left_out: int


def flame_nodes(tests: Sequence[TestEnergy], *, least_share: float = LEAST_SHARE, most_frames: int = MOST_FRAMES) -> FlameNodes:
    """Bound the call trees of some tests; tests come largest first."""
    ranked = sorted((test for test in tests if test.wall_ns > 0), key=lambda test: -test.energy_j)
    least_j = _least_j(ranked, least_share * fsum(test.energy_j for test in ranked), most_frames)
    large = [test for test in ranked if test.energy_j >= least_j]
    small = ranked[len(large) :]
    bounded = [_test(test, least_j) for test in large]
    return FlameNodes(
        tests=tuple(test for test, _ in bounded),
        smaller_tests=len(small),
        smaller_tests_j=fsum(test.energy_j for test in small),
        least_j=least_j,
        left_out=sum(left_out for _, left_out in bounded) + sum(len(thread.nodes) for test in small for thread in test.threads),
    )


def _least_j(tests: Sequence[TestEnergy], least_j: float, most: int) -> float:
    """The energy from which on at most `most` tests, threads and calls are left, not below `least_j`."""
    found = np.empty(0)

    def add(energy_j: Sequence[float] | _Column) -> None:
        nonlocal found, least_j
        given = np.asarray(energy_j, np.float64)
        found = np.concatenate([found, given[given >= least_j]])
        if len(found) > most:  # what is dropped here cannot come back: the limit only rises
            least_j = max(least_j, float(np.nextafter(np.partition(found, -most - 1)[-most - 1], np.inf)))
            found = found[found >= least_j]

    add([test.energy_j for test in tests])
    for test in tests:
        if test.energy_j >= least_j:
            add([thread.energy_j for thread in test.threads])
            for thread in test.threads:
                if thread.energy_j >= least_j:
                    add(thread.nodes.columns[3])
    return least_j


def _test(test: TestEnergy, least_j: float) -> tuple[TestEnergy, int]:
    """A test with bounded threads, and how many nodes it has lost."""
    threads, small, left_out = [], [], 0
    for thread in test.threads:
        if thread.energy_j >= least_j:
            nodes = _nodes(thread.nodes, least_j)
            left_out += len(thread.nodes) - int((nodes.columns[1] != SMALLER).sum())
            threads.append(replace(thread, nodes=nodes, methods=MethodRecords.none()))
        else:
            small.append(thread)
            left_out += len(thread.nodes)
    return replace(test, threads=(*threads, *_joined(small))), left_out


def _joined(small: Sequence[ThreadEnergy]) -> list[ThreadEnergy]:
    if not small:
        return []
    energy_j = fsum(thread.energy_j for thread in small)
    return [
        ThreadEnergy(
            serial=-1,
            tid=-1,
            name="",
            role=SMALLER_THREADS,
            count=sum(thread.count for thread in small),
            energy_j=energy_j,
            cpu_ns=sum(thread.cpu_ns for thread in small),
            untraced_j=energy_j,
            probes_j=0.0,
            methods=MethodRecords.none(),
            nodes=Nodes.none(),
        )
    ]


def _nodes(nodes: Nodes, least_j: float) -> Nodes:
    """The nodes with at least so much inclusive energy whose callers have it too, and sums of the others."""
    parent, method, calls, inclusive_j, exclusive_j, wall_ns = nodes.columns
    candidates = np.flatnonzero(inclusive_j >= least_j)
    place = np.full(len(parent), -1, np.int64)
    kept: list[int] = []
    for node, above in zip(candidates.tolist(), parent[candidates].tolist(), strict=True):
        if above < 0 or place[above] >= 0:  # callers come first
            place[node] = len(kept)
            kept.append(node)
    chosen = np.array(kept, np.int64)
    up = np.where(parent >= 0, place[parent], -1)
    # The highest nodes of what is left out hang below a caller that is kept, or are roots.
    cut = np.flatnonzero((place < 0) & ((parent < 0) | (up >= 0)))
    owners, index = np.unique(up[cut], return_inverse=True)

    def summed(column: _Column) -> F64:
        return np.asarray(np.bincount(index, column[cut].astype(np.float64), len(owners)), np.float64)

    def joined(column: _Column, more: F64) -> F64:
        return np.concatenate([column[chosen].astype(np.float64), more])

    energy_j, energy_by = summed(inclusive_j), sums(index, nodes.inclusive_by[cut], len(owners))
    return Nodes(
        np.concatenate([up[chosen], owners]),
        np.concatenate([method[chosen], np.full(len(owners), SMALLER, np.int64)]),
        joined(calls, summed(calls)).astype(np.int64),
        joined(inclusive_j, energy_j),
        joined(exclusive_j, energy_j),
        joined(wall_ns, summed(wall_ns)).astype(np.int64),
        exclusive_by=np.concatenate([nodes.exclusive_by[chosen], energy_by]),
        inclusive_by=np.concatenate([nodes.inclusive_by[chosen], energy_by]),
    )
