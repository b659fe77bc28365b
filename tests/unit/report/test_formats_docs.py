"""docs/formats.md lists all formats and columns, and its examples work."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from support.messenger_profile import messenger, polls, waits
from support.reports import text_of

from navitas.energy.analyze.energy_columns import method_columns
from navitas.report import csv_table, feather, parquet
from navitas.report.registry import find_format, format_names

DOCS = (Path(__file__).parents[3] / "docs/formats.md").read_text("utf-8")
(SCRIPT,) = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)


def test_the_docs_list_each_format_with_its_extension() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\.[\w.]+)` \|", DOCS, re.MULTILINE))
    assert rows == {name: find_format(name).extension for name in format_names()}


def test_the_docs_list_each_column_of_the_tidy_table() -> None:
    rows = re.findall(r"^\| (`[^|]*) \|", DOCS.partition("| column |")[2].partition("\n\n")[0], re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(method_columns(messenger().tables))


def sessions(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Run the script of the docs on CSV reports of sessions. `polls` uses 10 % more from the middle on."""
    monkeypatch.chdir(folder)
    script = compile(SCRIPT, "energy_of_tests.py", "exec")
    for number in range(count):
        poll_j = (6.0 if number < count // 2 else 7.0) + 0.01 * (number % 3)
        made = messenger(polls(0, poll_j), polls(1, poll_j + 0.02), waits(0), waits(1))
        (folder / "energy.csv").write_text(text_of(csv_table.write, made), "utf-8")
        time = f"2026-01-{number + 1:02}T00:00:00+00:00"
        monkeypatch.setattr("sys.argv", ["energy_of_tests.py", "energy.csv", time, f"c{number}"])
        exec(script, {})
    with (folder / "sessions.csv").open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def test_the_script_adds_a_row_for_each_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = sessions(tmp_path, 2, monkeypatch)
    assert float(first["org.example.InboxTest#polls"]) == pytest.approx(10.01)
    assert float(second["org.example.InboxTest#polls"]) == pytest.approx(11.02) and second["commit"] == "c1"
    benchmark = {entry["name"]: entry for entry in json.loads((tmp_path / "benchmark.json").read_text("utf-8"))}
    assert benchmark["org.example.InboxTest#polls"]["value"] == pytest.approx(11.02)
    assert (
        benchmark["org.example.InboxTest#polls"]["range"] == "± 0.01" and benchmark["org.example.InboxTest#waits"]["unit"] == "J"
    )


@pytest.mark.extended
def test_pandas_reads_the_three_tables() -> None:
    pandas = pytest.importorskip("pandas", reason="make setup")
    pytest.importorskip("pyarrow", reason="make setup")
    made, files = messenger(), (io.BytesIO(), io.BytesIO())
    parquet.write(made, files[0])
    feather.write(made, files[1])
    frames = (
        pandas.read_parquet(files[0]),
        pandas.read_feather(files[1]),
        pandas.read_csv(io.StringIO(text_of(csv_table.write, made)), keep_default_na=False, na_values=[""]),
    )
    for frame in frames:
        assert frame[~frame["baseline"]]["exclusive_j"].sum() == pytest.approx(made.totals.energy_j)
        assert list(frame.columns) == list(method_columns(made.tables))
