"""Change points of figures: found where they are, and seldom where nothing changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.field_data import metered_sessions, needs_field_data
from support.made_sessions import TEST, made_session
from support.repeatable_random import repeatable_rng

from navitas.base.errors import UsageError
from navitas.insight.compare.effect import stats
from navitas.insight.compare.figures import FigureChoice, parse_figures
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import ALL_TESTS, Subject
from navitas.insight.history.change_points import LIMIT, change_points, first_p, is_drift
from navitas.insight.history.trend import FigureTrend, by_revision, labels, latest_of_each, latest_series, trends

extended = pytest.mark.extended
SESSIONS, RUNS = 0.08, 0.035
"""Standard deviations of sessions and of runs, as those of a power meter."""
RNG = repeatable_rng(12)


def levels(count: int, *steps: tuple[int, float]) -> np.ndarray:
    """Mean logarithms of sessions of five runs; each step is its first session and its percent."""
    found = RNG.normal(0, SESSIONS, count) + RNG.normal(0, RUNS / np.sqrt(5), count)
    for start, percent in steps:
        found[start:] += np.log1p(percent / 100)
    return found


@pytest.mark.parametrize("count", [8, pytest.param(4, marks=extended), pytest.param(20, marks=extended)])
def test_the_same_code_seldom_has_a_change_point(count: int) -> None:
    """200 series at a nominal 5 %; the share's own standard deviation is 1.5 %."""
    assert np.mean([bool(change_points(levels(count))) for _ in range(200)]) <= 0.085


def test_a_step_is_found_near_its_place() -> None:
    found = [change_points(levels(20, (10, 20))) for _ in range(200)]
    assert np.mean([bool(one) for one in found]) >= 0.9
    assert np.mean([any(abs(point - 10) <= 1 for point in one) for one in found]) >= 0.7


def test_a_figure_that_comes_back_has_two_change_points() -> None:
    found = [change_points(levels(24, (8, 50), (16, -33.3))) for _ in range(50)]
    assert np.mean([len(one) >= 2 for one in found]) >= 0.9


def test_a_single_shifted_session_is_no_change_point() -> None:
    shifted = np.zeros(12) + RNG.normal(0, 0.001, 12)
    shifted[-1] += 1
    assert 11 not in change_points(shifted)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 3.0], [0.0] * 9, [27.3863] * 5])
def test_few_or_equal_sessions_have_none(values: list[float]) -> None:
    assert change_points(np.array(values)) == []


