"""One-sided bounds of changes and figures: those of scipy, and how often they are wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from support.field_data import metered_sessions, needs_field_data
from support.repeatable_random import repeatable_rng

from navitas.insight.check.bounds import LEVEL, BoundedEstimate, aim, changes, figures, holm, look_level, needed, needed_sessions
from navitas.insight.compare.effect import F64, Deviations
from navitas.insight.compare.verdict import USUAL_SESSIONS

Sides = tuple[list[F64], list[F64]]
ROOT = Path(__file__).parents[4]


def drawn(
    rng: np.random.Generator, sessions: int, repeats: int, *, change: float = 0.0, together: bool, shift: float = 0.03
) -> Sides:
    """Sessions whose runs differ by 4 %."""
    shifts = rng.normal(0, shift, sessions), rng.normal(0, shift, sessions)
    sides = [
        [np.exp(one + rng.normal(0, 0.04, (1, repeats))) for one in side] for side in (shifts[0], shifts[0 if together else 1])
    ]
    return sides[0], [np.exp(change) * one for one in sides[1]]


def estimate(sides: Sides, *, together: bool) -> BoundedEstimate:
    (found,) = changes(*sides, together=together)
    assert found is not None
    return found


def test_bounds_of_runs_in_turns_are_those_of_scipy() -> None:
    before, after = drawn(repeatable_rng(1), 1, 8, together=True)
    found = estimate((before, after), together=True)
    logs = [np.log(one[0][0]) for one in (after, before)]
    expected = stats.ttest_ind(*logs, equal_var=False, alternative="greater")
    assert found.chance(0.0) == pytest.approx(expected.pvalue)
    assert found.bound(0.02, upper=False) == pytest.approx(expected.confidence_interval(0.98).low)
    less = stats.ttest_ind(*logs, equal_var=False, alternative="less")
    assert found.bound(0.02, upper=True) == pytest.approx(less.confidence_interval(0.98).high)


def test_sessions_that_are_alike_by_chance_have_the_spread_of_their_runs() -> None:
    runs = np.array([[1.0, 1.1, 0.9]])
    found = estimate(([runs, runs], [1.2 * runs, 1.2 * runs]), together=False)
    low = found.bound(LEVEL, upper=False)
    assert low is not None and 0 < low < found.value - 0.05


def test_one_session_against_several_has_at_least_the_usual_spread() -> None:
    before, after = drawn(repeatable_rng(2), 6, 5, together=False, shift=0.001)
    found = estimate((before, after[:1]), together=False)
    assert found.error is not None and found.error >= USUAL_SESSIONS and found.freedom == 5
    alone = estimate((before[:1], after[:1]), together=False)
    assert alone.error is None and alone.chance(0.0) is None and alone.bound(0.02, upper=True) is None


def test_an_absolute_figure_of_one_session_has_the_usual_spread() -> None:
    (found,) = figures([np.array([[10.0, 10.0, 10.0]])])
    assert found is not None and found.error == pytest.approx(USUAL_SESSIONS) and math.exp(found.value) == pytest.approx(10)
    assert needed_sessions(found, math.log(10.5), level=LEVEL) == 51
    assert figures([np.array([[10.0, 0.0]])]) == [None]


@pytest.mark.parametrize(
    ("chances", "levels"),
    [([], []), ([0.5], [0.02]), ([0.006, 0.001, 0.5], [0.01, 0.02 / 3, 0.02]), ([0.015, 0.015], [0.01, 0.01])],
)
def test_levels_follow_holm(chances: list[float], levels: list[float]) -> None:
    assert holm(chances, 0.02) == pytest.approx(levels)


@pytest.mark.parametrize(("together", "sessions"), [(True, 1), (False, 3)])
def test_the_requested_data_decides(together: bool, sessions: int) -> None:
    """No change is within 5 %, and a change of 10 % above: in at least 95 %, less twice the standard deviation of 150 cases."""
    rng, limit = repeatable_rng(3), math.log(1.05)
    for change, is_above in ((0.0, False), (math.log(1.1), True)):
        decided = []
        for _ in range(150):
            pilot = estimate(drawn(rng, sessions, 5, change=change, together=together), together=together)
            more = needed(pilot, limit, aim(5), level=LEVEL, sessions=sessions, repeats=5, together=together)
            if more[0] is None or more[1] is None:
                continue
            found = estimate(drawn(rng, more[0], more[1], change=change, together=together), together=together)
            low, high = found.bound(LEVEL, upper=False), found.bound(LEVEL, upper=True)
            assert low is not None and high is not None
            decided.append(low > limit if is_above else high <= limit)
        assert len(decided) > 100 and np.mean(decided) >= 0.91


def of_spread(runs: float, *, value: float = 0.0, sessions: float | None = None) -> BoundedEstimate:
    """An estimate whose spread is used as it is."""
    return BoundedEstimate(value, 0.1, 8, Deviations(runs, sessions), freedom_of_spread=0)


def test_a_large_estimate_does_not_stand_for_repeats_that_are_too_many() -> None:
    """With few runs, a change looks large by chance. By that, too few repeats would be requested."""
    for value in (0.0, 0.5):
        noisy = of_spread(0.25, value=value)
        assert needed(noisy, 0.0, aim(0), level=LEVEL, sessions=1, repeats=5, together=True) == (1, 931)
        noisier = of_spread(1.0, value=value)
        assert needed(noisier, 0.0, aim(0), level=LEVEL, sessions=1, repeats=5, together=True) == (None, None)
    small = of_spread(0.01, value=0.02)
    assert needed(small, 0.0, aim(0), level=LEVEL, sessions=1, repeats=5, together=True) == (1, 11)


def test_judgements_of_growing_data_share_the_level_and_the_last_one_has_most() -> None:
    levels: list[float] = []
    for number in range(9):
        levels.append(look_level(sum(levels), is_last=number == 8))
    assert sum(levels) == pytest.approx(LEVEL) and levels[-1] == max(levels) > LEVEL / 5
    assert look_level(0.0, is_last=True) == LEVEL


@pytest.mark.parametrize(("value", "growth"), [(0.0, 2.0), (-0.28, 1.7), (0.3, 1.55), (-0.9, 1.25), (0.9, 1.25)])
def test_it_is_judged_again_when_so_many_repeats_could_decide(value: float, growth: float) -> None:
    level = LEVEL / 6
    found = of_spread(0.1, value=value)
    assert found.growth(0.0, level) == growth

    def decides(growth: float) -> bool:
        grown = replace(found, error=0.1 / math.sqrt(growth), freedom=growth * found.freedom)
        bound = grown.bound(level, upper=value < 0)
        return bound is not None and bound * value > 0

    assert decides(growth) == (value != 0) and not (growth > 1.25 and decides(growth - 0.15))
    assert replace(found, error=None).growth(0.0, level) == 2.0


def test_the_documented_repeats_are_those_of_the_bounds() -> None:
    section = (ROOT / "docs/check.md").read_text("utf-8").partition("## How much data it takes")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    percents = [float(cell.removesuffix(" %")) for cell in rows[0][1:]]
    for spread, *cells in rows[1:]:
        found = of_spread(float(spread.removesuffix(" %")) / 100)
        for percent, cell in zip(percents, cells, strict=True):
            counts = [
                needed(found, 0.0, math.log1p(percent / 100), level=level, sessions=1, repeats=1, together=True)[1]
                for level in (LEVEL, LEVEL / 10)
            ]
            assert [int(count.replace(",", "")) for count in cell.split("; ")] == counts
    found = of_spread(0.06, sessions=USUAL_SESSIONS)
    ten, twenty = (
        needed(found, 0.0, math.log(ratio), level=LEVEL, sessions=1, repeats=5, together=False)[0] for ratio in (1.1, 1.2)
    )
    assert f"{ten} sessions of each version show 10 %" in " ".join(section.split())
    assert f"and {twenty} sessions show 20 %" in " ".join(section.split())


@needs_field_data
@pytest.mark.parametrize(("before", "after"), [(2, 2), (5, 5), (8, 2), (8, 1)])
def test_resampled_sessions_of_a_power_meter_raise_few_false_alarms(before: int, after: int) -> None:
    """Whole sessions of the same app, drawn with replacement, at a limit of 5 %: at most 2 %."""
    runs = metered_sessions().values()
    rng, alarms, limit = repeatable_rng(4), [], math.log(1.05)
    for _ in range(80):
        for app in runs:
            sessions = [np.array([one]) for one in app]
            sides = [[sessions[i] for i in rng.integers(0, len(sessions), count)] for count in (before, after)]
            chance = estimate((sides[0], sides[1]), together=False).chance(limit)
            alarms.append(chance is not None and chance <= LEVEL)
    assert len(alarms) > 1000 and np.mean(alarms) <= LEVEL


def test_bounds_are_finite_at_any_level() -> None:
    (found,) = figures([np.array([[10.0, 11.0, 10.0]])])
    assert found is not None
    for level in (0.01, 0.01 / 2**60):
        low, high = found.bound(level, upper=False), found.bound(level, upper=True)
        assert low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
        assert low < found.value < high
