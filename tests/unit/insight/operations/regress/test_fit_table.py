"""Fitted models of operations: costs, intervals, and what does not change them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from table_maker import planted, table_of

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.apply import apply_model
from navitas.insight.operations.regress.cases import Cases, least_squares_of, non_negative, sums_of
from navitas.insight.operations.regress.described import described
from navitas.insight.operations.regress.families import fold_numbers
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.model_file import OperationsModel
from navitas.insight.operations.regress.prepare import FitOptions

NNLS = FitOptions("e", family="nnls")


def _costs(model: OperationsModel) -> dict[str, float]:
    return {one.name: one.cost_j for one in model.operations}


@pytest.mark.parametrize("seed", range(3))
def test_planted_costs_of_identifiable_operations_are_found(seed: int) -> None:
    counts, costs, energy = planted(seed)
    model = fit_table(table_of(counts, energy), NNLS)
    known = {one.name: one.cost_j for one in model.operations if one.identifiable}
    errors = [abs(cost / costs[int(name[2:])] - 1) for name, cost in known.items() if name.startswith("op")]
    assert len(errors) >= 60 and max(errors) < 0.10
    assert model.noise == "proportional"


def test_small_tables_use_one_thread_of_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads wait for each other, and use all cores meanwhile: a fit took 20 times as long while other work ran."""
    steps: list[object] = []

    @contextmanager
    def limits(threads: int | None, user_api: str) -> Iterator[None]:
        steps.append((threads, user_api))
        yield
        steps.append("ended")

    def noted(*arguments: Any) -> Any:
        steps.append("fitted")
        return described(*arguments)

    monkeypatch.setattr("threadpoolctl.threadpool_limits", limits)
    monkeypatch.setattr("navitas.insight.operations.regress.fit.described", noted)
    fit_table(table_of(*planted(0)[::2]), NNLS)
    assert steps == [(1, "blas"), "fitted", "ended"]


def test_solvers_agree_with_scipy_and_statsmodels() -> None:
    random = np.random.default_rng(0)
    x, y = random.random((300, 12)), random.random(300) * 5
    cases = Cases(np.asfortranarray(x), y, np.ones(12), (slice(0, 300),))
    sums = sums_of(cases, np.ones(300), slice(0, 300))
    z = np.column_stack([np.ones(300), x])
    assert non_negative(sums) == pytest.approx(nnls(z, y)[0], abs=1e-6)
    assert least_squares_of(sums) == pytest.approx(sm.OLS(y, z).fit().params, abs=1e-6)


@pytest.mark.parametrize(("count", "deviation"), [(6, 0.025), pytest.param(30, 0.01, marks=pytest.mark.extended)])
@pytest.mark.parametrize("noise", ["proportional", "constant", "mixed", "heavy", "groups"])
def test_intervals_cover_nine_of_ten_new_cases(noise: str, count: int, deviation: float) -> None:
    inside = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        counts = random.exponential(1, (400, 8))
        truth = 1 + counts @ random.uniform(0.1, 2, 8)
        group = np.arange(400) % 20
        size = {
            "proportional": 0.05 * truth * random.standard_normal(400),
            "constant": 0.5 * random.standard_normal(400),
            "mixed": np.hypot(0.3, 0.05 * truth) * random.standard_normal(400),
            "heavy": 0.05 * truth * random.standard_t(3, 400),
            "groups": 0.05 * truth * (random.standard_normal(20)[group] + random.standard_normal(400)),
        }[noise]
        energy = np.maximum(truth + size, 0.01)
        table = table_of(np.column_stack([counts, group])[:200], energy[:200], [*(f"op{i}" for i in range(8)), "g"])
        grouped = noise == "groups"
        options = FitOptions("e", family="nnls", group="g" if grouped else None, ignore=() if grouped else ("g",))
        model = fit_table(table, options)
        found = apply_model(model, table_of(counts[200:], energy[200:]))
        near = ~found.extrapolated
        inside.append(((found.low_j <= energy[200:]) & (energy[200:] <= found.high_j))[near].mean())
    assert np.mean(inside) == pytest.approx(0.9, abs=3 * deviation)


def test_collinear_operations_are_merged_and_constants_left_out() -> None:
    random = np.random.default_rng(1)
    a, b = random.poisson(50, 200).astype(float), random.poisson(9, 200).astype(float)
    counts = np.column_stack([a, 2 * a, b, np.full(200, 7.0), np.eye(200)[:, 0]])
    energy = a * 3.0 + b * 2.0 + 1
    model = fit_table(table_of(counts, energy), NNLS)
    merged = next(one for one in model.operations if one.status == "merged")
    assert merged.columns == ["op0", "op1"] and merged.cost_j == pytest.approx(1.0, rel=1e-3)
    assert _costs(model)["op2"] == pytest.approx(2.0, rel=1e-3)
    assert [(one.name, one.reason) for one in model.left_out] == [("op3", "constant"), ("op4", "rare")]


