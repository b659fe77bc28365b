"""95 % intervals of repeats: Student's t of logarithms, or of values that are not above zero."""

from __future__ import annotations

from math import exp, log, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from navitas.energy.analyze.spread import interval_of, student_t


@pytest.mark.parametrize("freedom", [*range(1, 40), 100, 10_000])
def test_quantiles_are_those_of_scipy(freedom: int) -> None:
    assert student_t(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-4)


def test_one_run_has_no_interval() -> None:
    assert interval_of([]) is None
    assert interval_of([3.0]) is None


def test_the_interval_is_that_of_the_logarithms() -> None:
    values = [2.0, 2.2, 1.9, 2.05]
    found = interval_of(values)
    logs = np.log(values)
    low, high = np.exp(stats.t.interval(0.95, 3, logs.mean(), stats.sem(logs)))
    assert found is not None and (found.low, found.high) == pytest.approx((low, high), rel=1e-4)
    assert found.relative_percent == pytest.approx(50 * (high - low) / np.sqrt(high * low), rel=1e-3)


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=6))
def test_the_deviation_is_that_of_the_standard_library(values: list[float]) -> None:
    logs = list(map(log, values))
    half = student_t(len(logs) - 1) * stdev(logs) / sqrt(len(logs))
    found = interval_of(values)
    ends = exp(fmean(logs) - half), exp(fmean(logs) + half)
    assert found is not None and (found.low, found.high) == pytest.approx(ends, rel=1e-9)


def test_values_below_zero_have_an_interval_around_their_mean() -> None:
    found = interval_of([-1.0, 1.0, 0.0])
    assert found is not None and found.low == pytest.approx(-found.high)
    assert found.relative_percent is None


def test_identical_values_have_an_interval_without_width() -> None:
    found = interval_of([2.0] * 5)
    assert found is not None and found.low == pytest.approx(2.0) == found.high
    assert found.relative_percent == pytest.approx(0)


def test_wildly_different_values_have_a_finite_interval() -> None:
    found = interval_of([1e-300, 1e300])
    assert found is not None and np.isfinite([found.low, found.high]).all()


def test_intervals_cover_the_median_of_log_normal_runs() -> None:
    rng = np.random.default_rng(5)
    found = [interval_of(np.exp(rng.normal(0, 0.1, 5)).tolist()) for _ in range(2000)]
    assert 0.93 <= np.mean([one is not None and one.low <= 1 <= one.high for one in found]) <= 0.97
