"""Expected rates of coarse levels match a plain loop over the exact rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.fleet.paper.paper_sums import MAX_RATE, UNIT_PPM_S, Apriori, rates_of


def rates(pairs: list[tuple[int, int]], step_ppm: int, apriori: Apriori) -> np.ndarray:
    """The rates of pairs with these seconds and drops."""
    seconds, drop = np.array(pairs, np.int64).T
    return rates_of(drop, seconds, np.full(len(pairs), step_ppm), apriori)


def test_slices_are_those_of_a_plain_loop() -> None:
    chance = np.random.default_rng(7)
    exact = np.rint(chance.lognormal(np.log(12), 0.7, 20_000) / UNIT_PPM_S).astype(np.int64)
    drops = [(int(chance.integers(600, 20_000)), int(chance.integers(0, 4)) * 50_000) for _ in range(200)]
    found = rates(drops, 50_000, Apriori.from_rates(exact)) * UNIT_PPM_S
    for (seconds, drop), rate in zip(drops, found.tolist(), strict=True):
        low, high = max((drop - 50_000) / seconds, 0), (drop + 50_000) / seconds
        inside = [one * UNIT_PPM_S for one in exact.tolist() if low < one * UNIT_PPM_S < high]
        if len(inside) > 200:
            assert rate == pytest.approx(sum(inside) / len(inside), abs=0.05)
        else:
            assert low - 0.001 <= rate <= high + 0.001


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 400), st.integers(1, 100))
def test_a_slice_has_the_mean_of_the_rates_between_its_bounds(seed: int, first: int, width: int) -> None:
    """Rates are in the middle of bins, bounds between bins."""
    exact = 50 * np.random.default_rng(seed).integers(0, 500, 300) + 25
    low, high = 50.0 * first, 50.0 * (first + width)
    inside = exact[(exact > low) & (exact < high)]
    found = Apriori.from_rates(exact).expected(np.array([low]), np.array([high]))
    assert found[0] == pytest.approx(inside.mean() if len(inside) else (low + high) / 2)


def test_exact_pairs_keep_their_rate() -> None:
    nothing = Apriori.from_rates(np.zeros(0, np.int64))
    assert rates([(1000, 20_000), (1000, 0)], 10_000, nothing).tolist() == [20_000, 0]
    assert rates([(3000, 5_000)], 5_000, nothing).tolist() == [1667]


def test_without_exact_rates_the_middle_is_expected() -> None:
    far = Apriori.from_rates(np.array([900_000]))
    assert rates([(1000, 50_000)], 50_000, far).tolist() == [50_000]
    assert rates([(1, 1_000_000)], 10_000, far).tolist() == [MAX_RATE]


def test_distributions_add_up(tmp_path: Path) -> None:
    exact = np.array([0, 49, 50, 999_950, 999_999, MAX_RATE])
    for name, part in (("a", exact[:3]), ("b", exact[3:])):
        Apriori.from_rates(part).write(tmp_path / name, "x")
    found, whole = Apriori.read(tmp_path / "a", tmp_path / "b"), Apriori.from_rates(exact)
    assert found.count.tolist() == whole.count.tolist()
    assert found.total.sum() == exact.sum()
