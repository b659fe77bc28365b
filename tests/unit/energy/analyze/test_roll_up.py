"""Sums over tests by method, thread and role, with recursion, repeats and equal names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lamp import ABOUT
from support.ledger_maker import RUN, NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records_of_tests import by_class
from navitas.energy.attribute.compensation import ProbesError
from navitas.energy.attribute.ledger import RunEntry
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable(
    (
        Method(0, ":a", "p.Sort", "sort", "()V", 1, "main", False),
        Method(1, ":a", "p.Sort", "swap", "()V", 2, "main", False),
        Method(2, ":a", "p.Sort", "swap", "()V", 2, "main", False),  # from the map of another module that depends on it
        Method(3, ":b", "p.Sort", "swap", "()V", 2, "main", False),
        Method(4, ":a", "p.Sort", "swap", "(I)V", 9, "main", False),
    ),
    {},
)


def one_test(*threads: ThreadSpec, repeat: int = 0, method: str = "t", class_name: str = "p.SortTest") -> TestSpec:
    return TestSpec(class_name, method, repeat, threads, base_j=1.0)


def made(*tests: TestSpec, run: RunEntry = RUN) -> Profile:
    found = Profile(made_ledger(tests, METHODS, run=run), ABOUT)
    assert check(found) == []
    return found


def main(*nodes: NodeSpec, energy_j: float = 20.0) -> ThreadSpec:
    return ThreadSpec(1, "main", energy_j, tid=7, cpu_ns=1_000_000_000, nodes=nodes)


RECURSION = main(
    NodeSpec(-1, 0, 1, 1.0, self_ns=10, cpu_ns=5),  # sort
    NodeSpec(0, 1, 2, 2.0, self_ns=20, cpu_ns=10, throws=1),  # sort > swap
    NodeSpec(1, 0, 3, 4.0, self_ns=40, cpu_ns=20),  # sort > swap > sort
    NodeSpec(2, 1, 4, 8.0, self_ns=80, cpu_ns=40, cut=1),  # sort > swap > sort > swap
    NodeSpec(-1, 1, 5, 0.5, self_ns=5, cpu_ns=1),  # swap
)


def test_recursion_counts_once() -> None:
    swap, sort = made(one_test(RECURSION)).method_totals()
    assert (sort.method.name, sort.calls, sort.exclusive_j, sort.inclusive_j) == ("sort", 4, 5.0, 15.0)
    assert (sort.wall_ns, sort.self_ns, sort.cpu_ns) == (150, 50, 75)
    assert (swap.calls, swap.throws, swap.cut) == (11, 1, 1)
    assert (swap.exclusive_j, swap.inclusive_j) == (10.5, 14.5)
    assert (swap.wall_ns, swap.self_ns, swap.cpu_ns) == (145, 105, 71)
    assert swap.components == (10.5,)


def test_totals_are_sums_of_the_threads_methods() -> None:
    (test,) = made(one_test(RECURSION)).tests
    (thread,) = test.threads
    assert thread.untraced_j == pytest.approx(4.5)
    assert [(row.method, row.inclusive_j, row.exclusive_j) for row in thread.methods] == [(0, 15.0, 5.0), (1, 14.5, 10.5)]
    assert [(node.parent, node.method, node.inclusive_j) for node in thread.nodes] == [
        (-1, 0, 15.0),
        (0, 1, 14.0),
        (1, 0, 12.0),
        (2, 1, 8.0),
        (-1, 1, 0.5),
    ]


def test_methods_are_grouped_by_module_and_name() -> None:
    first = main(NodeSpec(-1, 2, 1, 1.0), NodeSpec(-1, 3, 1, 2.0), NodeSpec(-1, 4, 1, 4.0))
    second = main(NodeSpec(-1, 1, 1, 0.5))
    found = made(one_test(first), one_test(second, repeat=1)).method_totals()
    assert [(each.id, each.exclusive_j, each.calls) for each in found] == [(4, 4.0, 1), (3, 2.0, 1), (1, 1.5, 2)]
    assert [each.method.module for each in found] == [":a", ":b", ":a"]


def test_totals_of_chosen_tests() -> None:
    profile = made(
        one_test(main(NodeSpec(-1, 0, 1, 1.0))),
        one_test(main(NodeSpec(-1, 0, 2, 2.0)), repeat=1),
        one_test(ThreadSpec(2, "helper", 3.0, nodes=(NodeSpec(-1, 0, 4, 3.0),)), repeat=2),
    )
    assert [(each.calls, each.exclusive_j) for each in profile.method_totals()] == [(7, 6.0)]
    assert [(each.calls, each.exclusive_j) for each in profile.method_totals(profile.tests[1:])] == [(6, 5.0)]
    assert profile.method_totals([]) == () and profile.thread_totals([]) == ()
    assert [(each.name, each.energy_j) for each in profile.thread_totals(profile.tests[:2])] == [("main", 40.0)]


def test_threads_are_grouped_by_name_and_role() -> None:
    def group(count: int, energy_j: float) -> ThreadSpec:
        return ThreadSpec(-1, "pool-#", energy_j, count=count, cpu_ns=count)

    collector = ThreadSpec(9, "main", 0.5, role="gc")
    profile = made(
        one_test(main(NodeSpec(-1, 0, 1, 1.0)), group(3, 6.0), collector),
        one_test(main(NodeSpec(-1, 0, 1, 1.0)), group(70, 7.0), repeat=1),
    )
    assert [(each.name, each.role, each.count, each.energy_j, each.cpu_ns) for each in profile.thread_totals()] == [
        ("main", "app", 2, 40.0, 2_000_000_000),
        ("pool-#", "app", 73, 13.0, 73),
        ("main", "gc", 1, 0.5, 0),
    ]
    assert profile.thread_totals()[0].untraced_j == pytest.approx(38.0)


def test_sums_exclude_the_baseline() -> None:
    probed = replace(one_test(main(NodeSpec(-1, 0, 1, 1.0, probes_j=0.25))), compensation=(0.375, 0.5, 20.75, 0.625))
    plain = replace(one_test(main(energy_j=18.0)), baseline=True)
    profile = made(probed, plain, run=replace(RUN, probes_error=ProbesError(0.1, 0.0)))
    (test,) = profile.tests
    assert (test.energy_j, test.unprobed_j, test.unprobed_threads_j) == (21.0, 19.0, 18.0)
    assert (test.probes_j, test.probes_error_j, test.sampled_probes_j) == (0.25, 0.5, 0.375)
    assert (test.compensated_j, test.compensated_error_j) == (20.75, 0.625)
    assert [each.compensated_median_j for each in profile.repeats()] == [20.75]
    assert profile.totals.energy_j == 21.0 and profile.totals.outside_tests_j == 0
    assert [each.energy_j for each in profile.thread_totals()] == [20.0]
    (method,) = profile.method_totals()
    assert (method.raw_exclusive_j, method.exclusive_j) == (1.25, 1.0)
    assert method.exclusive_error.probes_j == pytest.approx(0.025)


def test_the_ledger_maker_refuses_siblings_with_the_same_method() -> None:
    with pytest.raises(ValueError, match="method 0"):
        made(one_test(main(NodeSpec(-1, 0, 1, 1.0), NodeSpec(-1, 0, 1, 1.0))))


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_methods_have_a_value_for_each_repeat(repeats: int) -> None:
    profile = made(*(one_test(RECURSION, repeat=repeat) for repeat in range(repeats)))
    found = profile.method_repeats()
    assert [each.calls for each in found] == [(11,) * repeats, (4,) * repeats]
    assert [each.total for each in found] == list(profile.method_totals())
    for each in found:
        assert sum(each.exclusive_j.values) == pytest.approx(each.total.exclusive_j, rel=1e-12)
        assert sum(each.inclusive_j.values) == pytest.approx(each.total.inclusive_j, rel=1e-12)


def test_a_repeat_without_a_method_counts_as_zero() -> None:
    profile = made(one_test(RECURSION, repeat=0), one_test(main(), repeat=1))
    assert [each.calls for each in profile.method_repeats()] == [(11, 0), (4, 0)]
    assert all(each.exclusive_j.values[1] == 0 for each in profile.method_repeats())


def test_test_classes_have_the_methods_of_their_tests() -> None:
    profile = made(one_test(RECURSION, class_name="p.A"), one_test(main(), class_name="p.B"))
    first, second = by_class(profile.tests)
    assert profile.method_totals([first]) == profile.method_totals([profile.tests[0]]) != ()
    assert profile.method_totals([second]) == ()
    assert profile.thread_totals([first, second]) == profile.thread_totals()


def test_methods_of_the_jit_compiler_are_not_the_apps() -> None:
    jit = ThreadSpec(2, "C2 CompilerThre", 5.0, role="jit", nodes=(NodeSpec(-1, 4, 0, 5.0),))
    made_profile = made(one_test(main(NodeSpec(-1, 0, 1, 20.0)), jit))
    assert [total.method.name for total in made_profile.method_totals()] == ["sort"]
    assert sum(len(thread.nodes) for thread in made_profile.tests[0].threads) == 2, "its call tree is kept"


def test_a_rounding_error_is_not_below_zero() -> None:
    (thread,) = made(one_test(RECURSION)).tests[0].threads
    assert not replace(thread, untraced_j=-1e-15).is_below_zero
    assert replace(thread, untraced_j=-1e-3).is_below_zero
