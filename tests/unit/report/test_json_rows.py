"""Lines of methods, which are formatted column by column, also if fields are missing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from navitas.energy.analyze.records import MethodEnergy
from navitas.energy.analyze.records_of_tests import MethodColumns
from navitas.recording.parse.tables import Method, MethodTable
from navitas.report.json_rows import MethodLines, figure_texts, value_texts

METHODS = MethodTable((Method(0, ":", "a.B", "100 %s", "()V", 1, "main", False),), {})
PLAIN = MethodEnergy(0, 3, 2, 1, 2.5, 1.5, 30, 20, 10, components=(1.0, 0.5), inclusive_components=(2.0, 0.5))
PLAIN = replace(PLAIN, inclusive_standard_j=0.75, exclusive_standard_j=0.5)
FULL = replace(
    PLAIN, alternative_j=9.0, inclusive_error_j=0.25, exclusive_error_j=0.125, raw_inclusive_j=3.0, raw_exclusive_j=2.0
)
ALWAYS = {
    **{"id": 0, "module": ":", "class": "a.B", "name": "100 %s", "descriptor": "()V", "calls": 3, "throws": 2, "cut": 1},
    **{"inclusive_j": 2.5, "exclusive_j": 1.5, "wall_ns": 30, "self_ns": 20, "cpu_ns": 10},
    **{"inclusive_standard_j": 0.75, "exclusive_standard_j": 0.5},
}
ERRORS = {"inclusive_error_j": 0.25, "exclusive_error_j": 0.125}
RAW = {"raw_inclusive_j": 3.0, "raw_exclusive_j": 2.0}


def lines(*methods: MethodEnergy, components: tuple[str, ...] = ("cpu",)) -> list[dict[str, object]]:
    def column(name: str) -> NDArray[Any]:
        return np.array([getattr(method, name) for method in methods])

    def figures(*names: str) -> dict[str, NDArray[Any]]:
        return {name: np.array(column(name), float) for name in names}  # NaN for None

    columns = MethodColumns(
        method=column("method"),
        counts=np.stack([column(name) for name in ("calls", "throws", "cut")], axis=1),
        figures={name: column(name) for name in ("inclusive_j", "exclusive_j", "wall_ns", "self_ns", "cpu_ns")},
        **figures("alternative_j"),
        optional=figures("inclusive_error_j", "exclusive_error_j", "raw_inclusive_j", "raw_exclusive_j"),
        exclusive_by=column("components"),
        inclusive_by=column("inclusive_components"),
        standard=figures("inclusive_standard_j", "exclusive_standard_j"),
    )
    return [json.loads(line) for line in MethodLines(METHODS, components, "paper1").lines(columns)]


def test_unknown_fields_are_left_out_row_by_row() -> None:
    assert lines(PLAIN, PLAIN) == [ALWAYS, ALWAYS]
    assert lines(FULL, FULL) == [{**ALWAYS, **ERRORS, **RAW, "paper1_j": 9.0}] * 2
    some = replace(PLAIN, inclusive_error_j=0.25, exclusive_error_j=0.125)
    assert lines(PLAIN, FULL, some, PLAIN) == [
        ALWAYS,
        {**ALWAYS, **ERRORS, **RAW, "paper1_j": 9.0},
        {**ALWAYS, **ERRORS},
        ALWAYS,
    ]


def test_energies_are_split_if_there_are_several_components() -> None:
    assert lines(PLAIN, components=("cpu", "lamp")) == [
        {**ALWAYS, "components": {"cpu": 1.0, "lamp": 0.5}, "inclusive_components": {"cpu": 2.0, "lamp": 0.5}}
    ]


@pytest.mark.parametrize(
    ("figure", "fields"),
    [("inf", "inclusive_j exclusive_j inclusive_error_j raw_exclusive_j alternative_j"), ("nan", "inclusive_j exclusive_j")],
)
def test_infinite_figures_are_refused_and_nan_where_figures_are_known(figure: str, fields: str) -> None:
    for field in fields.split():
        with pytest.raises(ValueError, match="JSON"):
            lines(FULL, replace(FULL, **{field: float(figure)}))  # type: ignore[arg-type]


@given(st.lists(st.floats(-999, 999) | st.floats(-1e-9, 1e-9), min_size=1), st.sampled_from([3, 12]))
def test_figures_are_rounded_to_significant_digits(figures: list[float], digits: int) -> None:
    texts = list(figure_texts(np.array(figures), digits))
    assert len(texts) == len(figures)
    for figure, text in zip(figures, texts, strict=True):
        wanted = float(f"{figure:.{digits}g}")
        # Either neighbor of a decimal that lies in the middle between two; no more than 22 decimal places.
        assert float(text) == pytest.approx(wanted, rel=1.1 * 10.0 ** (1 - digits), abs=1e-22)
        assert len(text.partition("e")[0].strip("-0.").replace(".", "")) <= digits


def test_whole_figures_have_all_their_digits() -> None:
    assert value_texts([0.1 + 0.2, None, 3, 0.0]) == ["0.30000000000000004", None, "3", "0.0"]
    assert value_texts([]) == []
    with pytest.raises(ValueError, match="JSON"):
        value_texts([1.0, float("nan")])
