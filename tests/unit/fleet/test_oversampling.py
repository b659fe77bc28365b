"""The correction for samples at level changes, on simulated phones whose other drains vary unseen."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.regression.exposure import CLASSES, classes_of, corrected, oversampled
from navitas.fleet.regression.within import PairRows, residuals_of, slow_drops
from navitas.fleet.statistics import F64

TIMED = slice(1, CLASSES)


def level_changes(extra: float, on_s: float, share: float, spread: float) -> tuple[F64, F64]:
    """Lengths of pairs that lose 1 % each, and the app's state at each change. The phone drains 10 ppm/s on average.

    The other drains are lognormal, and constant for two hours on average.
    """
    chance = np.random.default_rng(3)
    end_s = 3e8
    off_s = on_s * (1 - share) / share
    runs = np.column_stack([chance.exponential(off_s, 200_000), chance.exponential(on_s, 200_000)]).ravel()
    levels = chance.exponential(7200, 60_000)
    switches, changes = np.cumsum(runs), np.cumsum(levels)
    edges = np.unique(np.concatenate([[0.0], switches[switches < end_s], changes[changes < end_s], [end_s]]))
    state = np.searchsorted(switches, edges[:-1], side="right") % 2
    other = 10 * np.exp(spread * chance.normal(size=len(levels)) - spread**2 / 2)
    rate = other[np.searchsorted(changes, edges[:-1], side="right")] + extra * state
    drop = np.append(0.0, np.cumsum(rate * np.diff(edges)))
    moment = np.interp(np.arange(10_000, drop[-1], 10_000), drop, edges)
    return np.diff(moment), (np.searchsorted(switches, moment, side="right") % 2).astype(float)


@pytest.mark.parametrize(("extra", "on_s"), [(3.0, 600), (3.0, 1800), (6.0, 1800)])
def test_the_correction_recovers_much_of_what_is_missing(extra: float, on_s: float) -> None:
    seconds, state = level_changes(extra, on_s, 0.25, 0.3)
    share = (state[1:] + state[:-1]) / 2
    drop, size = np.full(len(seconds), 10_000.0), len(seconds)
    kind = classes_of(seconds.astype(np.int64), np.zeros(size, bool))
    pairs = PairRows(np.array([0]), seconds, drop, np.ones((size, 1)), kind, np.zeros(size), np.ones(size, bool))
    left = residuals_of(pairs)
    mean = np.average(share, weights=seconds)
    apart = share - mean
    varied, length = (np.bincount(kind, amount, CLASSES)[None, TIMED] for amount in (seconds * apart**2, seconds**2 * apart**2))
    length_s = np.divide(length, varied, out=np.zeros_like(length), where=varied > 0)
    half = length_s * (1 / on_s + 1 / (3 * on_s)) / 2
    plain = np.divide(np.tanh(half), half, out=np.ones_like(half), where=half > 0)
    s = float(left.left_ppm @ share)
    slow_s = mean * (1 - mean) * slow_drops(pairs, left, np.ones(1, bool))[:, TIMED]
    first = s / (varied * plain).sum()
    rate = drop.sum() / seconds.sum()
    found = s / (varied * corrected(plain, varied, slow_s, np.array([first / rate]))).sum()
    assert first < 0.94 * extra
    assert 0.35 * (extra - first) < found - first < 1.2 * (extra - first)


def test_how_much_is_oversampled_follows_from_the_reliability() -> None:
    u = np.array([0.01, 0.5, 2.0, 20.0])
    assert oversampled(np.tanh(u / 2) / (u / 2)) == pytest.approx(1 - (1 - np.exp(-u)) / u, abs=1e-6)


def test_the_correction_is_limited_and_leaves_exact_and_timed_samples() -> None:
    plain = np.array([[0.5, 0.5]])
    weight_s = np.array([[100.0, 100.0]])
    assert corrected(plain, weight_s, np.array([[-1e6, 0.0]]), np.zeros(1)) == pytest.approx(plain / 2)
    assert corrected(plain, weight_s, np.zeros((1, 2)), np.zeros(1)) == pytest.approx(plain)
    chance = np.random.default_rng(1)
    rows = PairRows(
        np.array([0, 20]), chance.uniform(60, 900, 40), chance.choice([0.0, 10_000.0], 40), np.ones((40, 1)),
        np.where(np.arange(40) % 20 < 10, 0, 2), np.zeros(40), np.ones(40, bool),
    )  # fmt: skip
    found = slow_drops(rows, residuals_of(rows), np.array([True, False]))
    assert found.shape == (2, CLASSES) and found[0, 2] != 0
    assert np.count_nonzero(found) == 1
