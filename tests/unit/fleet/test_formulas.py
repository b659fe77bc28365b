"""CSV texts are never formulas of a spreadsheet, and can be read back."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import text_of

from navitas.base.untrusted_text import guarded
from navitas.cli.fleet.rows import _csv
from navitas.fleet.findings.rates import export, guarded_column, plain_column
from navitas.fleet.findings.results import Row
from navitas.fleet.simulate.acting import read_advice

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\rx", "\nx", "＝1", " =1", "'=1", "''=1", "\v=1", "\xa0=1", "\u3000 @A1"]
TEXTS = ["org.example.app", "", "'quoted'", "a=b", "1", "it's"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_a_text(text: str) -> None:
    assert guarded(text) == f"'{text}"
    written = guarded_column(pa.chunked_array([[text]]))
    assert written.to_pylist() == [f"'{text}"]
    assert plain_column(written).to_pylist() == [text]


@pytest.mark.parametrize("text", TEXTS)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text


@given(st.lists(st.text(alphabet=st.one_of(st.sampled_from("'=+-@\t\r\n＝ a"), st.characters(exclude_categories=("Cs",))))))
def test_every_text_is_read_back(texts: list[str]) -> None:
    written = guarded_column(pa.chunked_array([pa.array(texts, pa.string())]))
    assert written.to_pylist() == [guarded(text) for text in texts]
    assert plain_column(written).to_pylist() == texts


@dataclass(frozen=True, slots=True)
class CountRow(Row):
    text: str
    count: int


def test_results_hold_no_formula_and_numbers_stay(tmp_path: Path) -> None:
    assert list(csv.reader(text_of(_csv, CountRow, [CountRow("=1+1", -3)]).splitlines()))[1] == ["'=1+1", "-3"]


def test_an_export_has_no_formula_in_texts_or_joined_lists(tmp_path: Path) -> None:
    schema = pa.schema([("app", pa.string()), ("apps", pa.list_(pa.string())), ("rate", pa.float64())])
    table = pa.table({"app": ["=1+1", None], "apps": [["@a", "b"], []], "rate": [-1.5, 2.0]}, schema)
    export(tmp_path / "x.csv", schema, [table])
    with (tmp_path / "x.csv").open(newline="") as file:
        assert list(csv.reader(file))[1:] == [["'=1+1", "'@a b", "-1.5"], ["", "", "2"]]


def test_advice_is_read_as_it_was_before_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "advice.csv").write_text("client,app\n0123456789abcdef,'=1+1\n-5,org.example.app\n")
    assert read_advice(tmp_path / "advice.csv").to_pydict() == {
        "client": ["0123456789abcdef", "-5"],
        "app": ["=1+1", "org.example.app"],
    }
