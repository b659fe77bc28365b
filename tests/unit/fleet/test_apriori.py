"""Expected rates of coarse levels match a plain loop over the exact rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from navitas.fleet.files import write_table
from navitas.fleet.pairs import Pairs
from navitas.fleet.paper.apriori import MAX_RATE, UNIT_PPM_S, Apriori, Steps, rates_of


def pairs(*drops: tuple[int, int]) -> Pairs:
    seconds, drop = np.array(drops, np.int64).T
    counts = seconds > 0
    return Pairs(counts, seconds, drop, np.zeros(len(drops), np.int8), {})


def test_slices_are_those_of_a_plain_loop() -> None:
    chance = np.random.default_rng(7)
    exact = np.rint(chance.lognormal(np.log(12), 0.7, 20_000) / UNIT_PPM_S).astype(np.int64)
    drops = [(int(chance.integers(600, 20_000)), int(chance.integers(0, 4)) * 50_000) for _ in range(200)]
    found = rates_of(pairs(*drops), np.full(200, 50_000), Apriori.from_rates(exact)) * UNIT_PPM_S
    for (seconds, drop), rate in zip(drops, found.tolist(), strict=True):
        low, high = max((drop - 50_000) / seconds, 0), (drop + 50_000) / seconds
        inside = [one * UNIT_PPM_S for one in exact.tolist() if low < one * UNIT_PPM_S < high]
        if len(inside) > 200:
            assert rate == pytest.approx(sum(inside) / len(inside), abs=0.05)
        else:
            assert low - 0.001 <= rate <= high + 0.001


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 400), st.integers(1, 100))
def test_a_slice_has_the_mean_of_the_distribution_between_its_bounds(seed: int, first: int, width: int) -> None:
    """Compared with SciPy's histogram distribution. Rates are in the middle of bins, bounds between bins."""
    rates = 50 * np.random.default_rng(seed).integers(0, 500, 300) + 25
    apriori = Apriori.from_rates(rates)
    assert apriori.count.sum() == len(rates) and apriori.total.sum() == rates.sum()
    edges = np.arange(502) * 50.0
    known = stats.rv_histogram((apriori.count[:501], edges), density=False)
    assert known.cdf(edges[-1]) == pytest.approx(1)
    assert apriori.expected(np.zeros(1), np.full(1, 1e6))[0] == pytest.approx(known.mean())
    low, high = 50.0 * first, 50.0 * (first + width)
    mass = known.cdf(high) - known.cdf(low)
    found = apriori.expected(np.array([low]), np.array([high]))[0]
    inside = [rate for rate in rates.tolist() if low < rate < high]
    assert mass * len(rates) == pytest.approx(len(inside))
    assert found == pytest.approx(sum(inside) / len(inside) if inside else (low + high) / 2)
    if inside:
        part = slice(first, min(first + width, 501))
        assert found == pytest.approx(
            stats.rv_histogram((apriori.count[part], edges[part.start : part.stop + 1]), density=False).mean()
        )


def test_exact_pairs_keep_their_rate() -> None:
    nothing = Apriori.from_rates(np.zeros(0, np.int64))
    step = np.array([10_000, 10_000, 5_000, 10_000])
    rates = rates_of(pairs((1000, 20_000), (1000, 0), (3000, 5_000), (0, 0)), step, nothing)
    assert rates.tolist() == [20_000, 0, 1667, 0]


def test_without_exact_rates_the_middle_is_expected() -> None:
    far = Apriori.from_rates(np.array([900_000]))
    assert rates_of(pairs((1000, 50_000)), np.array([50_000]), far).tolist() == [50_000]
    assert rates_of(pairs((1, 1_000_000)), np.array([10_000]), far).tolist() == [MAX_RATE]


def test_distributions_add_up(tmp_path: Path) -> None:
    rates = np.array([0, 49, 50, 999_950, 999_999, MAX_RATE])
    for name, part in (("a", rates[:3]), ("b", rates[3:])):
        Apriori.from_rates(part).write(tmp_path / name, "x")
    found, whole = Apriori.read(tmp_path / "a", tmp_path / "b"), Apriori.from_rates(rates)
    assert found.count.tolist() == whole.count.tolist()
    assert found.total.sum() == rates.sum()


def test_a_clients_step_is_the_smallest_of_all_months(tmp_path: Path) -> None:
    for name, client, step in (("a", [1, 1, 2, 3], [50_000, 50_000, 0, 10_000]), ("b", [1, 2], [10_000, 0])):
        write_table(tmp_path / name, pa.table({"client": client, "step_ppm": step}))
    steps = Steps.read((tmp_path / "a", tmp_path / "b"))
    assert steps.for_clients(np.array([3, 1, 2, 9])).tolist() == [10_000, 10_000, 0, 0]
    assert Steps.read((tmp_path / "b",)).for_clients(np.array([2])).tolist() == [0]
