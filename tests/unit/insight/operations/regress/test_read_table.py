"""Tables of cases: delimiters, damage, and messages with column, row and remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.table import read_table


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
def test_delimiters_line_ends_and_byte_order_marks(tmp_path: Path, delimiter: str, end: str, begin: str) -> None:
    path = tmp_path / "t.csv"
    lines = [["a", "b"], ["1", "2.5"], ["3", "1e3"]]
    path.write_bytes((begin + "".join(delimiter.join(line) + end for line in lines)).encode())
    table = read_table(path)
    assert table.columns == ("a", "b") and table.numbers("a").tolist() == [1, 3] and table.numbers("b").tolist() == [2.5, 1000]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty, or its first line is"),
        ("a,b\n", "no rows"),
        ("a,a\n1,2\n", "several columns have the name 'a'"),
        ("a,b\n1,2\n1,2,3\n", "line 3: 3 cells, but the header has 2"),
        ("a,b\n1\n", "line 2: 1 cells, but the header has 2"),
        ('"a,b\n1,2\n', "a quotation mark is not closed"),
        ("a\0,b\n1,2\n", "not text in UTF-8"),
        (f"a,{'b' * 1001}\n1,2\n", "line 1: the name of column 'b{80}' is longer than 1,000 characters"),
        ("PAR1 is the begin of Parquet", "not a Parquet file"),
    ],
)
def test_what_is_not_a_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        read_table(path)
    assert caught.value.message.startswith(str(path)) and caught.value.remedy


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("x", "column 'b', row 1: 'x' is not a number"),
        ("inf", "row 1: inf is not a finite"),
        ("1e40", "1e"),
        ("-1e-300", "column 'b', row 1: -1e-300 is not a finite number, 0 or of a size from 1e-30 to"),
    ],
)
def test_cells_that_are_not_numbers_are_named(tmp_path: Path, cell: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n1,2\n3,{cell}\n")
    with pytest.raises(UsageError, match=message):
        read_table(path).numbers("b")


def test_similar_names_are_suggested(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("energy_j,b\n1,2\n")
    with pytest.raises(UsageError) as caught:
        read_table(path).check_known(["energy"], "--target")
    assert "'energy_j'" in caught.value.remedy


def test_parquet(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, None], "b": ["x", "y"]}), tmp_path / "t")
    table = read_table(tmp_path / "t")
    assert np.isnan(table.numbers("a")).tolist() == [False, True] and not table.is_numeric("b")


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_table_or_an_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "t.csv"
    path.write_bytes(data)
    try:
        table = read_table(path)
        for column in table.columns:
            table.numbers(column)
    except UsageError as error:
        assert error.message and error.remedy