def test_a_sum_of_two_operations_is_one_term_with_them() -> None:
    counts = np.random.default_rng(2).random((300, 4))
    table = table_of(np.column_stack([counts, counts[:, 0] + counts[:, 1]]), counts @ [1, 2, 3, 4] + 1)
    model = fit_table(table, NNLS)
    assert [one.columns for one in model.operations if one.status == "merged"] == [["op0", "op1", "op4"]]
    assert apply_model(model, table).energy_j == pytest.approx(counts @ [1, 2, 3, 4] + 1, rel=1e-3)


def test_products_are_found_where_the_energy_has_them() -> None:
    random = np.random.default_rng(3)
    counts = random.random((300, 5))
    energy = (1 + 5 * counts[:, 0] * counts[:, 1] + counts[:, 2]) * (1 + 0.01 * random.standard_normal(300))
    table = table_of(counts, energy)
    model = fit_table(table, FitOptions("e"))
    assert model.family == "quadratic"
    assert apply_model(model, table).energy_j == pytest.approx(energy, rel=0.08)


def test_a_negative_cost_is_zero_with_a_note() -> None:
    counts = np.random.default_rng(4).random((300, 3))
    model = fit_table(table_of(counts, 5 + counts @ [1, 2, -3]), NNLS)
    assert _costs(model)["op2"] == 0 and any("ask for a negative" in note and "op2" in note for note in model.notes)


def test_rows_far_away_are_extrapolated_and_wider() -> None:
    counts, _, energy = planted(0, operations=5)
    counts[:, 1] = counts[:, 0] * (1 + 0.001 * np.random.default_rng(0).standard_normal(400))
    model = fit_table(table_of(counts, energy), NNLS)
    new = np.repeat(np.median(counts, axis=0)[None], 3, axis=0)
    new[1, 2] = 10 * counts[:, 2].max()
    new[2, 0] = counts[:, 0].max()  # inside of its range, but column 1 does not go with it
    found = apply_model(model, table_of(new, np.ones(3)))
    assert found.extrapolated.tolist() == [False, True, True]
    table = table_of(np.column_stack([new, np.ones(3)]), np.ones(3))
    found = apply_model(model, table)
    assert found.extrapolated.all() and "'op5'" in found.warnings[0]


@settings(max_examples=10, deadline=None)
@given(factor=st.sampled_from([1e-9, 0.3, 1e12]), seed=st.integers(0, 5), order=st.permutations(range(4)))
def test_units_and_the_order_of_columns_do_not_matter(factor: float, seed: int, order: list[int]) -> None:
    counts, _, energy = planted(seed, 60, 4, 2)
    names = [f"op{place}" for place in range(4)]
    plain, scaled = table_of(counts, energy), counts.copy()
    scaled[:, 1] *= factor
    other = table_of(scaled[:, order], energy, [names[place] for place in order])
    one, two = fit_table(plain, NNLS), fit_table(other, NNLS)
    assert _costs(two)["op1"] * factor == pytest.approx(_costs(one)["op1"], rel=1e-6)
    first, second = apply_model(one, plain), apply_model(two, other)
    assert second.energy_j == pytest.approx(first.energy_j, rel=1e-6)
    assert np.all(first.low_j <= first.energy_j) and np.all(first.energy_j <= first.high_j)


def test_a_group_is_never_in_two_folds() -> None:
    groups = np.random.default_rng(0).integers(0, 9, 100)
    folds = fold_numbers(100, groups)
    assert all(len(set(folds[groups == one])) == 1 for one in range(9)) and set(folds) == {0, 1, 2, 3}
    with pytest.raises(UsageError, match="one group"):
        fold_numbers(9, np.zeros(9, np.int64))


@pytest.mark.parametrize("family", ["nnls", "gradient", "huber", "bayes", "quadratic"])
def test_fewer_cases_than_operations_have_a_fit_without_identifiable_costs(family: str) -> None:
    counts = np.random.default_rng(0).poisson(5, (20, 40)).astype(float)
    model = fit_table(table_of(counts, counts.sum(axis=1) + 1), FitOptions("e", family=family))
    assert not any(one.identifiable for one in model.operations)
    assert any("too few" in note for note in model.notes)