@pytest.mark.parametrize(
    ("count", "least"), [(10, 0.9), pytest.param(9, 0.9, marks=extended), pytest.param(20, 1.0, marks=extended)]
)
def test_one_method_of_fifty_that_triples_is_found(count: int, least: float) -> None:
    found, alarms = [], []
    for _ in range(20):
        series = [levels(count, *([(count // 2, 200)] if method == 0 else [])) for method in range(50)]
        adjusted = stats().false_discovery_control([first_p(one) for one in series])
        found.append(adjusted[0] <= LIMIT and count // 2 in change_points(series[0]))
        alarms.append(np.mean(adjusted[1:] <= LIMIT))
    assert np.mean(found) >= least
    assert np.mean(alarms) <= 0.01


@pytest.mark.parametrize("times", [12, pytest.param(40, marks=extended)])
def test_fifty_methods_without_a_change_seldom_have_one(times: int) -> None:
    alarms = []
    for _ in range(times):
        adjusted = stats().false_discovery_control([first_p(levels(20)) for _ in range(50)])
        alarms.append(bool(np.any(adjusted <= LIMIT)))
    assert np.mean(alarms) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times), "three standard deviations above a nominal 5 %"


@pytest.mark.parametrize("count", [10, pytest.param(8, marks=extended), pytest.param(20, marks=extended)])
def test_heavy_tails_seldom_have_a_change_point(count: int) -> None:
    assert np.mean([bool(change_points(RNG.standard_t(2, count))) for _ in range(100)]) <= 0.11


@pytest.mark.parametrize("count", [10, pytest.param(20, marks=extended)])
def test_a_steady_drift_is_no_change_point(count: int) -> None:
    series = [levels(count) + np.linspace(0, 0.04 * count, count) for _ in range(50)]
    assert np.mean([bool(change_points(one)) for one in series]) <= (0.35 if count < 20 else 0.14)
    assert np.mean([is_drift(one) for one in series]) >= (0.55 if count < 20 else 0.8)
    assert np.mean([is_drift(levels(count, (count // 2, 40))) for _ in range(50)]) <= (0.25 if count < 20 else 0.1)


def test_versions_in_turns_count_as_one_session() -> None:
    sessions = [
        replace(made_session([1.0], second, revision=f"{second:040x}"), session=f"in turns {second // 2}" if second < 6 else "")
        for second in range(8)
    ]
    assert latest_of_each(sessions) == [sessions[index] for index in (1, 3, 5, 6, 7)]


def test_sessions_of_one_revision_have_their_times() -> None:
    sessions = [made_session([1.0], 60 * minute, revision=name * 40) for minute, name in enumerate("aab")]
    assert labels(sessions) == ["aaaaaaaa 2026-01-01T00:00", "aaaaaaaa 2026-01-01T00:01", "bbbbbbbb"]


@needs_field_data
def test_sessions_of_a_power_meter_have_few_change_points() -> None:
    """Ten sessions of each app in 50 orders, as if they were versions."""
    alarms = []
    for sessions in metered_sessions().values():
        means = np.array([np.log(runs).mean() for runs in sessions])
        alarms += [bool(change_points(RNG.permutation(means))) for _ in range(50)]
    assert len(alarms) >= 500
    assert np.mean(alarms) <= 0.05


def figures(sessions: list[Session], least_share: float = 0.0) -> dict[Subject, FigureTrend]:
    return {one.subject: one for one in trends(sessions, FigureChoice(), least_share)}


def test_trends_of_all_kinds_of_figures() -> None:
    runs = [(20 if second >= 6 else 10) * np.exp(RNG.normal(0, 0.02, 3)) for second in range(12)]
    found = figures([made_session(list(one), second) for second, one in enumerate(runs)])
    assert [one.kind for one in found] == ["all", "component", "test", "thread", "method", "method"]
    sort = found[Subject("method", "a.Sorter.sort()V")]
    (point,) = sort.change_points
    assert (point.before, point.after) == (5, 6)
    assert point.effect.percent == pytest.approx(100, abs=10)
    assert sort.p is not None and sort.p < LIMIT and sort.slope is not None and sort.slope.percent > 3
    assert sort.energies_j[0] == pytest.approx(10, rel=0.1)
    idle = found[Subject("method", "a.Idle.wait()V")]
    assert idle.change_points == () and idle.slope is not None and idle.slope.percent == 0


def test_tests_that_come_and_go() -> None:
    kept = [made_session([1.0], second, tests=[TEST, f"a.T#{second % 2}"]) for second in range(4)]
    found = figures(kept)
    assert found[Subject("all", ALL_TESTS, "app")].energies_j == pytest.approx([2.0] * 4), "only of the common test"
    assert found[Subject("test", "a.T#1", "app")].sessions == (1, 3)
    with pytest.raises(UsageError, match="no test passed in all runs of all sessions"):
        trends([made_session([1.0]), made_session([1.0], tests=["b.T#t"])], FigureChoice(), 0.0)


def test_a_change_of_app_energy_is_not_hidden_by_base_energy() -> None:
    """The app needs 40 % more from the sixth session on; that is 2 % of all energy."""
    factors = [1.0] * 5 + [1.4] * 5
    sessions = [made_session([factor, factor * 1.01], second, rest_j=0) for second, factor in enumerate(factors)]
    (found,) = trends(sessions, parse_figures(["test:*"]), 0.0)
    (point,) = found.change_points
    assert point.effect.percent == pytest.approx(40)
    (found,) = trends(sessions, parse_figures(["test:*", "total"]), 0.0)
    (point,) = found.change_points
    assert point.effect.percent == pytest.approx(1, abs=0.1)
    with pytest.raises(UsageError, match=r"no figure matches test:b\.\*"):
        trends(sessions, parse_figures(["test:b.*"]), 0.0)


def test_figures_without_energy_have_no_trend() -> None:
    found = figures([made_session([0.0], second) for second in range(5)])
    sort = found[Subject("method", "a.Sorter.sort()V")]
    assert (sort.slope, sort.p, sort.change_points) == (None, None, ()) and sort.energies_j == (0.0,) * 5


def test_small_methods_are_left_out() -> None:
    assert Subject("method", "a.Sorter.sort()V") not in figures([made_session([0.001]), made_session([0.001])], 0.01)


def test_sessions_are_in_the_order_of_revisions_else_of_time() -> None:
    a, b, c = (name * 40 for name in "abc")
    old = made_session([1.0], 9, revision=a)
    changed = made_session([1.0], 8, revision=a, dirty=True)
    new = made_session([1.0], 1, revision=b)
    unknown, none = made_session([1.0], 0, revision=c), made_session([1.0], 30)
    ordered = by_revision([none, new, changed, unknown, old], [a, b])
    assert ordered == [unknown, old, changed, new, none]
    assert by_revision([old, new], []) == [new, old]


def test_only_sessions_of_the_latest_device_belong_together() -> None:
    sessions = [made_session([1.0], 1), made_session([1.0], 2, device="other"), made_session([1.0], 3)]
    assert latest_series(sessions) == ((sessions[0], sessions[2]), 1)
