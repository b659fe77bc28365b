"""The figures of verdicts agree with those of the profile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.messenger_profile import messenger, polls, waits

from navitas.energy.analyze.names import MethodNames
from navitas.insight.explain.call_figures import CallFigures
from navitas.insight.verdict.figures import Figures
from navitas.recording.parse.tables import Method, MethodTable

JOULES = st.floats(0.01, 100)


@given(st.lists(JOULES, min_size=1, max_size=4), JOULES)
def test_threads_tests_and_methods_add_up_to_app_energy(poll_j: list[float], waiting_j: float) -> None:
    runs = [polls(repeat, joules) for repeat, joules in enumerate(poll_j)]
    waiting = [
        waits(repeat, threads=(replace(waits().threads[0], energy_j=waiting_j, nodes=()),)) for repeat in range(len(poll_j))
    ]
    profile = messenger(*(run for pair in zip(runs, waiting, strict=True) for run in pair))
    figures = Figures(profile)
    assert figures.app_j == pytest.approx(sum(group.app_j.median for group in profile.repeats()))
    assert sum(thread.energy_j for thread in figures.threads) == pytest.approx(figures.app_j)
    for number, group in enumerate(figures.groups):
        by_thread = sum(thread.by_test.get(number, 0.0) for thread in figures.threads)
        assert by_thread == pytest.approx(group.app_j.median)
    outside_j = sum(thread.outside_j for thread in figures.threads)
    for method in figures.methods:
        use = figures.use_of(method.total.id)
        assert sum(use.tests.values()) == pytest.approx(sum(use.threads.values())) == pytest.approx(method.self_j)
    assert outside_j + sum(method.self_j for method in figures.methods) == pytest.approx(figures.app_j)
    calls = CallFigures(figures)
    in_tree = {method: (self_j, count) for method, self_j, count in calls.by(calls.tree.method, calls.app)}
    for method in figures.methods:
        assert in_tree[method.total.id] == pytest.approx((method.self_j, method.calls))
        below_j = calls.tree.self_by[calls.below(calls.of_method(method.total.id))].sum()
        assert method.inclusive_j == pytest.approx(method.self_j + below_j)
        assert method.per_call_j == pytest.approx(method.inclusive_j / method.calls)
    assert "C2 CompilerThre" not in {thread.name for thread in figures.threads}


@given(JOULES)
def test_shares_of_methods_are_those_of_the_profile(poll_j: float) -> None:
    figures = Figures(messenger(polls(poll_j=poll_j)))
    poll = next(method for method in figures.methods if method.total.method.name == "poll")
    share, interval = figures.share_of(poll)
    assert share == pytest.approx(poll_j / (poll_j + 4.0))
    assert interval.low < share < interval.high


def test_with_repeats_methods_and_threads_are_parts_of_the_tests_medians() -> None:
    figures = Figures(messenger(polls(0, 6.0), polls(1, 7.0), polls(2, 20.0)))
    assert figures.app_j == pytest.approx(11.0)
    assert figures.methods[0].self_j == pytest.approx(11.0 * 33 / 45), "its share of the energy of all runs"
    assert figures.methods[0].interval.low < 7.0 < figures.methods[0].interval.high
    main = figures.threads[0]
    assert main.name == "main" and main.energy_j + figures.threads[1].energy_j == pytest.approx(11.0)
    assert main.interval.half_width > Figures(messenger(polls(0, 7.0))).threads[0].interval.half_width


def test_shares_of_runs_that_vary_together_have_a_narrow_interval() -> None:
    """The whole run used twice as much, and the method, too: its share is the same."""
    slow = polls(1, 12.0)
    main, worker, jit = slow.threads
    nodes = tuple(
        replace(node, exclusive_j=2 * own.exclusive_j) for node, own in zip(main.nodes, polls(0).threads[0].nodes, strict=True)
    )
    threads = (replace(main, energy_j=18.0, nodes=nodes), replace(worker, energy_j=2.0), jit)
    figures = Figures(messenger(polls(0), replace(slow, threads=threads)))
    assert figures.app_interval.half_width > figures.app_j
    share, interval = figures.share_of(figures.methods[0])
    assert share == pytest.approx(0.6) and interval.half_width < 0.03
    alone = Figures(messenger(polls(0), polls(1, 12.0)))
    assert alone.share_of(alone.methods[0])[1].half_width > 0.1


def test_threads_are_without_probes_and_those_outside_the_app_are_apart() -> None:
    main, worker, jit = polls().threads
    nodes = (replace(main.nodes[0], probes_j=0.25), *main.nodes[1:])
    figures = Figures(messenger(polls(threads=(replace(main, energy_j=9.25, nodes=nodes), worker, jit))))
    found = figures.threads[0]
    assert (found.name, found.count, found.measured, found.cpu_ns) == ("main", 1, True, 800_000_000)
    assert (found.energy_j, found.probes_j, found.outside_j) == pytest.approx((9.0, 0.25, 0.0))
    assert sum(use.energy_j for use in figures.threads) == pytest.approx(figures.app_j)
    assert [(use.name, use.is_app) for use in figures.all_threads[2:]] == [("C2 CompilerThre", False)]
    assert [(use.role, use.is_app) for use in figures.roles] == [("app", True), ("jit", False)]
    assert figures.roles[0].energy_j == pytest.approx(10.0)


def test_a_run_without_a_thread_counts_as_zero() -> None:
    """A worker that ran in one of three runs is not known as well as one that ran in a single recorded run."""
    bare = [polls(number, threads=(polls().threads[0], polls().threads[2])) for number in (1, 2)]
    once = next(use for use in Figures(messenger(polls(0), *bare)).threads if use.name == "worker")
    assert once.runs.values == (1.0, 0.0, 0.0) and once.interval.half_width > once.energy_j
    cut = next(use for use in Figures(messenger(polls(0), polls(1), polls(2, status="cut", threads=()))).threads)
    assert cut.runs.counted == (9.0, 9.0), "a run that does not count is none without the thread"


def test_components_have_the_spread_of_their_runs() -> None:
    (even,) = Figures(messenger(*(polls(number) for number in range(3)))).components
    (uneven,) = Figures(messenger(*(polls(number, 2.0 + 4 * number) for number in range(3)))).components
    assert uneven.energy_j == pytest.approx(even.energy_j) and uneven.interval.half_width > 5 * even.interval.half_width


def test_shares_of_tests_and_threads_are_those_of_runs() -> None:
    """All of the app's energy is that of one test and of one thread, however much the runs differ."""
    runs = [waits(number, threads=(replace(waits().threads[0], energy_j=1.0 + number),)) for number in range(3)]
    figures = Figures(messenger(*runs))
    for share, interval in (figures.share_of_test(figures.groups[0]), figures.share_of_thread(figures.threads[0])):
        assert share == pytest.approx(1.0) and interval.half_width < 0.05


