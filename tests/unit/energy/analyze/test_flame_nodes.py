"""Call trees of flame graphs are bounded and lose no energy."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from navitas.energy.analyze.flame_nodes import SMALLER, SMALLER_THREADS, flame_nodes
from numpy.typing import NDArray

from navitas.energy.analyze.records import MethodRecords, Nodes, TestEnergy, ThreadEnergy


def tree(size: int, random: Random, *, total_j: float = 1.0) -> Nodes:
    """Return a random tree. The self energies of its nodes, some slightly negative, add up to `total_j`."""
    parent = np.array([random.randrange(-1, node) for node in range(size)], np.int64)
    own = np.array([random.random() ** 8 - 0.001 for _ in range(size)])
    own *= total_j / own.sum()
    inclusive = own.copy()
    for node in range(size - 1, -1, -1):
        if parent[node] >= 0:
            inclusive[parent[node]] += inclusive[node]
    ones = np.ones(size, np.int64)
    return made(parent, np.arange(size), ones, inclusive, own)


def made(*columns: NDArray[np.number[Any]]) -> Nodes:
    """Return nodes of one component from `Nodes.columns` without the last one."""
    ones = np.ones(len(columns[0]), np.int64)
    return Nodes(*columns, ones, exclusive_by=columns[4][:, None], inclusive_by=columns[3][:, None])


def thread(nodes: Nodes, energy_j: float, *, serial: int = 1) -> ThreadEnergy:
    own_j = float(nodes.columns[4].sum())
    return ThreadEnergy(serial, serial, f"t{serial}", "app", 1, energy_j, 0, energy_j - own_j, 0.0, MethodRecords.none(), nodes)


def a_test(*threads: ThreadEnergy, number: int = 0) -> TestEnergy:
    energy_j = sum(thread.energy_j for thread in threads)
    return TestEnergy(
        number, 0, ":", "a.T", f"m{number}", 0, "passed", 10, energy_j, energy_j, energy_j, 0.0, 0.0, 0.0, 0.0, threads
    )


@given(st.integers(1, 60), st.integers(0, 1000), st.sampled_from([0.0, 1e-3, 0.05, 0.4]), st.integers(1, 40))
def test_a_bounded_tree_keeps_its_energy_and_its_calls(size: int, seed: int, least: float, most: int) -> None:
    full = tree(size, Random(seed))
    found = flame_nodes([a_test(thread(full, 1.5))], min_share=least, max_frames=most)
    shown = [node for test in found.tests for each in test.threads for node in each.nodes]
    own = [node for node in shown if node.method != SMALLER]
    assert len(own) <= most
    assert found.omitted == size - len(own)
    if found.tests and found.tests[0].threads[0].role != SMALLER_THREADS:
        (kept,) = found.tests[0].threads
        assert kept.nodes.columns[4].sum() == pytest.approx(1.0), "the sum of self energies is unchanged"
        assert kept.nodes.columns[2].sum() == pytest.approx(sum(node.calls for node in own) + _smaller_calls(kept.nodes))
        assert np.allclose(kept.nodes.inclusive_by[:, 0], kept.nodes.columns[3]), "components agree with their sum"
        for node in kept.nodes:
            assert node.parent < node.id
            assert node.inclusive_j >= found.min_energy_j or node.method == SMALLER
            below = sum(child.inclusive_j for child in kept.nodes if child.parent == node.id)
            assert node.inclusive_j == pytest.approx(node.exclusive_j + below)


def _smaller_calls(nodes: Nodes) -> int:
    return sum(node.calls for node in nodes if node.method == SMALLER)


def test_small_threads_and_tests_are_merged() -> None:
    random = Random(3)
    large = thread(tree(5, random), 2.0)
    small = [thread(tree(3, random, total_j=1e-6), 1e-6, serial=serial) for serial in range(2, 12)]
    found = flame_nodes([a_test(small[0], number=1), a_test(large, *small)], min_share=1e-4)
    (kept,) = found.tests
    assert [each.role for each in kept.threads] == ["app", SMALLER_THREADS]
    assert (kept.threads[1].count, kept.threads[1].energy_j) == (10, pytest.approx(1e-5))
    assert (found.smaller_tests, found.smaller_tests_j) == (1, pytest.approx(1e-6))
    assert found.omitted == 33 + sum(node.inclusive_j < found.min_energy_j for node in large.nodes)


def test_the_number_of_frames_is_bounded() -> None:
    size = 200_000
    even = np.full(size, 1 / size)
    nodes = made(np.full(size, -1), np.zeros(size, np.int64), np.ones(size, np.int64), even, even)
    ragged = replace(thread(nodes, 1.0), serial=2)
    found = flame_nodes([a_test(ragged)], min_share=0.0, max_frames=1000)
    assert sum(len(each.nodes) for each in found.tests[0].threads) <= 1001
    assert found.tests[0].threads[0].nodes.columns[4].sum() == pytest.approx(1.0)


def test_no_test_and_no_energy() -> None:
    assert flame_nodes([]).tests == ()
    none = flame_nodes([a_test(thread(Nodes.none(), 0.0))])
    assert len(none.tests) == 1 and none.omitted == 0
