"""Tables whose numbers are at the edges of what a table may have, or beyond: a model that can be read again, or an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_maker import table_of

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.apply import apply_model
from navitas.insight.operations.regress.families import NAMES
from navitas.insight.operations.regress.fit import fit_table
from navitas.insight.operations.regress.model_file import read_model
from navitas.insight.operations.regress.prepare import FitOptions
from navitas.insight.operations.regress.table import Table

NUMBERS = st.sampled_from([0.0, -1.0, 1.0, 2.0, 3.0, 7.0, 1e-30, 3e-30, 1e-12, 1e12, 1e30, 1e-300, 5e-324, 1e31, 1e300])
ROWS = np.arange(12.0)


def _refused(table: Table, words: str, family: str | None = None) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        fit_table(table, FitOptions("e", family=family))
    assert caught.value.message.startswith("t.csv: ") and caught.value.remedy


def test_without_a_feature_the_columns_are_named() -> None:
    rare = np.where(ROWS < 2, 5.0, 0.0)
    _refused(table_of(np.column_stack([np.ones(12), rare]), ROWS + 1), "'op0': never change.*'op1': in fewer than 4 cases")
    _refused(table_of(np.empty((12, 0)), ROWS + 1), "no column besides 'e'")


def test_counts_of_any_size_from_1e_30_to_1e30_have_a_cost() -> None:
    for unit in (1e-28, 1e28):
        (cost,) = (
            one for one in fit_table(table_of(unit * ROWS[:, None], 2 * ROWS + 1), FitOptions("e")).operations if one.columns
        )
        assert cost.cost_j * unit == pytest.approx(2, rel=1e-3)
    _refused(table_of(1e-300 * ROWS[:, None], ROWS + 1), "column 'op0', row 1: 1e-300 is not a finite number")
    _refused(table_of(ROWS[:, None], 1e-300 * (ROWS + 1)), "column 'e', row 0: 1e-300")


def test_costs_that_no_file_can_have_are_an_error() -> None:
    _refused(table_of(1e-30 * ROWS[:, None], 1e28 * (ROWS + 1)), "are in units too different", "quadratic")


def test_a_model_by_whose_figures_nothing_can_be_divided_is_refused(tmp_path: Path) -> None:
    """Predictions were no numbers, so that their JSON ended with a traceback."""
    model = fit_table(table_of(ROWS[:, None], 2 * ROWS + 1), FitOptions("e", family="nnls"))
    (feature,) = model.features
    path = tmp_path / "m.json"
    path.write_text(model.model_copy(update={"features": [feature.model_copy(update={"deviation": 1e-300})]}).model_dump_json())
    with pytest.raises(UsageError, match=r"features\.0\.deviation"):
        read_model(path)


@settings(max_examples=60, deadline=None)
@given(
    cells=st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(NUMBERS, min_size=width + 1, max_size=width + 1), min_size=8, max_size=14)
    ),
    family=st.sampled_from(NAMES),
)
def test_any_numbers_are_a_model_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, cells: list[list[float]], family: str
) -> None:
    rows = np.array(cells)
    table, path = table_of(rows[:, 1:], rows[:, 0]), Path(tmp_path_factory.mktemp("any") / "m.json")
    try:
        model = fit_table(table, FitOptions("e", family=family))
    except UsageError as error:
        assert error.message.startswith("t.csv: ") and error.remedy
        return
    path.write_text(model.model_dump_json())
    found = apply_model(read_model(path), table)
    assert np.isfinite(found.energy_j).all() and not np.isnan(found.low_j + found.high_j).any()
