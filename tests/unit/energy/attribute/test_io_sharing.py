"""Counters' increments are shared among open calls by their time: paper 4, equation (2)."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from attribution_maker import ns
from hardware_maker import counters
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.attribute.hardware.call_bytes import shared_by_weight
from navitas.recording.parse.io_counters import increments


def shares(
    calls: list[tuple[int, int]], edges: list[int], amount: list[float]
) -> tuple[dict[tuple[int, int], float], list[float]]:
    """Shares by (call, interval), and the rest, of calls given as (begin, end) whose weight is their time."""
    begin, end = (np.array([call[i] for call in calls], np.int64) for i in range(2))
    found = shared_by_weight(begin, end, (end - begin).astype(np.float64), np.array(edges), np.array(amount))
    keys = zip(found.call.tolist(), found.interval.tolist(), strict=True)
    return dict(zip(keys, found.amount.tolist(), strict=True)), found.rest.tolist()


def test_calls_share_an_interval_by_their_time_in_it() -> None:
    """A ran 30 of 100 ns, B 60 and C 10: A' = 30 / (30 + 60 + 10)."""
    assert shares([(0, 30), (20, 80), (90, 100)], [0, 100], [1000.0]) == (
        {(0, 0): pytest.approx(300), (1, 0): pytest.approx(600), (2, 0): pytest.approx(100)},
        [0.0],
    )


def test_a_call_over_several_intervals_has_a_share_of_each() -> None:
    """In the second interval, A ran 50 ns and B 100."""
    found, rest = shares([(50, 150), (100, 300)], [0, 100, 200, 300], [10.0, 30.0, 50.0])
    assert found == {(0, 0): 10.0, (0, 1): pytest.approx(10.0), (1, 1): pytest.approx(20.0), (1, 2): 50.0}
    assert rest == [0.0, 0.0, 0.0]


def test_no_call_has_what_is_counted_while_none_is_open() -> None:
    assert shares([(0, 50)], [0, 100, 200], [4.0, 6.0]) == ({(0, 0): 4.0}, [0.0, 6.0])
    assert shares([], [0, 100], [4.0]) == ({}, [4.0])


def test_a_call_without_length_belongs_to_the_interval_that_it_ends() -> None:
    begin = np.array([100])
    found = shared_by_weight(begin, begin, np.ones(1), np.array([0, 100, 200]), np.array([4.0, 6.0]))
    assert found.interval.tolist() == [0] and found.amount.tolist() == [4.0] and found.rest.tolist() == [0.0, 6.0]


@given(st.integers(0, 1 << 32).map(Random))
def test_all_that_is_counted_is_shared_or_left(random: Random) -> None:
    begin = np.array([random.randint(0, 1000) for _ in range(random.randint(0, 20))], np.int64)
    end = begin + np.array([random.choice([0, 1, 500]) for _ in begin], np.int64)
    edges = np.unique([random.randint(-50, 1500) for _ in range(random.randint(2, 30))])
    amount = np.array([[random.choice([0.0, 1.0, 1e9]), random.random()] for _ in edges[1:]]).reshape(len(edges) - 1, 2)
    weight = np.array([random.choice([0.0, 1.0, 1e6]) for _ in begin])
    found = shared_by_weight(begin, end, weight, edges, amount)
    total = found.rest.copy()
    np.add.at(total, found.interval, found.amount)
    assert total == pytest.approx(amount, rel=1e-9)
    assert (found.end_ns >= found.begin_ns).all() and (found.rest >= 0).all()


def test_a_counter_that_goes_back_has_wrapped_or_restarted() -> None:
    top = (1 << 32) - 100
    found = increments(counters([(0, (top, 1, 50, 0)), (10, (50, 2, 7, 0)), (20, (60, 2, 9, 0))]))
    assert found.growth[:, 0].tolist() == [150.0, 10.0]
    assert found.growth[:, 2].tolist() == [7.0, 2.0]
    assert (found.wraps, found.resets) == (1, 1)


def test_a_large_counter_does_not_wrap_at_32_bits() -> None:
    found = increments(counters([(0, (5 << 32, 0, 0, 0)), (10, (100, 0, 0, 0))]))
    assert (found.growth[0, 0], found.wraps, found.resets) == (100.0, 0, 1)


@pytest.mark.parametrize("times", [(), (5.0,), (5.0, 5.0)])
def test_fewer_than_two_readings_have_no_growth(times: tuple[float, ...]) -> None:
    found = increments(counters([(t, (1, 2, 3, 4)) for t in times]))
    assert found.growth.shape == (0, 4)


def test_readings_at_one_time_count_once() -> None:
    found = increments(counters([(0, (0, 0, 0, 0)), (5, (1, 0, 0, 0)), (5, (4, 0, 0, 0)), (9, (6, 0, 0, 0))]))
    assert found.edges_ns.tolist() == [ns(0), ns(5), ns(9)] and found.growth[:, 0].tolist() == [4.0, 2.0]
