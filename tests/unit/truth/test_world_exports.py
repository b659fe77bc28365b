"""Analysts' exports of the same samples give the same pairs as plain rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from world.exports import EXPORTS, PLAIN, Export, plain_rows
from world.regimes import HARD_CASES
from world.simulation import simulate

from navitas.cli.main import run

_ACCEPTED = ("ISO times",)
"""The exports that `navitas fleet ingest` reads."""


def _pairs(folder: Path, export: Export, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ingest an export, and return the pairs of samples that count."""
    folder.mkdir()
    monkeypatch.setenv("NAVITAS_FLEET_SALT", "the same salt for all")
    regime = replace(HARD_CASES["plain"], phones=2, days=1, apps=25, hogs=2)
    export.write(folder / "rows.csv", (row for table in simulate(regime, 5).samples() for row in plain_rows(table)))
    fields = [part for column, name in export.fields.items() for part in ("--map", f"{column}={name}")]
    assert run(["fleet", "ingest", str(folder / "store"), str(folder / "rows.csv"), *fields, "--quiet"]) == 0
    assert run(["fleet", "rates", str(folder / "store"), "-o", str(folder / "pairs.csv"), "--quiet"]) == 0
    return sorted((folder / "pairs.csv").read_text().splitlines())


@pytest.mark.parametrize("name", _ACCEPTED)
def test_an_export_gives_the_same_pairs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _pairs(tmp_path / "plain", PLAIN, monkeypatch)
    assert _pairs(tmp_path / "export", EXPORTS[name], monkeypatch) == plain and len(plain) > 20


def test_exports_keep_all_that_plain_rows_say() -> None:
    row = {"time": 0.0, "level": 95.0, "state": "charging", "apps": "a@1 b@2", "client": "c"}
    written = {name: list(export.rows(dict(row))) for name, export in EXPORTS.items()}
    assert written["levels as fractions"] == [{**row, "level": 0.95}]
    assert written["ISO times"] == [{**row, "time": "1970-01-01T02:00:00+02:00"}]
    assert [one["app"] for one in written["a row for each app"]] == ["a@1", "b@2"]
    assert [one["is_charging"] for one in written["is_charging"]] == [True]
    assert list(written["other names of columns"][0]) == ["timestamp", "battery_level", "battery_status", "running", "device_id"]
