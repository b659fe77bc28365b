"""The figures of verdicts agree with those of the profile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.messenger_profile import messenger, polls, waits

from navitas.energy.analyze.names import MethodNames
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.usage import share_of
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
    in_methods_j = sum(sum(figures.use_of(method.total.id).tests.values()) for method in figures.methods)
    assert outside_j + in_methods_j == pytest.approx(figures.app_j)
    assert "C2 CompilerThre" not in {thread.name for thread in figures.threads}


@given(JOULES)
def test_shares_of_methods_are_those_of_the_profile(poll_j: float) -> None:
    figures = Figures(messenger(polls(poll_j=poll_j)))
    poll = next(method for method in figures.methods if method.total.method.name == "poll")
    share, half = share_of(figures, poll)
    assert share == pytest.approx(poll_j / (poll_j + 4.0))
    assert half > 0


def test_figures_with_repeats_are_medians() -> None:
    figures = Figures(messenger(polls(0, 6.0), polls(1, 7.0), polls(2, 20.0)))
    assert figures.app_j == pytest.approx(11.0)
    assert figures.methods[0].exclusive_j.median == pytest.approx(7.0)
    main = figures.threads[0]
    assert main.name == "main" and main.energy_j + figures.threads[1].energy_j == pytest.approx(11.0)
    assert main.half_width_j > Figures(messenger(polls(0, 7.0))).threads[0].half_width_j


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
