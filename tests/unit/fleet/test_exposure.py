"""How reliable the ends of pairs are, compared with simulated apps that start and stop at random."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.regression.exposure import classes_of, inferred_reliability, reliability, switch_rates


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
        varied[0, number], changed[0, number] = length_s * ends.var(), length_s * np.mean(first != last) / 4
        slopes[0, number] = np.cov(ends, ran)[0, 1] / ends.var(ddof=1)
    rate = switch_rates(changed, varied, np.broadcast_to(lengths, (1, 4)))
    assert rate[0] == pytest.approx(1 / on_s + 1 / off_s, rel=0.03)
    assert reliability(rate, lengths[None])[0] == pytest.approx(slopes[0], abs=0.015)


def test_an_app_that_never_changes_is_reliable() -> None:
    rate = switch_rates(np.zeros((2, 1)), np.array([[5.0], [0.0]]), np.full((2, 1), 600.0))
    assert reliability(rate, np.full((2, 1), 600.0)) == pytest.approx(1.0, abs=1e-3) and np.isnan(rate[1])


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
        changed.append(np.mean(ends == 0.5) / 4)
        varied.append(np.var(ends))
        true.append(np.cov(share, ends)[0, 1] / np.var(ends, ddof=1))
    sums = [np.array([one], np.float64) for one in (changed, varied, lengths)]
    assert inferred_reliability(*sums)[0] == pytest.approx(true, abs=0.12)


def test_a_chain_of_random_runs_has_its_own_reliability() -> None:
    length_s, rate = np.array([[300.0, 900.0, 3600.0]]), np.array([1 / 700])
    found = inferred_reliability(np.tanh(rate * length_s / 2), np.ones((1, 3)), length_s)
    assert found == pytest.approx(reliability(rate, length_s), abs=1e-6)
