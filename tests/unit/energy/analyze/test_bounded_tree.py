"""Call trees of pages are bounded and lose no energy; trees of two recordings have the same nodes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.bounded_tree import (
    OUTSIDE_CALLS,
    SMALLER,
    SMALLER_THREADS,
    BoundedTree,
    FullTree,
    bounded_tree,
    full_tree,
)
from navitas.energy.analyze.earlier_tree import joined_tree
from navitas.energy.analyze.profile import About, Profile
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable(tuple(Method(i, ":", "a.C", f"m{i}", "()V", i, "main", False) for i in range(200)), {})
ABOUT = About("made", device={}, settings={}, power_profile={}, battery_mah=None, voltage_v=4.0)


def nodes(size: int, random: Random) -> list[NodeSpec]:
    """Return a random tree. Siblings have different methods. Some self energies are slightly negative."""
    return [
        NodeSpec(random.randrange(-1, node), node, random.randrange(1, 9), random.random() ** 8 - 0.001, self_ns=1000)
        for node in range(size)
    ]


def a_test(name: str, *threads: ThreadSpec, repeat: int = 0, status: str = "passed") -> TestSpec:
    return TestSpec("a.T", name, repeat, threads, status=status, base_j=2.0, other_processes_j=0.25)


def a_thread(tree: list[NodeSpec], outside_j: float = 0.5, *, serial: int = 1, role: str = "app") -> ThreadSpec:
    energy_j = sum(node.exclusive_j + node.probes_j for node in tree) + outside_j
    return ThreadSpec(serial, f"t{serial}", energy_j, role=role, cpu_ns=5_000, nodes=tree)


def profile(*tests: TestSpec, methods: MethodTable = METHODS) -> Profile:
    return Profile(made_ledger(tests, methods), ABOUT)


def trees(made: Profile, most: int) -> tuple[FullTree, BoundedTree]:
    full = full_tree(made.ledger, [[group] for group in made.repeats()])
    return full, bounded_tree(full, most)


def app_j(tree: BoundedTree, test: int) -> float:
    chosen = (tree.test == test) & np.array(tree.is_app)[tree.thread]
    return float(tree.self_by[chosen].sum())


@given(st.integers(1, 60), st.integers(0, 1000), st.integers(1, 80))
def test_a_bounded_tree_keeps_its_energy_and_its_order(size: int, seed: int, most: int) -> None:
    random = Random(seed)
    made = profile(
        a_test("x", a_thread(nodes(size, random)), a_thread([], 0.1, serial=2, role="jit")),
        a_test("y", a_thread(nodes(3, random)), a_thread(nodes(2, random), serial=3)),
    )
    full, found = trees(made, most)
    assert (found.method != SMALLER).sum() <= most
    for number, group in enumerate(made.repeats()):
        assert app_j(found, number) == pytest.approx(group.app_j.median)
        assert found.self_by[found.test == number].sum() == pytest.approx(group.compensated_j.median)
    assert (found.parent < np.arange(len(found))).all(), "callers precede callees"
    below = found.parent >= 0
    assert (found.test[below] == found.test[found.parent[below]]).all()
    assert np.bincount(found.node_of, full.self_by.sum(axis=1), len(found)) == pytest.approx(found.self_by.sum(axis=1))
    assert found.self_ns.sum() == pytest.approx(full.self_ns.sum())
    if most >= len(full.key):
        assert SMALLER not in found.method and len(found) == len(full.key)


def test_small_threads_become_one_and_stay_app_energy() -> None:
    random = Random(3)
    small = [a_thread([NodeSpec(-1, 0, 1, 1e-6)], 1e-6, serial=serial) for serial in range(2, 12)]
    made = profile(a_test("x", a_thread(nodes(5, random), 2.0), *small, a_thread([], 1e-6, serial=20, role="jit")))
    found = trees(made, 3)[1]
    used = {found.threads[number] for number in found.thread.tolist()}
    assert SMALLER_THREADS in used and ("t2", "app") not in used
    assert app_j(found, 0) == pytest.approx(made.repeats()[0].app_j.median)


def test_repeats_are_scaled_to_the_median() -> None:
    runs = [
        a_test("x", a_thread([NodeSpec(-1, 0, number + 1, float(number + 1))], 1.0), repeat=number, status=status)
        for number, status in enumerate(["passed", "passed", "passed", "cut"])
    ]
    made = profile(*runs)
    found = trees(made, 100)[1]
    assert app_j(found, 0) == pytest.approx(median([2.0, 3.0, 4.0])), "the run that was cut does not count"
    (call,) = np.flatnonzero(found.method == 0).tolist()
    assert found.calls[call] == pytest.approx(2.0) and found.self_by[call, 0] == pytest.approx(2.0)


def test_several_tests_can_be_one() -> None:
    made = profile(*(a_test(f"x{i}", a_thread([NodeSpec(-1, 0, 1, 1.0)], 0.0)) for i in range(3)))
    first, *others = made.repeats()
    found = bounded_tree(full_tree(made.ledger, [[first], others]), 100)
    assert sorted(found.self_by[found.method == 0, 0].tolist()) == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    ("energies_j", "median_j", "calls"),
    [
        ([0.001, 0.002, 30.0], 0.002, 2.0),
        ([-0.5, 0.001, 0.5], 0.001, 2.0),
        ([-1.0, 0.001, 0.003, 1.5], 0.002, 2.5),
        ([1.0, 1.5, 2.0], 1.5, 2.0),
    ],
)
def test_a_median_far_from_the_mean_scales_no_run(energies_j: list[float], median_j: float, calls: float) -> None:
    """The middle runs stand alone: other runs, scaled by 0.0002 or by 3, would have parts of any size."""
    runs = [
        a_test("x", a_thread([NodeSpec(-1, 0, number + 1, energy_j + 5.0)], -5.0), repeat=number)
        for number, energy_j in enumerate(energies_j)
    ]
    found = trees(profile(*runs), 100)[1]
    (call,) = np.flatnonzero(found.method == 0).tolist()
    assert app_j(found, 0) == pytest.approx(median_j)
    assert found.self_by[call, 0] == pytest.approx(median_j + 5.0) and found.calls[call] == pytest.approx(calls)


def test_no_test_has_no_nodes() -> None:
    made = profile()
    found = trees(made, 10)[1]
    assert len(found) == 0


def test_the_trees_of_two_recordings_have_the_same_nodes() -> None:
    """The earlier build lacks a method, has another one, and numbers methods differently."""
    now = profile(
        a_test("x", a_thread([NodeSpec(-1, 0, 1, 1.0), NodeSpec(0, 1, 2, 3.0), NodeSpec(0, 2, 1, 0.5)])),
        a_test("new", a_thread([])),
    )
    table = MethodTable(tuple(replace(METHODS.methods[0], id=i, name=name) for i, name in enumerate(("gone", "m1", "m0"))), {})
    old = profile(
        a_test("x", a_thread([NodeSpec(-1, 2, 1, 1.5), NodeSpec(0, 1, 2, 1.0), NodeSpec(0, 0, 1, 0.25)], 0.125)), methods=table
    )
    full = full_tree(now.ledger, [[group] for group in now.repeats()])
    joined = joined_tree(now.ledger, full, old.ledger, full_tree(old.ledger, [list(old.repeats()), []]))
    found = bounded_tree(joined, 100)
    both_j = {
        int(found.method[node]): (float(found.self_by[node].sum()), float(found.before_j[node]))
        for node in range(len(found))
        if found.test[node] == 0 and found.threads[found.thread[node]] == ("t1", "app")
    }
    gone = len(METHODS.methods)
    assert both_j == {OUTSIDE_CALLS: (0.5, 0.125), 0: (1.0, 1.5), 1: (3.0, 1.0), 2: (0.5, 0.0), gone: (0.0, 0.25)}
    for number, group in enumerate(now.repeats()):
        assert app_j(found, number) == pytest.approx(group.app_j.median)
    assert found.before_j.sum() == pytest.approx(old.repeats()[0].compensated_j.median)
    parents = {int(found.method[node]): found.parent[node] for node in range(len(found)) if found.test[node] == 0}
    assert found.method[parents[gone]] == 0
    few = bounded_tree(joined, 2)
    assert few.before_j.sum() == pytest.approx(found.before_j.sum())
