"""`navitas operations fit` and `operations apply`: what they write, print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.capture import Capture

from navitas.cli.main import run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    counts = random.poisson(20, (100, 3))
    energy = (1 + counts @ [1.0, 2.0, 3.0]) * (1 + 0.01 * random.standard_normal(100))
    rows = [f"{a},{b},{c},{e},s{i % 5}" for i, ((a, b, c), e) in enumerate(zip(counts, energy, strict=True))]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["add,mul,call,energy_j,session", *rows]) + "\n")
    return path


def _fit(table: Path, *words: str) -> int:
    return run(["operations", "fit", "--table", str(table), "-o", str(table.parent / "model.json"), *words])


def test_a_model_is_fitted_and_applied(table: Path, capsys: Capture) -> None:
    document, out, rows = (table.parent / name for name in ("fit.json", "out.json", "out.csv"))
    assert _fit(table, "--target", "energy_j", "--group", "session", "--json", str(document)) == 0
    printed = capsys.readouterr().out
    assert "Operations by share of energy_j" in printed and "nnls (selected)" in printed and "median" in printed
    model = table.parent / "model.json"
    assert json.loads(document.read_text())["model"] == json.loads(model.read_text())
    command = ["operations", "apply", "--model", str(model), "--table", str(table), "--json", str(out), "-o", str(rows)]
    assert run(command) == 0
    assert "100 rows" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert [one["row"] for one in found["predictions"]] == list(range(100))
    assert set(found["predictions"][0]) == {"row", "energy_j", "low", "high", "extrapolated"}
    assert all(one["low"] <= one["energy_j"] <= one["high"] for one in found["predictions"])
    assert rows.read_text().startswith("row,energy_j,low,high,extrapolated\n0,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "energy"], "no column 'energy' (--target)"),
        (["--target", "energy_j"], "column 'session', row 0: 's0' is not a number"),
        (["--target", "energy_j", "--ignore", "energy_j"], "column 'energy_j' has two roles"),
        (["--target", "energy_j", "--group", "sessions"], "Did you mean 'session'?"),
        (["--target", "energy_j", "--group", "session", "--time", "x"], "no column 'x' (--time)"),
        (["--target", "energy_j", "--ignore", "sesion"], "no column 'sesion' (--ignore) Did you mean 'session'?"),
        (
            ["--target", "energy_j", "--ignore", "session", "--ignore", "x"],
            "no column 'x' (--ignore) It has 'add', 'mul', 'call'",
        ),
    ],
)
def test_wrong_columns_are_named(table: Path, capsys: Capture, words: list[str], message: str) -> None:
    assert _fit(table, *words) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1,2,3,-4,s", "column 'energy_j', row 100: -4 is negative"),
        ("1,,3,4,s", "1 empty cells in 'mul', the first in column 'mul', row 100"),
        ("1,2,inf,4,s", "column 'call', row 100: inf is not a finite number"),
        ("1,2,x,4,s", "column 'call', row 100: 'x' is not a number"),
    ],
)
def test_wrong_cells_are_named(table: Path, capsys: Capture, cells: str, message: str) -> None:
    table.write_text(table.read_text() + cells + "\n")
    assert _fit(table, "--target", "energy_j", "--group", "session") == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_energies_of_zero_have_no_relative_errors(table: Path, capsys: Capture) -> None:
    table.write_text(table.read_text() + "0,0,0,0,s\n")
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--loss", "relative") == 0
    assert "1 of 101 cases have an energy of 0: the errors of the others" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("loss", ["squared", "between", "relative"])
def test_a_loss_can_be_named(table: Path, capsys: Capture, loss: str) -> None:
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--loss", loss) == 0
    printed = " ".join(capsys.readouterr().out.split())
    model = json.loads((table.parent / "model.json").read_text())
    assert model["loss"] == loss and model["loss_reason"].startswith("It was requested; errors of left-out cases grow with")
    assert f"Loss: {loss}. It was requested" in printed


def test_rows_with_empty_cells_can_be_dropped(table: Path, capsys: Capture) -> None:
    table.write_text(table.read_text() + "1,,3,4,s\n")
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--drop-missing") == 0
    assert "1 rows with empty cells were left out" in " ".join(capsys.readouterr().err.split())


def test_few_rows_and_a_constant_target_are_refused(table: Path, capsys: Capture) -> None:
    lines = table.read_text().splitlines()
    table.write_text("\n".join(lines[:6]))
    assert _fit(table, "--target", "energy_j", "--ignore", "session") == 2
    assert "5 usable rows, but a fit needs 8" in capsys.readouterr().err
    table.write_text("a,e\n" + "".join(f"{i},3\n" for i in range(20)))
    assert _fit(table, "--target", "e") == 2
    assert "column 'e' is 3 in all rows" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:200], "not JSON, or truncated"),
        (lambda text: "[]", "it has no format"),
        (lambda text: text.replace("navitas-operations-model", "other"), "its format is 'other'"),
        (lambda text: text.replace('"schema_version": 2', '"schema_version": 9'), "version 9 is newer"),
        (lambda text: text.replace('"idle_j": ', '"idle_j": 1e99, "x": '), "idle_j"),
        (lambda text: text.replace('"name": "add"', '"name": "mul"'), "two have one name"),
    ],
)
def test_damaged_models_are_refused(table: Path, capsys: Capture, change: object, message: str) -> None:
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--family", "nnls") == 0
    model = table.parent / "model.json"
    model.write_text(change(model.read_text()))  # type: ignore[operator]
    capsys.readouterr()
    assert run(["operations", "apply", "--model", str(model), "--table", str(table)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_model_of_the_version_before_is_read(table: Path) -> None:
    """Readers of that version did not know noise between constant and proportional, so newer files have a new version."""
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--family", "nnls") == 0
    model = table.parent / "model.json"
    document = json.loads(model.read_text())
    assert document["schema_version"] == 2
    model.write_text(json.dumps(document | {"schema_version": 1}))
    assert run(["operations", "apply", "--model", str(model), "--table", str(table)]) == 0


def test_missing_and_unknown_columns_of_new_cases(table: Path, capsys: Capture) -> None:
    assert _fit(table, "--target", "energy_j", "--ignore", "session", "--family", "nnls") == 0
    new, out = table.parent / "new.csv", table.parent / "out.json"
    command = ["operations", "apply", "--model", str(table.parent / "model.json"), "--table", str(new), "--json", str(out)]
    new.write_text("add,mul\n1,2\n")
    assert run(command) == 2
    assert "the model needs these columns: 'call'" in " ".join(capsys.readouterr().err.split())
    new.write_text("add,mul,call,other\n20,20,20,0\n20,20,20,1\n99,20,20,0\n")
    assert run(command) == 0
    assert "knows no cost of 'other'" in " ".join(capsys.readouterr().err.split())
    assert [one["extrapolated"] for one in json.loads(out.read_text())["predictions"]] == [False, True, True]
