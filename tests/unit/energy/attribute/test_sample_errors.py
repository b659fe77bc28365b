"""Standard errors of stack samples, against programs whose shares are known. The sampler is simulated."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest
from attribution_maker import J_PER_MS, PLAIN, manifest, parsed, run, thread
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from sample_maker import sampled, samples, stacks

from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.trees import share_error_j, standard_error_j
from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.sample_totals import paths_of_stacks
from navitas.energy.attribute.calls.sample_turns import CommonCallers, turns_of
from navitas.recording.parse.arrays import F64
from navitas.recording.parse.stack_samples import StackSamples

SHARES = np.array([0.4, 0.3, 0.2, 0.07, 0.03])
GROUP = 5
"""The caller of the first two methods. Methods 0 … 4 have these shares."""
PATHS = [(GROUP, 0), (GROUP, 1), (2,), (3,), (4,)]
TEST_MS, TESTS = 200.0, 120
PERIOD_MS = 1.0


def program(random: Generator, mean_ms: float) -> tuple[F64, F64]:
    """A program that runs one method after another: when each ends, and which it is. It runs in all tests."""
    count = int(TESTS * TEST_MS / mean_ms * 1.3) + 1000
    return np.cumsum(random.exponential(mean_ms, count)), random.choice(len(SHARES), count, p=SHARES).astype(np.float64)


def true_shares(ends_ms: F64, method: F64) -> F64:
    """The share of each method in each test."""
    edges = np.arange(TESTS + 1) * TEST_MS
    shares = []
    for number in range(len(SHARES)):
        own = np.concatenate([[0.0], np.cumsum(np.diff(ends_ms, prepend=0.0) * (method == number))])
        shares.append(np.diff(np.interp(edges, np.concatenate([[0.0], ends_ms]), own)) / TEST_MS)
    return np.stack(shares, axis=1)


def sampler(random: Generator, *, regular: bool) -> F64:
    """The times of samples: one each period, from a random time on, or at random times."""
    if regular:
        return np.asarray(random.uniform(0, PERIOD_MS) + np.arange(int(TESTS * TEST_MS / PERIOD_MS)) * PERIOD_MS, np.float64)
    return np.sort(random.uniform(0, TESTS * TEST_MS, int(TESTS * TEST_MS / PERIOD_MS)))


def distances(seed: int, mean_ms: float, *, regular: bool) -> tuple[F64, float]:
    """How far each share of each test is from the truth, in standard errors; and the design effect: squares by variances."""
    random = default_rng(seed)
    ends_ms, method = program(random, mean_ms)
    t_ms = sampler(random, regular=regular)
    of_sample = method[np.searchsorted(ends_ms, t_ms, side="right")].astype(np.int64)
    end = np.cumsum([len(path) for path in PATHS]) - 1
    taken = StackSamples(
        np.zeros(len(t_ms), np.int32),
        np.array(5_000_000_000_000 + np.rint(t_ms * 1e6), np.int64),
        end[of_sample].astype(np.int32),
        stacks(*PATHS),
        PERIOD_MS * 1e6 if regular else None,
    )
    whole_ms = TESTS * TEST_MS
    windows = [(i * TEST_MS, (i + 1) * TEST_MS) for i in range(TESTS)]
    made = run([thread(1, (), ((0.0, 0.0), (whole_ms, whole_ms)))], windows, end_ms=whole_ms)
    profile = profile_of(parsed(sampled(made, taken)), manifest(TESTS), PLAIN)
    truth = true_shares(ends_ms, method)
    found, squares, variances = [], 0.0, 0.0
    for number, test in enumerate(profile.tests):
        methods = {each.method: each for each in test.threads[0].methods}
        figures = [(each, each.exclusive_j, truth[number, i], each.exclusive_error_j) for i, each in methods.items() if i < GROUP]
        group = methods[GROUP]
        figures.append((group, group.inclusive_j, truth[number, :2].sum(), group.inclusive_error_j))
        for _, energy_j, share, error_j in figures:
            assert error_j is not None and error_j > 0
            off_j = energy_j - share * TEST_MS * J_PER_MS
            found.append(off_j / error_j)
            squares, variances = squares + off_j**2, variances + error_j**2
    return np.array(found), squares / variances


@pytest.mark.parametrize("regular", [True, False])
def test_shares_lie_within_two_standard_errors(regular: bool) -> None:
    found, effects = zip(*(distances(seed, 0.05, regular=regular) for seed in range(3)), strict=True)
    within = float(np.mean(np.abs(np.concatenate(found)) <= 2))
    assert 0.93 <= within <= 0.97
    assert 0.8 < np.mean(effects) < 1.2


@pytest.mark.parametrize("regular", [True, False])
@pytest.mark.parametrize("mean_ms", [1.0, 20.0])
def test_of_calls_longer_than_the_period_errors_are_upper_bounds(mean_ms: float, regular: bool) -> None:
    found, effect = distances(7, mean_ms, regular=regular)
    # The mean variance is at most four times the true one, also where that of independent draws is a hundred times it.
    assert np.mean(np.abs(found) <= 2) >= 0.94 and 0.25 < effect < 1.1


def test_the_innermost_common_caller_of_two_paths() -> None:
    paths = Paths(9)
    path = paths_of_stacks(stacks((0, 1, 2), (0, 1, 3, 4), (5,)), paths)
    ends = path[[2, 6, 7]]
    callers = CommonCallers(paths)
    position = callers.position[ends]
    common = callers.of(position[[0, 0, 1, 2]], position[[1, 2, 0, 1]])
    assert common.tolist() == [path[1], OUTSIDE, path[1], OUTSIDE]
    one, other = callers.position[path[[1, 2]]], callers.position[path[[2, 0]]]
    assert callers.of(one, other).tolist() == [path[1], path[0]]


def test_turns_are_those_of_both_methods_and_of_their_callers() -> None:
    paths = Paths(9)
    path = paths_of_stacks(stacks((0, 1), (0, 2), (3,)), paths)
    of_sample = path[[1] * 20 + [3] * 20 + [4] * 20]
    turns = turns_of(np.zeros(60, np.int64), of_sample, np.ones(60), np.arange(60.0), CommonCallers(paths))
    by_path = np.bincount(of_sample, turns.inclusive_j2, len(paths)) + np.bincount(turns.common, turns.common_j2, len(paths))
    inclusive = {number: by_path[path[row]] for number, row in ((1, 1), (2, 3), (3, 4))}
    inclusive[0] = by_path[path[0]] + inclusive[1] + inclusive[2]
    # A method that begins and ends in a run of samples has two edges of a twelfth each, the first and the last one have one.
    assert inclusive == pytest.approx({0: 1 / 12, 1: 1 / 12, 2: 2 / 12, 3: 1 / 12}, rel=0.2)
    assert np.bincount(of_sample, turns.self_j2, len(paths))[path[[1, 3, 4]]] == pytest.approx([1 / 12, 2 / 12, 1 / 12], rel=0.2)


@given(st.integers(1, 500), st.integers(0, 500), st.floats(1e-9, 1e3))
def test_of_equal_samples_the_error_is_that_of_ticks(count: int, hits: int, each_j: float) -> None:
    hits = min(hits, count)
    draws = np.array([[count, count * each_j**2]])
    own_j, total_j = np.array([hits * each_j]), np.array([count * each_j])
    own_draws_j2 = np.array([[hits * each_j**2, count * each_j**2]])
    expected = standard_error_j(own_j, total_j, np.array([each_j]))
    assert share_error_j(own_j, own_draws_j2, total_j, draws) == pytest.approx(expected, rel=1e-6)


def test_without_samples_the_error_is_unknown_and_without_energy_it_is_zero() -> None:
    none, no_draws, some = np.zeros(1), np.zeros((1, 2)), np.array([[4.0, 0.0]])
    assert np.isnan(share_error_j(none, no_draws, none, np.zeros((1, 2)))).all()
    assert share_error_j(none, no_draws, none, some).tolist() == [0.0]


def test_errors_of_threads_and_tests_are_independent() -> None:
    windows = [(0.0, 100.0), (100.0, 200.0)]
    rows = [(thread, float(t), [t % 3]) for thread in (0, 1) for t in range(1, 200, 2)]
    threads = [thread(serial, (), ((0.0, 0.0), (200.0, 200.0))) for serial in (1, 2)]
    profile = profile_of(parsed(sampled(run(threads, windows, end_ms=200.0), samples(rows))), manifest(2), PLAIN)
    parts = [method for test in profile.tests for own in test.threads for method in own.methods if method.method == 0]
    total = next(total for total in profile.method_totals() if total.id == 0)
    assert len(parts) == 4 and total.samples == sum(part.samples or 0 for part in parts)
    assert total.exclusive_error.probes_j == pytest.approx(hypot(*(part.exclusive_error_j or 0.0 for part in parts)))
    assert total.exclusive_error.standard_j >= total.exclusive_error.probes_j > 0
