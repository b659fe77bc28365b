"""Cases of the shared SQL that simulated fleets lack, run by DuckDB."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet.diagnoses.versions import AppVersionRows, first_version
from navitas.fleet.engine.base import statement
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.regression.usage import CLIENTS


def clients(*rows: dict[str, object]) -> pa.Table:
    """Rows by client and screen. Missing columns are 0."""
    nothing = {"screen": 0, "pairs": 0, "seconds": 0, "drop_ppm": 0, "samples": 1, "step_ppm": 0}
    return pa.Table.from_pylist([{**nothing, "first_s": 0, **row} for row in rows], CLIENTS)


def test_the_last_report_of_a_phone_counts(tmp_path: Path) -> None:
    known = clients(
        {"client": 1, "last_s": 10, "model": "A", "os": "9"},
        {"client": 1, "last_s": 20, "model": None, "os": "10"},
        {"client": 1, "last_s": 30, "model": None, "os": None},
        {"client": 2, "last_s": 10, "model": None, "os": None},
    )
    scores = DuckDbEngine(tmp_path, threads=1).query(statement("scores"), {"clients": known}).sort_by("client").to_pylist()
    assert [(row["model"], row["os"], row["samples"]) for row in scores] == [("A", "10", 3), (None, None, 1)]


def test_versions_without_an_error_have_no_first_one() -> None:
    table = pa.table(
        {
            "client": [1, 2, 3, 1, 2, 3],
            "package": [0, 0, 0, 1, 1, 1],
            "pairs": [9] * 6,
            "s": [0.0, 0.0, 0.0, 5.0, 5.0, 5.0],
            "w": [MIN_WEIGHT_S] * 6,
        }
    )
    rows = AppVersionRows.from_table(table, {0: "1", 1: "2"}, np.ones(table.num_rows))
    assert rows is not None and first_version(0, rows) is None


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error: Interrupted!")])
def test_an_interrupted_statement_ends_as_an_interruption_does(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def sql(self, _: str) -> None:
            raise error

        def close(self) -> None:
            pass

    engine = DuckDbEngine(tmp_path, threads=1)
    monkeypatch.setattr(engine, "_connection", SimpleNamespace(cursor=Interrupted))
    with pytest.raises(KeyboardInterrupt):
        engine.query("SELECT 1", {})
