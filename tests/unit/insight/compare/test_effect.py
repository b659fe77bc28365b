"""Changes between versions: intervals, false alarms and recommendations, on simulated sessions and on those of a power meter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from support.field_data import metered_sessions, needs_field_data
from support.repeatable_random import repeatable_rng

from navitas.insight.compare.effect import Deviations, Effect, adjusted, effect_between
from navitas.insight.compare.verdict import LIMIT, needed, shown_percent, verdict

SESSIONS, RUNS = 0.08, 0.035
"""Standard deviations of sessions and of runs, as those of a power meter."""
RNG = repeatable_rng(20)


def _sessions(count: int, repeats: int, percent: float = 0.0) -> list[np.ndarray]:
    shift = np.log1p(percent / 100)
    return [10 * np.exp(shift + RNG.normal(0, SESSIONS) + RNG.normal(0, RUNS, repeats)) for _ in range(count)]


def _together(count: int, repeats: int, percent: float = 0.0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    shifts = RNG.normal(0, SESSIONS, count)
    before = [10 * np.exp(shift + RNG.normal(0, RUNS, repeats)) for shift in shifts]
    return before, [10 * np.exp(np.log1p(percent / 100) + shift + RNG.normal(0, RUNS, repeats)) for shift in shifts]


def _covers(effect: Effect | None, percent: float) -> bool:
    assert effect is not None and effect.low_percent is not None and effect.high_percent is not None
    return effect.low_percent <= percent <= effect.high_percent


@pytest.mark.parametrize(("count", "deviation"), [(250, 0.014), pytest.param(2000, 0.005, marks=pytest.mark.extended)])
def test_intervals_cover_the_truth_in_95_of_100_experiments(count: int, deviation: float) -> None:
    """Shares of experiments have a standard deviation."""
    separate = np.mean([_covers(effect_between(_sessions(4, 3), _sessions(4, 3, 5)), 5) for _ in range(count)])
    joined = np.mean([_covers(effect_between(*_together(3, 4, 5), together=True), 5) for _ in range(count)])
    single = np.mean([_covers(effect_between(*_together(1, 6, 5), together=True), 5) for _ in range(count)])
    assert [separate, joined, single] == pytest.approx([0.95] * 3, abs=4 * deviation)


def test_the_same_code_is_seldom_different() -> None:
    """400 experiments at a nominal 5 %; the share's own standard deviation is 1.1 %."""
    effects = [effect_between(_sessions(3, 5), _sessions(3, 5)) for _ in range(400)]
    assert np.mean([effect.p < LIMIT for effect in effects if effect is not None and effect.p is not None]) <= 0.073


@pytest.mark.parametrize("together", [False, True])
def test_a_change_of_5_percent_is_found_with_the_recommended_data(together: bool) -> None:
    effect = Effect(0, None, None, None, Deviations(RUNS, SESSIONS))
    sessions, repeats = needed(effect, 5, sessions=1, repeats=1 if together else 5, together=together)
    assert sessions is not None and repeats is not None
    found = 0
    for _ in range(100):
        separate = _sessions(sessions, repeats), _sessions(sessions, repeats, 5)
        one = effect_between(*_together(sessions, repeats, 5), together=True) if together else effect_between(*separate)
        assert one is not None and one.p is not None
        found += one.p < LIMIT
    assert found / 100 >= 0.84  # 90 %, less twice its standard deviation


def test_one_session_of_a_version_shows_no_change() -> None:
    effect = effect_between(_sessions(1, 50), _sessions(1, 50, 80))
    assert effect is not None
    assert effect.p is None and effect.low_percent is None
    judged = verdict(effect, None, 5, sessions=1, repeats=50, together=False)
    assert judged.word == "not enough data" and judged.shows_percent is None
    assert judged.sessions is not None and judged.sessions > 30


def test_equal_values_are_the_same_and_values_without_energy_have_no_effect() -> None:
    equal = [np.full(3, 2.0)] * 3
    effect = effect_between(equal, equal)
    assert effect is not None and effect.p == 1
    assert verdict(effect, effect.p, 5, sessions=3, repeats=3, together=False).word == "same"
    rounded = [np.full(3, 27.3863)] * 2, [np.full(7, 27.3863)] * 2
    for compared in (effect_between(*rounded), effect_between(*rounded, together=True)):
        assert compared is not None and compared.p == 1
    assert effect_between([np.zeros(3)], equal) is None
    assert effect_between([np.array([1.0, np.nan])], [np.ones(2)], together=True) is None
    assert effect_between([], equal) is None


def test_figures_are_those_of_scipy() -> None:
    before, after = _sessions(5, 4), _sessions(7, 4, 3)
    effect = effect_between(before, after)
    logs = [[np.log(session).mean() for session in side] for side in (after, before)]
    expected = stats.ttest_ind(*logs, equal_var=False)
    low, high = 100 * np.expm1(np.array(expected.confidence_interval(0.95)))
    assert effect is not None
    assert effect.p == pytest.approx(expected.pvalue)
    assert (effect.low_percent, effect.high_percent) == pytest.approx((low, high))


def test_figures_of_sessions_with_both_versions_are_those_of_scipy() -> None:
    before, after = _together(6, 4, 3)
    effect = effect_between(before, after, together=True)
    changes = [np.log(late).mean() - np.log(early).mean() for early, late in zip(before, after, strict=True)]
    expected = stats.ttest_1samp(changes, 0)
    low, high = 100 * np.expm1(np.array(expected.confidence_interval(0.95)))
    assert effect is not None
    assert effect.p == pytest.approx(expected.pvalue)
    assert (effect.low_percent, effect.high_percent) == pytest.approx((low, high))
    assert effect.spread.changes == pytest.approx(np.std(changes, ddof=1))


