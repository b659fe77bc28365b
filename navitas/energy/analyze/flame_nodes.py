"""Call trees of bounded size for flame graphs. Calls that are too small to see are merged below their caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from navitas.energy.analyze.records import MethodRecords, Nodes, TestEnergy, ThreadEnergy
from navitas.energy.attribute.forest import sums
from navitas.recording.parse.arrays import F64

_Column: TypeAlias = NDArray[np.number[Any]]

MIN_SHARE = 1e-4
"""Calls with a smaller share of the energy are merged."""
MAX_FRAMES = 50_000
"""The maximum number of frames. If there are more, those with the least energy are merged."""
SMALLER = -2
"""A method number for the merged small calls of one caller."""

SMALLER_THREADS = "smaller"
"""The role of a record that merges the small threads of a test."""


@dataclass(frozen=True, slots=True)
class FlameNodes:
    """Tests with their largest threads and calls. Energy is conserved.

    - `tests`: in each test, small threads are merged into one with the role `SMALLER_THREADS`. In each call tree, the small calls
      of a caller are merged into one node with the method `SMALLER`.
    - `smaller_tests`, `smaller_tests_j`: number and energy of the tests that are not in `tests`.
    - `min_energy_j`: the lowest energy of a test, thread or call that isn't merged.
    - `omitted`: the number of merged call-tree nodes.
    """

    tests: tuple[TestEnergy, ...]
    smaller_tests: int
    smaller_tests_j: float
    min_energy_j: float
    omitted: int


def flame_nodes(tests: Sequence[TestEnergy], *, min_share: float = MIN_SHARE, max_frames: int = MAX_FRAMES) -> FlameNodes:
    """Bound the size of the tests' call trees. Returns the tests largest energy first."""
    ranked = sorted((test for test in tests if test.wall_ns > 0), key=lambda test: -test.energy_j)
    min_energy_j = _threshold_j(ranked, min_share * fsum(test.energy_j for test in ranked), max_frames)
    large = [test for test in ranked if test.energy_j >= min_energy_j]
    small = ranked[len(large) :]
    bounded = [_bounded_test(test, min_energy_j) for test in large]
    return FlameNodes(
        tests=tuple(test for test, _ in bounded),
        smaller_tests=len(small),
        smaller_tests_j=fsum(test.energy_j for test in small),
        min_energy_j=min_energy_j,
        omitted=sum(omitted for _, omitted in bounded) + sum(len(thread.nodes) for test in small for thread in test.threads),
    )


def _threshold_j(tests: Sequence[TestEnergy], min_energy_j: float, max_frames: int) -> float:
    """Return the lowest threshold, at least `min_energy_j`, that at most `max_frames` tests, threads and calls reach."""
    energies_j = np.empty(0)

    def add(energy_j: Sequence[float] | _Column) -> None:
        nonlocal energies_j, min_energy_j
        added = np.asarray(energy_j, np.float64)
        energies_j = np.concatenate([energies_j, added[added >= min_energy_j]])
        if len(energies_j) > max_frames:  # The threshold only rises, so dropped values never count again.
            min_energy_j = max(
                min_energy_j, float(np.nextafter(np.partition(energies_j, -max_frames - 1)[-max_frames - 1], np.inf))
            )
            energies_j = energies_j[energies_j >= min_energy_j]

    add([test.energy_j for test in tests])
    for test in tests:
        if test.energy_j >= min_energy_j:
            add([thread.energy_j for thread in test.threads])
            for thread in test.threads:
                if thread.energy_j >= min_energy_j:
                    add(thread.nodes.columns[3])
    return min_energy_j


def _bounded_test(test: TestEnergy, min_energy_j: float) -> tuple[TestEnergy, int]:
    """Return a test with bounded threads, and the number of nodes that were merged."""
    threads, small, omitted = [], [], 0
    for thread in test.threads:
        if thread.energy_j >= min_energy_j:
            nodes = _bounded_nodes(thread.nodes, min_energy_j)
            omitted += len(thread.nodes) - int((nodes.columns[1] != SMALLER).sum())
            threads.append(replace(thread, nodes=nodes, methods=MethodRecords.none()))
        else:
            small.append(thread)
            omitted += len(thread.nodes)
    return replace(test, threads=(*threads, *_merged(small))), omitted


def _merged(small: Sequence[ThreadEnergy]) -> list[ThreadEnergy]:
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


def _bounded_nodes(nodes: Nodes, min_energy_j: float) -> Nodes:
    """Keep the nodes that reach the threshold and whose callers do, by inclusive energy. Merge the others below their caller."""
    parent, method, calls, inclusive_j, exclusive_j, wall_ns = nodes.columns
    candidates = np.flatnonzero(inclusive_j >= min_energy_j)
    place = np.full(len(parent), -1, np.int64)
    kept: list[int] = []
    for node, parent_node in zip(candidates.tolist(), parent[candidates].tolist(), strict=True):
        if parent_node < 0 or place[parent_node] >= 0:  # Callers precede callees.
            place[node] = len(kept)
            kept.append(node)
    chosen = np.array(kept, np.int64)
    kept_parent = np.where(parent >= 0, place[parent], -1)
    # The topmost omitted nodes: roots, or callees of a kept node.
    top_omitted = np.flatnonzero((place < 0) & ((parent < 0) | (kept_parent >= 0)))
    owners, index = np.unique(kept_parent[top_omitted], return_inverse=True)

    def summed(column: _Column) -> F64:
        return np.asarray(np.bincount(index, column[top_omitted].astype(np.float64), len(owners)), np.float64)

    def appended(column: _Column, more: F64) -> F64:
        return np.concatenate([column[chosen].astype(np.float64), more])

    energy_j, energy_by = summed(inclusive_j), sums(index, nodes.inclusive_by[top_omitted], len(owners))
    return Nodes(
        np.concatenate([kept_parent[chosen], owners]),
        np.concatenate([method[chosen], np.full(len(owners), SMALLER, np.int64)]),
        appended(calls, summed(calls)).astype(np.int64),
        appended(inclusive_j, energy_j),
        appended(exclusive_j, energy_j),
        appended(wall_ns, summed(wall_ns)).astype(np.int64),
        exclusive_by=np.concatenate([nodes.exclusive_by[chosen], energy_by]),
        inclusive_by=np.concatenate([nodes.inclusive_by[chosen], energy_by]),
    )
