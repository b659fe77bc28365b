"""Lines of methods, which are formatted column by column, also if fields are missing."""

from __future__ import annotations

import json
from dataclasses import astuple, replace

import pytest

from navitas.energy.analyze.records import MethodEnergy
from navitas.recording.parse.tables import Method, MethodTable
from navitas.report.json_rows import MethodLines

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
    columns = list(zip(*map(astuple, methods), strict=True))
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


@pytest.mark.parametrize("field", ["inclusive_j", "exclusive_j", "inclusive_error_j", "raw_exclusive_j", "alternative_j"])
@pytest.mark.parametrize("figure", [float("inf"), float("nan")])
def test_infinite_figures_and_nan_are_refused(field: str, figure: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        lines(FULL, replace(FULL, **{field: figure}))  # type: ignore[arg-type]
