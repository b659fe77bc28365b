"""Changes of figures between two commits that were measured in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.made_sessions import TEST, made_session
from support.repeatable_random import repeatable_rng

from navitas.insight.compare.subject import ALL_TESTS, Kind, Subject
from navitas.insight.history.bisect import SessionPair, all_steps, is_clear, shared_tests, turn_changes

RNG = repeatable_rng(6)

SORT = Subject("method", "a.Sorter.sort()V")
ALL = Subject("all", ALL_TESTS, "app")


def of(*kinds: Kind) -> Callable[[Subject], bool]:
    """Include figures of these kinds, with app energy."""
    return lambda one: one.kind in kinds and one.energy in ("", "app")


def pair(percent: float, turns: int = 6, noise: float = 0.02) -> SessionPair:
    shift = RNG.normal(0, 0.08)
    sides = [10 * np.exp(shift + RNG.normal(0, noise, turns)) for _ in range(2)]
    return SessionPair(made_session(list(sides[0])), made_session(list(sides[1] * (1 + percent / 100))))


def test_only_the_changed_method_is_clear() -> None:
    steps = {one.subject: one for one in all_steps([pair(10), pair(10)], of("method"))}
    assert is_clear(steps[SORT]) and steps[SORT].percent == pytest.approx(10, abs=5)
    idle = steps[Subject("method", "a.Idle.wait()V")]
    assert (idle.percent, idle.p) == (0, 1) and not is_clear(idle)


@pytest.mark.parametrize(("count", "deviation"), [(120, 0.02), pytest.param(1000, 0.007, marks=pytest.mark.extended)])
def test_intervals_cover_the_truth_in_95_of_100_experiments(count: int, deviation: float) -> None:
    """The share of experiments has a standard deviation."""
    steps = [one for _ in range(count) for one in all_steps([pair(10), pair(10)], of("method")) if one.subject == SORT]
    assert np.mean([one.low_percent <= 10 <= one.high_percent for one in steps]) >= 0.95 - 4 * deviation


def test_the_same_code_is_seldom_clear() -> None:
    clear = [is_clear(one) for _ in range(60) for one in all_steps([pair(0, noise=0.1)], of("all", "test", "method"))]
    assert np.mean(clear) <= 0.05


def test_runs_that_are_far_off_do_not_hide_a_change() -> None:
    sessions = pair(10, turns=12)
    far = made_session([*(sessions.later.joules({TEST})[SORT][:-1]), 25.0])
    (step,) = [one for one in all_steps([SessionPair(sessions.earlier, far)], of("method")) if one.subject == SORT]
    assert is_clear(step) and step.percent == pytest.approx(10, abs=4)


def test_identical_values() -> None:
    (same,) = all_steps([SessionPair(made_session([1.0] * 4), made_session([1.0] * 4))], of("all"))
    assert (same.percent, same.p) == (0, 1)
    (more,) = all_steps([SessionPair(made_session([1.0] * 4), made_session([1.5] * 4))], of("all"))
    assert more.percent == pytest.approx(25) and more.p == 0 and is_clear(more)


def test_only_turns_of_both_commits_count() -> None:
    before, after = pair(10)
    some = {test: {repeat: run for repeat, run in runs.items() if repeat > 1} for test, runs in after.tests.items()}
    later = replace(after, repeats=(2, 3, 4, 5), tests=some)
    changes = turn_changes(SessionPair(before, later), {TEST}, SORT)
    assert changes is not None and len(changes) == 4 and changes == pytest.approx(np.log(1.1), abs=0.1)


def test_figures_without_energy_or_tests_have_no_change() -> None:
    none = SessionPair(made_session([0.0, 1.0]), made_session([1.0, 1.0]))
    assert turn_changes(none, {TEST}, SORT) is None
    assert turn_changes(none, {TEST}, Subject("method", "a.Other.x()V")) is None
    other = SessionPair(made_session([1.0]), made_session([1.0], tests=["b.T#t"]))
    assert shared_tests([other]) == set() and all_steps([other], of("all")) == []
