"""Statistics, compared with statsmodels, SciPy and plain loops on small random data."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from navitas.fleet.statistics import (
    Effects,
    Moments,
    central_spread,
    contrast,
    effects_of,
    false_rates,
    life_gain_s,
    shrunk,
    tail_rates,
)

seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, clients: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clients' numbers, weights and effects: one to four rows of each client, in any order, alike within a client."""
    chance = np.random.default_rng(seed)
    client = chance.permutation(np.repeat(np.arange(clients), chance.integers(1, 5, clients)))
    effect = 1.0 + chance.standard_normal(clients)[client] + 0.5 * chance.standard_normal(len(client))
    return client, chance.lognormal(0, 1, len(client)), effect


def moments(client: np.ndarray, w: np.ndarray, effect: np.ndarray) -> Moments:
    own_w, own_s = np.bincount(client, w), np.bincount(client, w * effect)
    sums = (np.count_nonzero(own_w), own_w.sum(), own_s.sum(), (own_s**2).sum(), (own_s * own_w).sum(), (own_w**2).sum())
    return Moments(*(np.array([float(one)]) for one in sums))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 30))
def test_an_effect_is_a_weighted_regression_with_errors_by_cluster(seed: int, clients: int) -> None:
    client, w, effect = drawn(seed, clients)
    found = effects_of(moments(client, w, effect), least=0.5)
    fit = sm.WLS(effect, np.ones(len(effect)), weights=w).fit(cov_type="cluster", cov_kwds={"groups": client}, use_t=True)
    assert found.value[0] == pytest.approx(fit.params[0], rel=1e-9, abs=1e-12)
    assert found.error[0] == pytest.approx(fit.bse[0], rel=1e-6, abs=1e-9)
    own = np.bincount(client, w)
    assert found.freedom[0] == pytest.approx(max(own.sum() ** 2 / np.square(own).sum() - 1, 1))
    test = stats.t(found.freedom[0], found.value[0], found.error[0])
    assert found.p[0] == pytest.approx(test.cdf(0.5), rel=1e-6)
    assert [found.low[0], found.high[0]] == pytest.approx(test.interval(0.95), rel=1e-6, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(4, 30))
def test_two_groups_differ_as_in_a_regression_with_errors_by_cluster(seed: int, clients: int) -> None:
    client, w, effect = drawn(seed, clients)
    one = np.random.default_rng(seed).random(len(client)) < 0.5
    found = contrast(client, w * effect, w, one, ~one)
    if min(len(np.unique(client[one])), len(np.unique(client[~one]))) < 2:
        assert np.isnan(found.value)
        return
    cov = {"groups": client, "use_correction": False}
    fit = sm.WLS(effect, np.stack([one, np.ones(len(one))], axis=1), weights=w).fit(cov_type="cluster", cov_kwds=cov)
    assert found.value == pytest.approx(fit.params[0], rel=1e-7, abs=1e-9)
    groups = len(np.unique(client))
    assert found.error == pytest.approx(fit.bse[0] * np.sqrt(groups / (groups - 1)), rel=1e-6, abs=1e-9)
    own = [np.bincount(client[rows], w[rows]) for rows in (one, ~one)]
    assert found.freedom == pytest.approx(max(min(of.sum() ** 2 / np.square(of).sum() - 1 for of in own), 1))


def test_too_few_clients_give_nan() -> None:
    found = effects_of(moments(np.zeros(3, np.int64), np.ones(3), np.arange(3.0)))
    assert np.isnan([found.error[0], found.freedom[0], found.p[0]]).all()
    nothing = contrast(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, bool))
    assert np.isnan([nothing.value, nothing.error, nothing.p]).all()


def test_intervals_have_their_nominal_coverage() -> None:
    """Over many fleets: effects vary between clients, rows of a client are equal, weights differ."""
    inside = []
    for seed in range(1000):
        found = effects_of(moments(*drawn(seed, 25)))
        inside.append(found.low[0] <= 1.0 <= found.high[0])
    assert 0.93 <= np.mean(inside) <= 0.97


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=40))
def test_false_discovery_rates_are_benjamini_hochbergs(values: list[float]) -> None:
    p = np.array(values, np.float64)
    found, known = false_rates(p), np.isfinite(p)
    assert np.isnan(found[~known]).all()
    if known.any():
        assert found[known] == pytest.approx(multipletests(p[known], method="fdr_bh")[1])