def test_spreads_are_components_of_variance() -> None:
    sides = _sessions(5, 4), _sessions(3, 7, 3)
    effect = effect_between(*sides)
    logs = [[np.log(session) for session in side] for side in sides]
    runs = sum(float(np.var(one) * len(one)) for side in logs for one in side) / (5 * 3 + 3 * 6)
    means = [np.array([one.mean() for one in side]) for side in logs]
    between = sum(float(np.var(side) * len(side)) for side in means) / (4 + 2) - runs * (5 / 4 + 3 / 7) / 8
    assert effect is not None
    assert effect.spread.runs == pytest.approx(np.sqrt(runs))
    assert effect.spread.sessions == pytest.approx(np.sqrt(max(between, 0.0)))


def test_p_values_are_adjusted_for_all_figures() -> None:
    effects = [Effect(0, 0, 0, p, Deviations(None, None)) for p in (0.01, 0.02, 0.03)]
    first, *known, last = adjusted([None, *effects, Effect(0, None, None, None, Deviations(None, None))])
    assert first is None and last is None
    assert known == pytest.approx([0.03] * 3)


def _meter() -> dict[str, list[np.ndarray]]:
    return {app: list(map(np.array, sessions)) for app, sessions in metered_sessions().items()}


@needs_field_data
@pytest.mark.parametrize(("every", "count"), [(99, 1500), pytest.param(9, 5000, marks=pytest.mark.extended)])
def test_sessions_of_a_power_meter_raise_few_false_alarms(every: int, count: int) -> None:
    """The same app in two groups of sessions: all halves, and groups of three. A t-test of their runs has 11 to 17 %."""
    alarms = []
    for sessions in _meter().values():
        halves = [(one, tuple(set(range(10)) - set(one))) for one in combinations(range(10), 5) if 0 in one]
        threes = list(combinations(range(10), 3))
        groups: list[tuple[Sequence[int], Sequence[int]]] = [*halves]
        groups += [(one, two) for one in threes for two in threes if not set(one) & set(two)][::every]
        for one, two in groups:
            effect = effect_between([sessions[i] for i in one], [sessions[i] for i in two])
            assert effect is not None and effect.p is not None
            alarms.append(effect.p < LIMIT)
    assert len(alarms) > count
    assert np.mean(alarms) <= 0.05


def test_the_recommended_data_of_mixed_sessions_is_more_than_there_is() -> None:
    before, after = _together(4, 5)
    effect = effect_between(before, [side * np.exp(RNG.normal(0, 0.1)) for side in after], together=True)
    assert effect is not None
    sessions, repeats = needed(effect, 5, sessions=4, repeats=5, together=True)
    assert sessions is not None and sessions > 4 and repeats == 5
    one_run = effect_between(_sessions(4, 1), _sessions(4, 1))
    assert one_run is not None and one_run.spread.runs is None
    assert needed(one_run, 5, sessions=4, repeats=1, together=False)[0] is not None


@pytest.mark.parametrize(("together", "repeats"), [(False, 5), (True, 1)])
@pytest.mark.parametrize("figures", [1, 50])
@pytest.mark.parametrize("percent", [0.5, 5, 30])
def test_the_change_that_data_shows_is_that_for_which_it_is_enough(
    together: bool, repeats: int, figures: int, percent: float
) -> None:
    spread = Deviations(0.01, 0.01)
    effect = Effect(0, None, None, None, spread)
    more = needed(effect, percent, sessions=1, repeats=repeats, together=together, figures=figures)
    sessions, repeats = (one or 0 for one in more)
    shown = shown_percent(spread, sessions=sessions, repeats=repeats, together=together, figures=figures)
    assert shown is not None and shown <= 1.03 * percent
    if (sessions, repeats) not in ((2, 5), (1, 2)):
        less = (sessions, repeats - 1) if together else (sessions - 1, repeats)
        shown = shown_percent(spread, sessions=less[0], repeats=less[1], together=together, figures=figures)
        assert shown is None or shown > percent


@pytest.mark.parametrize("deviation", [1e-15, 1e-9, 1e-4, 0.5, 30.0])
@pytest.mark.parametrize("sessions", [2, 3, 1000])
def test_more_data_shows_smaller_changes_at_any_spread(deviation: float, sessions: int) -> None:
    spread = Deviations(deviation, deviation)
    shown = [shown_percent(spread, sessions=count, repeats=3, together=False) or 1e9 for count in (sessions, 2 * sessions)]
    assert shown[0] >= shown[1] > 0
    assert shown_percent(spread, sessions=1, repeats=99, together=False) is None


@needs_field_data
def test_two_sessions_of_a_power_meter_are_never_different() -> None:
    for sessions in _meter().values():
        for one, two in combinations(sessions, 2):
            effect = effect_between([one], [two])
            assert effect is not None and effect.p is None


@needs_field_data
def test_what_differs_from_the_baseline_of_a_power_meter_is_found() -> None:
    apps = _meter()
    (baseline,) = (sessions for app, sessions in apps.items() if app.startswith("baseline"))
    others = {app: sessions for app, sessions in apps.items() if sessions is not baseline}
    effects = [effect_between(baseline, sessions, together=True) for sessions in others.values()]
    words = {
        app: verdict(effect, p, 5, sessions=10, repeats=3, together=True).word
        for app, effect, p in zip(others, effects, adjusted(effects), strict=True)
        if effect is not None
    }
    assert {app for app, word in words.items() if word == "different"} >= {"camera high", "camera low", "display"}
    assert words["networking low"] == words["local_storage medium"] == "same"
    assert words["gps low"] == words["cpu high"] == "not enough data"
