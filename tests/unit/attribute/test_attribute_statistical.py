"""The error that a report states is the error that sampling has."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.attribute.result import MethodEnergy, ThreadEnergy
from navitas.attribute.result import TestEnergy as OneTest
from navitas.attribute.statistical import standard_error_j, with_errors


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
def test_the_stated_error_is_that_of_random_draws(share: float) -> None:
    draws, rounds, tick_j = 2_000, 4_000, 0.003
    hits = np.random.default_rng(1).binomial(draws, share, rounds)
    stated = np.array([standard_error_j(hit * tick_j, draws * tick_j, tick_j) for hit in hits.tolist()])
    off = hits * tick_j - share * draws * tick_j
    assert float(np.sqrt(np.mean(off**2))) == pytest.approx(float(np.mean(stated)), rel=0.05)


def test_what_no_tick_found_is_not_held_to_be_nothing_and_the_whole_is_nearly_certain() -> None:
    assert standard_error_j(0.0, 1.0, 0.001) == pytest.approx(0.0007, rel=0.02)
    assert standard_error_j(1.0, 1.0, 0.001) == pytest.approx(0.0007, rel=0.02)
    assert standard_error_j(1.0, 0.9999, 0.001) > 0
    assert standard_error_j(0.0, 0.0, 0.0) == 0


def test_a_tick_costs_what_the_thread_costs_while_it_runs() -> None:
    methods = (MethodEnergy(0, 1, 0, 0, 2.0, 0.5, 4, 1, 4), MethodEnergy(1, 9, 0, 0, 1.5, 1.5, 3, 3, 3))
    thread = ThreadEnergy(1, 1, "main", "app", 1, 2.0, 1_000_000_000, 0.0, 0.0, methods, ())
    bare = ThreadEnergy(2, 2, "GC", "gc", 1, 1.0, 10, 1.0, 0.0, (), ())
    test = OneTest(0, 0, ":", "a.T", "t", 0, "passed", 5, 3.0, 0.0, 0.0, 0.0, (thread, bare))
    found, same = with_errors(test, 1e6).threads
    assert same == bare
    assert found.methods[1].exclusive_error_j == pytest.approx(standard_error_j(1.5, 2.0, 0.002))
    assert found.methods[0].inclusive_error_j == pytest.approx(standard_error_j(2.0, 2.0, 0.002))
    assert found.methods[0].exclusive_error_j == found.methods[1].exclusive_error_j