@settings(max_examples=50, deadline=None)
@given(seeds, st.integers(0, 1000))
def test_tails_are_counted_as_by_a_plain_loop(seed: int, more: int) -> None:
    chance = np.random.default_rng(seed)
    z = np.round(np.concatenate([chance.standard_normal(300), chance.normal(5, 1, 20)]), 1)
    tests, least = len(z) + more, 1.0
    expected = {}
    for one in sorted(set(z.tolist())):
        by_chance = max(np.count_nonzero(z <= -one), tests * stats.norm.sf(one))
        expected[one] = least = min(least, by_chance / np.count_nonzero(z >= one))
    assert tail_rates(z, tests) == pytest.approx([expected[one] for one in z.tolist()])


@pytest.mark.parametrize(("true_effects", "freedom"), [(3, 1e9), (50, 1e9), (50, 4)])
def test_the_rate_of_false_findings_is_kept(true_effects: int, freedom: float) -> None:
    """Over many fleets of symmetric noise, normal or heavy-tailed, with some true effects: the share of false findings."""
    chance, false, found = np.random.default_rng(5), [], 0
    for _ in range(200):
        every = np.append(chance.standard_t(freedom, 2000), chance.normal(9, 1, true_effects))
        named = tail_rates(every, len(every)) <= 0.1
        false.append(np.count_nonzero(named[:2000]) / max(np.count_nonzero(named), 1))
        found += np.count_nonzero(named[2000:])
    assert np.mean(false) <= 0.11
    assert found >= 0.98 * 200 * true_effects, "effects of nine standard deviations"


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_middle_of_a_histogram_is_that_of_its_values(seed: int) -> None:
    values = 3 + 2 * np.random.default_rng(seed).standard_normal(5000)
    bins, count = np.unique(np.floor(values / 0.05).astype(np.int64), return_counts=True)
    low, high = np.percentile(values, 100 * stats.norm.cdf([-1, 1]))
    assert central_spread(bins, count, 0.05) == pytest.approx((high - low) / 2, abs=0.05)


@settings(max_examples=30, deadline=None)
@given(st.floats(-20, 20), st.floats(0.1, 5), st.floats(0.1, 10))
def test_shrinkage_is_bayes_rule(effect: float, error: float, spread: float) -> None:
    """A true effect is drawn from a normal distribution around 0, and measured with a normal error."""

    mean, deviation = (float(one[0]) for one in shrunk(np.array([effect]), np.array([error]), spread**2))
    true = np.linspace(-abs(effect) - 8 * (error + spread), abs(effect) + 8 * (error + spread), 100_001)
    chance = stats.norm.logpdf(true, 0, spread) + stats.norm.logpdf(effect, true, error)
    chance = np.exp(chance - chance.max())
    middle = np.average(true, weights=chance)
    assert mean == pytest.approx(middle, abs=1e-3)
    assert deviation == pytest.approx(np.sqrt(np.average((true - middle) ** 2, weights=chance)), rel=1e-3)
    assert abs(mean) <= abs(effect) and deviation <= error


def test_with_zero_spread_effects_shrink_to_zero() -> None:
    mean, deviation = shrunk(np.array([3.0, 1.0]), np.array([1.0, 0.0]), 0.0)
    assert mean.tolist() == [0, 0] and deviation.tolist() == [0, 0]


@given(st.floats(0.1, 1e3), st.floats(-1e3, 1e3))
def test_life_is_gained_as_drain_falls(rate: float, less: float) -> None:
    gained = float(life_gain_s(np.array([rate]), np.array([less]))[0])
    if less >= rate:
        assert np.isnan(gained)
    else:
        assert gained + 1e6 / rate == pytest.approx(1e6 / (rate - less), rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-5, 5).filter(lambda value: abs(value) > 0.01),
    st.floats(0.01, 3),
    st.floats(0, 0.8),
    st.floats(1, 100),
    st.floats(-6, 6),
)
def test_p_values_agree_with_intervals(value: float, error: float, scale_error: float, freedom: float, least: float) -> None:
    columns = (np.array([one]) for one in (value, error, freedom, np.nan, scale_error))
    found = Effects(*columns).above(least)
    assert found.low[0] < value < found.high[0]
    assert (found.p[0] < 0.025) == (found.low[0] > least) or found.low[0] == pytest.approx(least, abs=1e-6)
    assert (found.p[0] > 0.975) == (found.high[0] < least) or found.high[0] == pytest.approx(least, abs=1e-6)


def test_an_unknown_factor_never_hides_that_an_app_drains() -> None:
    found = Effects(*(np.array([one]) for one in (1.0, 0.01, 50.0, np.nan, 0.5))).above(0.0)
    assert found.p[0] < 1e-6
    assert [found.low[0], found.high[0]] == pytest.approx([np.exp(-1.0), np.exp(1.0)], abs=0.02)
