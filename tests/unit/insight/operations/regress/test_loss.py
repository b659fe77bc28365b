"""The loss of a fit: selected by the errors of left-out cases, or requested; for all families, and with intervals that hold."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm
from sklearn.datasets import load_diabetes
from support.field_data import FIELD_DATA, needs_field_data
from table_maker import planted, table_of

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.apply import apply_model
from navitas.insight.operations.regress.families import NAMES
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.noise import growth_of
from navitas.insight.operations.regress.prepare import LOSSES, FitOptions
from navitas.insight.operations.regress.table import Table
from navitas.recording.parse.arrays import F64, Bool


def _rows(table: Table, rows: np.ndarray) -> Table:
    return Table(table.name, table.columns, len(rows), {name: pa.array(table.numbers(name)[rows]) for name in table.columns})


def _engel() -> Table:
    """Income and expenses for food of 235 households: the textbook's table of errors that grow with the level (Koenker 1982)."""
    data = sm.datasets.engel.load_pandas().data
    return table_of(data[["income"]].to_numpy(float), data["foodexp"].to_numpy(float))


def _measured_power() -> Table:
    """Power of a Pixel 6's cores at each pair of frequencies of two clusters."""
    with (FIELD_DATA / "wattson/Tensor/cpu_2d.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    own, shared = (np.array([float(row[name]) for row in rows]) / 1e6 for name in ("freq_khz", "dep_freq"))
    power = np.array([float(row["active"]) + float(row["static"]) for row in rows])
    return table_of(np.column_stack([own, own**2, own**3, shared, shared**2]), power)


def _held_out(table: Table, losses: Sequence[str]) -> dict[str, float]:
    """The mean relative error of each loss, in thirds of the rows that the fit did not see."""
    errors: dict[str, list[float]] = {loss: [] for loss in losses}
    for split in range(3):
        order = np.random.default_rng(split).permutation(table.rows)
        held, kept = _rows(table, order[: table.rows // 3]), _rows(table, np.sort(order[table.rows // 3 :]))
        energy = held.numbers("e")
        for loss in losses:
            found = apply_model(fit_table(kept, FitOptions("e", loss=loss)), held).energy_j
            errors[loss].append(float(np.mean(np.abs(found - energy) / energy)))
    return {loss: float(np.mean(each)) for loss, each in errors.items()}


def test_errors_that_grow_with_the_level_have_a_relative_loss() -> None:
    model = fit_table(_engel(), FitOptions("e"))
    assert model.loss == "relative" and model.loss_reason.startswith("Errors of left-out cases grow with the energy")
    found = _held_out(_engel(), ["auto", "squared"])
    assert found["auto"] < found["squared"]


@needs_field_data
def test_measured_power_has_a_relative_loss() -> None:
    found = _held_out(_measured_power(), ["auto", "squared"])
    assert fit_table(_measured_power(), FitOptions("e")).loss == "relative"
    assert found["auto"] < found["squared"]


@pytest.mark.parametrize(("exponent", "loss"), [(0.0, "squared"), (0.5, "between"), (1.0, "relative")])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_that_of_the_noise(exponent: float, loss: str, seed: int) -> None:
    """Features are those of 442 patients, in ranges of the same ratio as theirs."""
    random = np.random.default_rng(seed)
    counts = load_diabetes(scaled=False).data[:, [2, 3, 4, 5, 9]] ** 2
    truth = counts @ (random.uniform(0.5, 2, 5) / counts.mean(axis=0)) + 0.1
    energy = truth + 0.05 * truth.mean() * (truth / truth.mean()) ** exponent * random.standard_t(4, len(truth))
    assert fit_table(table_of(counts, np.maximum(energy, 0.01)), FitOptions("e", family="nnls")).loss == loss


@pytest.mark.parametrize("family", NAMES)
def test_every_family_has_the_loss(family: str) -> None:
    """Where noise is 5 % of the energy, and energies differ a hundredfold, relative errors of a squared loss are larger."""
    counts, _, energy = planted(0, 300, 12, 3)
    errors = {}
    for loss in ("squared", "relative"):
        model = fit_table(table_of(counts, energy), FitOptions("e", family=family, loss=loss))
        assert model.loss == loss
        errors[loss] = next(one.validation for one in model.scores if one.family == family)
    assert errors["relative"] is not None and errors["squared"] is not None
    assert errors["relative"] < errors["squared"]


def _inside(rows: int, exponent: float, loss: str, seeds: int) -> tuple[float, float]:
    """The shares of new cases inside of their intervals, in the quarter with the least energy and in that with the most."""
    inside: list[Bool] = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        counts = random.exponential(1, (rows + 300, 4))
        truth = 0.5 + counts @ np.array([1.0, 2.0, 0.5, 4.0])
        spread = 0.05 * truth.mean() * (truth / truth.mean()) ** exponent
        energy: F64 = np.maximum(truth + spread * random.standard_normal(rows + 300), 0.01)
        options = FitOptions("e", family="nnls", loss=loss)
        found = apply_model(fit_table(table_of(counts[:rows], energy[:rows]), options), table_of(counts[rows:], energy[rows:]))
        inside.append(((found.low_j <= energy[rows:]) & (energy[rows:] <= found.high_j))[np.argsort(truth[rows:])])
    shares = np.mean(inside, axis=0)
    return float(shares[:75].mean()), float(shares[-75:].mean())


@pytest.mark.parametrize("loss", ["squared", "relative"])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_intervals_hold_for_small_and_large_energies_whatever_the_loss(loss: str, exponent: float) -> None:
    assert _inside(300, exponent, loss, seeds=8) == pytest.approx((0.9, 0.9), abs=0.06)


@pytest.mark.parametrize(("rows", "most"), [(16, 0.08), (40, 0.03)])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_intervals_of_few_cases_hold_for_small_energies(rows: int, most: float, exponent: float) -> None:
    """The growth of errors is uncertain then. Proportional by default, down to 77 % were inside."""
    least, largest = _inside(rows, exponent, "auto", seeds=48)
    assert least > 0.9 - most
    assert largest > 0.85


def test_costs_have_the_right_errors_whatever_the_loss() -> None:
    """Of all costs, two thirds are within one standard error, as for a normal distribution."""
    for loss in ("squared", "relative"):
        within = []
        for seed in range(12):
            random = np.random.default_rng(seed)
            counts, costs = random.exponential(1, (200, 5)), np.array([1.0, 2.0, 0.5, 4.0, 3.0])
            energy = (0.5 + counts @ costs) * (1 + 0.05 * random.standard_normal(200))
            model = fit_table(table_of(counts, energy), FitOptions("e", family="nnls", loss=loss))
            found = {one.name: one for one in model.operations}
            within += [
                abs(found[f"op{place}"].cost_j - cost) < found[f"op{place}"].standard_error_j for place, cost in enumerate(costs)
            ]
        assert np.mean(within) == pytest.approx(0.68, abs=0.15), loss


def test_an_energy_of_zero_leaves_the_loss_of_the_other_cases() -> None:
    """Without operations, nothing was measured: the loss became squared, and errors of the other cases nearly doubled."""
    counts, _, energy = planted(0, 450, 8, 3)
    held = table_of(counts[150:], energy[150:])
    errors = []
    for zeros, loss in ((0, "auto"), (1, "auto"), (1, "relative")):
        table = table_of(np.vstack([counts[:150], np.zeros((zeros, 8))]), np.append(energy[:150], np.zeros(zeros)))
        model = fit_table(table, FitOptions("e", loss=loss))
        assert model.loss == "relative"
        assert any(note.startswith("1 of 151 cases have an energy of 0") for note in model.notes) == bool(zeros)
        errors.append(float(np.mean(np.abs(apply_model(model, held).energy_j / energy[150:] - 1))))
    assert errors[1:] == pytest.approx([errors[0]] * 2, rel=0.05)


def test_cases_in_which_nothing_ran_do_not_hide_constant_noise() -> None:
    random = np.random.default_rng(0)
    counts = random.exponential(1, (300, 4))
    counts[::4] = 0.0
    energy = np.where(
        counts.any(axis=1), np.maximum(counts @ [1.0, 2.0, 0.5, 4.0] + 0.3 * random.standard_normal(300), 0.01), 0.0
    )
    assert fit_table(table_of(counts, energy), FitOptions("e", family="nnls")).loss == "squared"


def test_a_fold_of_zeros_alone_has_a_fit() -> None:
    counts, _, energy = planted(0, 60, 4, 2)
    group = np.arange(60) % 4
    energy[group == 1] = 0.0
    names = [*(f"op{place}" for place in range(4)), "g"]
    model = fit_table(table_of(np.column_stack([counts, group]), energy, names), FitOptions("e", group="g", loss="relative"))
    assert any(note.startswith("15 of 60 cases have an energy of 0") for note in model.notes)


@pytest.mark.parametrize("kind", ["shared errors", "errors of one size"])
def test_the_interval_of_the_growth_holds_for_groups(kind: str) -> None:
    """If rows of one group counted as independent, a quarter to a half of 95 % intervals contained the true growth."""
    inside = []
    for seed in range(60):
        random = np.random.default_rng(seed)
        group = random.integers(0, 20, 400)
        level = np.exp(random.uniform(-1.5, 1.5, 20))[group] * np.exp(0.2 * random.standard_normal(400))
        if kind == "shared errors":
            error = random.standard_normal(20)[group] + 0.3 * random.standard_normal(400)
        else:
            error = np.exp(0.8 * random.standard_normal(20))[group] * random.standard_normal(400)
        growth = growth_of(np.maximum(level + 0.02 * error, 1e-6), level, group)
        inside.append(growth.low <= 0 <= growth.high)
    assert np.mean(inside) >= 0.9


def test_a_name_of_no_loss_or_family_is_an_error() -> None:
    with pytest.raises(UsageError, match="no loss 'relativ'"):
        FitOptions("e", loss="relativ")
    with pytest.raises(UsageError, match="no family 'nlls'"):
        FitOptions("e", family="nlls")


@pytest.mark.parametrize("loss", LOSSES)
def test_a_selected_loss_can_be_named_for_the_same_fit(loss: str) -> None:
    random = np.random.default_rng(0)
    counts = random.exponential(1, (300, 4))
    truth = 0.5 + counts @ [1.0, 2.0, 0.5, 4.0]
    energy = np.maximum(truth + 0.1 * truth ** LOSSES[loss].exponent * random.standard_normal(300), 0.01)
    selected, named = (fit_table(table_of(counts, energy), FitOptions("e", loss=name)) for name in ("auto", loss))
    assert selected.loss == named.loss == loss
    assert selected.products == named.products


def test_a_tiny_energy_does_not_select_the_family() -> None:
    """Its relative error of 1e12 hid that the energy has products."""
    counts = np.random.default_rng(3).random((200, 5))
    energy = (1 + 5 * counts[:, 0] * counts[:, 1] + counts[:, 2]) * (1 + 0.01 * np.random.default_rng(4).standard_normal(200))
    energy[7] = 1e-12
    model = fit_table(table_of(counts, energy), FitOptions("e", loss="relative"))
    assert model.family == "quadratic"
    assert any(note.startswith("1 of 200 cases have under 0.5") for note in model.notes)
