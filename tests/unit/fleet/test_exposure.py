"""How reliable the ends of pairs are, compared with simulated apps that start and stop at random."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from navitas.fleet.regression import exposure
from navitas.fleet.regression.exposure import classes_of, inferred_reliability


def simulated(chance: np.random.Generator, on_s: float, off_s: float, length_s: float, pairs: int) -> tuple[np.ndarray, ...]:
    """The state at both ends, and the share of time, of pairs of one length."""
    step = length_s / 64
    rate = 1 / on_s + 1 / off_s
    duty, keep = off_s**-1 / rate, np.exp(-rate * step)
    state = chance.random(pairs) < duty
    first, ran = state, np.zeros(pairs)
    for _ in range(64):
        after = chance.random(pairs) < np.where(state, duty + (1 - duty) * keep, duty * (1 - keep))
        ran += (state.astype(float) + after) / 128
        state = after
    return first, state, ran


@pytest.mark.parametrize(("on_s", "off_s"), [(600, 3600), (1800, 1800), (7200, 36_000)])
def test_a_regression_on_the_ends_is_too_small_by_the_reliability(on_s: float, off_s: float) -> None:
    chance = np.random.default_rng(4)
    lengths = np.array([300.0, 900.0, 3600.0, 7200.0])
    varied, changed, slopes = (np.zeros((1, 4)) for _ in range(3))
    for number, length_s in enumerate(lengths):
        first, last, ran = simulated(chance, on_s, off_s, length_s, 60_000)
        ends = (first.astype(float) + last) / 2
        varied[0, number], changed[0, number] = length_s * len(ends) * ends.var(), length_s * np.count_nonzero(first != last) / 4
        slopes[0, number] = np.cov(ends, ran)[0, 1] / ends.var(ddof=1)
    found, error = inferred_reliability(changed, varied, lengths[None], np.ones((1, 5)))
    assert found[0] == pytest.approx(slopes[0], abs=0.03) and error < 0.05


def test_an_app_that_never_changes_is_reliable() -> None:
    length_s = np.full((2, 1), 600.0)
    found, error = inferred_reliability(np.zeros((2, 1)), np.array([[1e8], [0.0]]), length_s, np.ones((2, 2)))
    assert found[0] == pytest.approx(1.0, abs=1e-3) and error[0] < 1e-3
    assert error[1] > 0.05  # Without any pair, nothing is known.


def test_runs_that_are_shorter_than_all_pairs_are_unknown() -> None:
    length_s, varied = np.array([[900.0, 3600.0]]), np.full((1, 2), 1e6)
    _, unknown = inferred_reliability(varied, varied, length_s, np.array([[0.0, 1.0, 1.0]]))
    _, exact = inferred_reliability(varied, varied, length_s, np.array([[9.0, 1.0, 1.0]]))
    assert 0.2 < unknown < 0.6 and exact < 0.1


def test_pairs_are_classed_by_length_unless_exact() -> None:
    seconds = np.array([1, 600, 601, 1800, 9000, 9000])
    assert classes_of(seconds, np.array([False] * 5 + [True])).tolist() == [1, 2, 2, 3, 4, 0]


@pytest.mark.parametrize("minutes", [8, 12, 30])
def test_runs_of_one_length_differ_from_random_ones(minutes: int) -> None:
    """The reliability is the slope of the true share on the mean of the ends, here of pairs of 5 and 15 minutes."""
    chance = np.random.default_rng(minutes)
    gaps = chance.exponential(4 * 60 * minutes, 1500).astype(int) + 1
    state = np.repeat(np.tile([0.0, 1.0], len(gaps)), np.column_stack([gaps, np.full(len(gaps), 60 * minutes)]).ravel())
    ran = np.append(0.0, np.cumsum(state))
    lengths = (300, 900)
    changed, varied, true = [], [], []
    for length in lengths:
        begin = np.arange(0, len(state) - length, 100)
        ends, share = (state[begin] + state[begin + length]) / 2, (ran[begin + length] - ran[begin]) / length
        changed.append(length * np.count_nonzero(ends == 0.5) / 4)
        varied.append(length * len(ends) * np.var(ends))
        true.append(np.cov(share, ends)[0, 1] / np.var(ends, ddof=1))
    sums = [np.array([one], np.float64) for one in (changed, varied, lengths)]
    assert inferred_reliability(*sums, np.ones((1, 3)))[0][0] == pytest.approx(true, abs=0.12)


def test_many_apps_need_the_memory_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(3)
    shares, varied, length_s, weight_s = (chance.uniform(0.1, 1.0, (1001, columns)) for columns in (4, 4, 4, 5))
    sums = shares * varied * 1e6, varied * 1e6, length_s * 3600, weight_s
    found, peak = [], []
    for apps in (1001, 100):
        monkeypatch.setattr(exposure, "_APPS", apps)
        tracemalloc.start()
        found.append(inferred_reliability(*sums))
        peak.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    for whole, in_blocks in zip(*found, strict=True):
        assert whole.tolist() == in_blocks.tolist()
    assert peak[1] < peak[0] / 5
