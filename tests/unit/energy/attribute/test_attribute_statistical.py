"""The stated standard error equals the error of sampling."""

from __future__ import annotations

import numpy as np
import pytest
from attribution_maker import PLAIN, manifest, nested, parsed, run, thread
from support.run_tables import changed

from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.trees import standard_error_j


def error_j(part_j: float, whole_j: float, tick_j: float) -> float:
    return float(standard_error_j(np.array([part_j]), np.array([whole_j]), np.array([tick_j]))[0])


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
def test_the_stated_error_equals_that_of_random_sampling(share: float) -> None:
    draws, rounds, tick_j = 2_000, 4_000, 0.003
    hits = np.random.default_rng(1).binomial(draws, share, rounds)
    stated = standard_error_j(hits * tick_j, np.full(rounds, draws * tick_j), np.full(rounds, tick_j))
    off = hits * tick_j - share * draws * tick_j
    assert float(np.sqrt(np.mean(off**2))) == pytest.approx(float(np.mean(stated)), rel=0.05)


def test_shares_of_none_and_all_have_an_error() -> None:
    assert error_j(0.0, 1.0, 0.001) == pytest.approx(0.0007, rel=0.02)
    assert error_j(1.0, 1.0, 0.001) == pytest.approx(0.0007, rel=0.02)
    assert error_j(1.0, 0.9999, 0.001) > 0
    assert error_j(0.0, 0.0, 0.0) == 0


def test_a_tick_has_the_threads_energy_while_it_runs() -> None:
    made = run([thread(1, nested((0, 400, 0), (100, 300, 1)), [(0, 0), (1000, 800)])])
    plain, ticked = (profile_of(parsed(each), manifest(), PLAIN) for each in (made, changed(made, tick_ns=1e6)))
    assert plain.tests[0].threads[0].methods[0].exclusive_error_j is None
    (row,) = ticked.tests[0].threads
    in_calls_j = sum(method.exclusive_j for method in row.methods)
    for method in row.methods:
        tick_j = 1e6 * row.energy_j / row.cpu_ns
        assert method.exclusive_error_j == pytest.approx(error_j(method.exclusive_j, in_calls_j, tick_j))
        assert method.inclusive_error_j == pytest.approx(error_j(method.inclusive_j, in_calls_j, tick_j))
