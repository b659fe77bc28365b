"""`navitas power fit`: what it writes, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fit_maker import noisy, random_uses, recorded, tables_of
from support.capture import Capture
from support.golden import GOLDEN

from navitas.cli.main import run
from navitas.cli.power import fit as command
from navitas.energy.analyze.load import Loaded


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Two recordings with a storage rail: 0.05 W, 0.15 J per MB read, 0.4 J per MB written."""
    made: dict[str, Loaded] = {}
    for number in range(2):
        uses = random_uses(number)
        power = 0.05 + 0.15 * uses["read"] + 0.4 * uses["written"]
        folder = tmp_path / f"recording {number}"
        folder.mkdir()
        made[str(folder)] = recorded(tables_of(uses, {"UFS_VCC": noisy(power, number)}), name=str(folder))
    monkeypatch.setattr(command, "load_tables", lambda path: made[str(path)])
    return list(made)


def test_the_model_goes_to_a_file_a_table_and_json(measured: list[str], tmp_path: Path, capsys: Capture) -> None:
    out, document = tmp_path / "model.json", tmp_path / "fit.json"
    assert run(["power", "fit", *measured, "-o", str(out), "--json", str(document)]) == 0
    printed, errors = capsys.readouterr()
    assert "storage, measured by UFS_VCC" in printed and "240 intervals" in printed and "J/MB" in printed
    assert f"navitas report RECORDING --power-model {out}" in " ".join(errors.split())
    found = json.loads(out.read_text())
    values = {each["parameter"]: each["value"] for each in found["groups"][0]["coefficients"]}
    assert values == {"storage.read": pytest.approx(0.15, rel=0.05), "storage.written": pytest.approx(0.4, rel=0.05)}
    assert json.loads(document.read_text())["model"] == found


def test_what_was_not_measured_is_refused(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "model.json"
    assert run(["power", "fit", str(GOLDEN), "-o", str(out)]) == 2
    assert "0 intervals are too few for 2 unknowns; 10 are needed" in " ".join(capsys.readouterr().err.split())
    assert not out.exists()


def test_contradictions_and_bad_files_are_refused_before_the_work(measured: list[str], tmp_path: Path, capsys: Capture) -> None:
    meter = tmp_path / "meter.csv"
    meter.write_text("time_s,power_w\n0,1\n1,1\n")
    out = str(tmp_path / "model.json")
    assert run(["power", "fit", *measured, "-o", out, "--meter", str(meter), "--total"]) == 2
    assert "--meter and --total exclude each other" in capsys.readouterr().err
    meter.write_text("x\n")
    assert run(["power", "fit", *measured, "-o", out, "--meter", str(meter)]) == 2
    assert "line 1: no column for a time" in capsys.readouterr().err


def test_an_invalid_model_file_is_refused_before_the_report(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "model.json"
    path.write_text("[]")
    assert run(["report", str(GOLDEN), "--power-model", str(path)]) == 4
    assert f"{path}: not a fitted model" in " ".join(capsys.readouterr().err.split())


def test_uses_change_independently() -> None:
    uses = np.stack(list(random_uses(0).values()))
    assert np.abs(np.corrcoef(uses) - np.eye(len(uses))).max() < 0.4
