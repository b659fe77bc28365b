"""Phones whose samples contradict themselves are set aside; phones that are only used much or charged unseen are not."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.regression.pairs import REASONS, SET_ASIDE, ClientSamples, Pairs, pairs_of
from navitas.fleet.schema import State
from navitas.fleet.statistics import I64

_COUNT = 200


def phones(level: I64, time_s: I64, uptime_s: I64) -> Pairs:
    """The pairs of a phone with these samples, followed by those of an ordinary phone that drains 1 % every 20 minutes."""
    number = np.arange(_COUNT)
    level = np.concatenate([level, 100 - number % 90])
    time_s, uptime_s = (np.concatenate([own, 1200 * number]) for own in (time_s, uptime_s))
    client = np.repeat([1, 2], [len(level) - _COUNT, _COUNT])
    state = np.full(len(client), State.DISCHARGING, np.int8)
    return pairs_of(ClientSamples(client, time_s, level * 10_000, state, np.zeros(len(client), bool), uptime_s))


def ordinary() -> tuple[I64, I64]:
    number = np.arange(_COUNT)
    return 100 - number % 90, 1200 * number


def is_set_aside(pairs: Pairs) -> bool:
    """Whether the first phone is set aside. The second one never is."""
    assert np.count_nonzero(pairs.counts[-_COUNT:]) == _COUNT - 3
    aside = bool(np.any(pairs.reason == SET_ASIDE))
    assert aside == (not pairs.counts[:-_COUNT].any())
    return aside


def test_random_levels_contradict_themselves() -> None:
    level, time_s = ordinary()
    chance = np.random.default_rng(1)
    garbage = np.where(chance.random(_COUNT) < 0.3, chance.integers(0, 101, _COUNT), level)
    pairs = phones(garbage, time_s, time_s)
    assert is_set_aside(pairs)
    assert pairs.refused(np.ones(2 * _COUNT, bool))[REASONS[SET_ASIDE]] > _COUNT / 2


@pytest.mark.parametrize(("fall", "aside"), [(30, False), (50, True)])
def test_a_level_falls_faster_than_any_phone_drains(fall: int, aside: bool) -> None:
    """Three times by a part of the battery in 20 minutes, of which a phone can use a third."""
    level, time_s = ordinary()
    level = np.where(np.isin(np.arange(_COUNT), (20, 110, 199)), level - fall, level)
    assert is_set_aside(phones(level, time_s, time_s)) == aside


def test_a_phone_that_is_charged_between_two_samples_counts() -> None:
    level, time_s = ordinary()
    time_s = time_s + 3600 * (np.arange(_COUNT) // 5)
    assert not is_set_aside(phones(100 - 10 * (np.arange(_COUNT) % 5), time_s, time_s))
    assert not is_set_aside(phones(level, time_s, time_s))


@pytest.mark.parametrize(("times", "aside"), [(2, False), (20, True)])
def test_a_clock_is_set_now_and_then_or_again_and_again(times: int, aside: bool) -> None:
    level, time_s = ordinary()
    jumps = np.isin(np.arange(_COUNT), np.linspace(5, _COUNT - 5, times).astype(int))
    assert is_set_aside(phones(level, time_s + 3600 * np.cumsum(jumps), time_s)) == aside