def test_components_are_medians_of_whole_tests() -> None:
    (cpu,) = Figures(messenger()).components
    assert (cpu.name, cpu.energy_j, cpu.app_j) == ("cpu", pytest.approx(13.0), pytest.approx(11.0))


def test_where_a_method_used_its_energy() -> None:
    figures = Figures(messenger())
    use = figures.use_of(1)
    assert (list(use.tests), list(use.threads)) == ([0], ["main"])
    assert use.tests[0] == pytest.approx(6.0)


def test_names_are_brief_where_they_are_clear() -> None:
    table = MethodTable(
        tuple(
            Method(number, module, name, "run", "()V", 1, "main", False)
            for number, (module, name) in enumerate(
                [
                    (":", "a.b.C"),
                    (":", "a.b.D$E"),
                    (":", "x.Same"),
                    (":", "y.Same"),
                    (":app", "z.Two"),
                    (":lib", "z.Two"),
                    (":", "F"),
                ]
            )
        ),
        {},
    )
    names = MethodNames(table)
    assert [names.brief(number) for number in range(8)] == [
        "C.run",
        "D$E.run",
        "x.Same.run",
        "y.Same.run",
        ":app z.Two.run",
        ":lib z.Two.run",
        "F.run",
        "(unknown method)",
    ]
