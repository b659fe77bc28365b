"""`navitas fleet check` and `compare`: versions and periods that drain more."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.level_fleet import START_S, level_samples, stored_fleet

from navitas.cli.main import run
from navitas.errors import ExitCode
from navitas.fleet.store import Store

_DAYS = 12
_RUNS = [(60.0, 180.0, 0.0), (90.0, 180.0, 0.0), (90.0, 180.0, 3.0)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """App a1 runs as package 1 in the first half, and as package 2, which drains, in the second."""
    middle_s = START_S + _DAYS * 43_200
    table = level_samples(5, 40, _DAYS, _RUNS)
    early = table["time_s"].to_numpy() < middle_s
    quiet, draining = level_samples(5, 40, _DAYS, [*_RUNS[:2], (90.0, 180.0, 0.0)]), table
    parts = []
    for samples, chosen, dropped in ((quiet, None, 2), (draining, ~early, 1)):
        mask = samples["time_s"].to_numpy() < middle_s if chosen is None else chosen
        rows = samples.filter(pa.array(mask))
        lists = [[app for app in apps if app != dropped] for apps in rows["apps"].to_pylist()]
        place = rows.schema.get_field_index("apps")
        parts.append(rows.set_column(place, rows.schema.field("apps"), pa.array(lists, rows.schema.field("apps").type)))
    whole = pa.concat_tables(parts)
    order = np.lexsort((whole["time_s"].to_numpy(), whole["client"].to_numpy()))
    made = stored_fleet(tmp_path_factory.mktemp("fleet") / "store", whole.take(order), 3)
    made.write_packages(pa.table({"id": [0, 1, 2], "app": ["a0", "a1", "a1"], "version": ["1", "1.9", "1.10"]}))
    return made


def test_a_version_that_drains_more_fails_the_check(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "check", str(store.path), "--app", "a1", "--json", str(out)]) == ExitCode.CHECK_FAILED
    assert "1 of 1 drain more" in capsys.readouterr().out
    (row,) = json.loads(out.read_text())["checks"]
    assert (row["app"], row["version"], row["before"], row["drains_more"]) == ("a1", "1.10", "1.9", True)
    assert row["more_low_percent_h"] > 1
    for more in (["--limit", "20"], ["--version", "1.9"]):
        assert run(["fleet", "check", str(store.path), "--app", "a1", *more]) == ExitCode.OK
    assert run(["fleet", "check", str(store.path), "--app", "a0"]) == ExitCode.OK
    assert "0 of 0 drain more" in capsys.readouterr().out
    assert run(["fleet", "check", str(store.path), "--app", "missing"]) == ExitCode.TROUBLE


def test_periods_are_compared(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "compare", str(store.path), "--at", "2026-03-07", "--json", str(out)]) == ExitCode.OK
    assert "Changed drains: 1 of 2 apps" in capsys.readouterr().out
    first, other = json.loads(out.read_text())["changes"]
    assert (first["app"], first["is_significant"]) == ("a1", True) and first["change_low_percent_h"] > 1
    assert (other["app"], other["is_significant"]) == ("a0", False)
    assert run(["fleet", "compare", str(store.path), "--at", "2026-03-07", "--since", "2026-03-08"]) == ExitCode.USAGE
    assert run(["fleet", "compare", str(store.path), "--at", "2027-03-07"]) == ExitCode.TROUBLE
    assert "no samples in this period" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["hogs", "bugs", "jscore", "diagnose", "check"])
def test_results_about_few_clients_are_left_out(
    command: str, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", command, str(store.path), "--json", str(out), "--min-clients", "1000"]) == ExitCode.OK
    found = json.loads(out.read_text())
    assert not any(value for name, value in found.items() if isinstance(value, list) and name != "warnings")
    assert command != "jscore" or "40 rows about fewer than 1,000 clients are left out" in capsys.readouterr().err
    if command in ("hogs", "bugs"):
        assert run(["fleet", command, str(store.path), "--model", "paper", "--min-clients", "2"]) == ExitCode.USAGE
