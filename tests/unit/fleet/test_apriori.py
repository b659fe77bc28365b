"""What a level's steps leave open is filled from exact rates, as a plain loop over them does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet.apriori import FASTEST, UNIT_PPM_S, Apriori, Steps, rates_of
from navitas.fleet.pairs import Pairs
from navitas.fleet.store import write_table


def pairs(*told: tuple[int, int]) -> Pairs:
    seconds, drop = np.array(told, np.int64).T
    counts = seconds > 0
    return Pairs(counts, seconds, drop, np.zeros(len(told), np.int8), {})


def test_slices_are_those_of_a_plain_loop() -> None:
    chance = np.random.default_rng(7)
    exact = np.rint(chance.lognormal(np.log(12), 0.7, 20_000) / UNIT_PPM_S).astype(np.int64)
    told = [(int(chance.integers(600, 20_000)), int(chance.integers(0, 4)) * 50_000) for _ in range(200)]
    found = rates_of(pairs(*told), np.full(200, 50_000), Apriori.of(exact)) * UNIT_PPM_S
    for (seconds, drop), rate in zip(told, found.tolist(), strict=True):
        low, high = max((drop - 50_000) / seconds, 0), (drop + 50_000) / seconds
        inside = [one * UNIT_PPM_S for one in exact.tolist() if low < one * UNIT_PPM_S < high]
        if len(inside) > 200:
            assert rate == pytest.approx(sum(inside) / len(inside), abs=0.05)
        else:
            assert low - 0.001 <= rate <= high + 0.001


def test_exact_pairs_tell_their_rate() -> None:
    nothing = Apriori.of(np.zeros(0, np.int64))
    step = np.array([10_000, 10_000, 5_000, 10_000])
    rates = rates_of(pairs((1000, 20_000), (1000, 0), (3000, 5_000), (0, 0)), step, nothing)
    assert rates.tolist() == [20_000, 0, 1667, 0]


def test_where_no_exact_rate_lies_the_middle_is_taken() -> None:
    far = Apriori.of(np.array([900_000]))
    assert rates_of(pairs((1000, 50_000)), np.array([50_000]), far).tolist() == [50_000]
    assert rates_of(pairs((1, 1_000_000)), np.array([10_000]), far).tolist() == [FASTEST]


def test_distributions_add_up(tmp_path: Path) -> None:
    rates = np.array([0, 49, 50, 999_950, 999_999, FASTEST])
    for name, part in (("a", rates[:3]), ("b", rates[3:])):
        Apriori.of(part).write(tmp_path / name, "x")
    found, whole = Apriori.read(tmp_path / "a", tmp_path / "b"), Apriori.of(rates)
    assert found.count.tolist() == whole.count.tolist()
    assert found.total.sum() == rates.sum()


def test_a_clients_step_is_the_smallest_of_all_months(tmp_path: Path) -> None:
    for name, client, step in (("a", [1, 1, 2, 3], [50_000, 50_000, 0, 10_000]), ("b", [1, 2], [10_000, 0])):
        write_table(tmp_path / name, pa.table({"client": client, "step_ppm": step}))
    steps = Steps.read((tmp_path / "a", tmp_path / "b"))
    assert steps.of(np.array([3, 1, 2, 9])).tolist() == [10_000, 10_000, 0, 0]
    assert Steps.read((tmp_path / "b",)).of(np.array([2])).tolist() == [0]
