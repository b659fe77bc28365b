"""`navitas fleet check` and `compare`: versions and periods that drain more."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.level_fleet import START_S, level_samples, stored_fleet

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.store import Store

_DAYS = 12
_RUNS = [(60.0, 180.0, 0.0), (90.0, 180.0, 0.0), (90.0, 180.0, 3.0)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """App a1 runs as package 1 in the first half, and as package 2, which drains, in the second."""
    middle_s = START_S + _DAYS * 43_200
    table = level_samples(6, 40, _DAYS, _RUNS)
    early = table["time_s"].to_numpy() < middle_s
    quiet, draining = level_samples(6, 40, _DAYS, [*_RUNS[:2], (90.0, 180.0, 0.0)]), table
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
    assert "1 of 1 drains more" in capsys.readouterr().out
    found = json.loads(out.read_text())
    (row,) = found["checks"]
    assert (row["app"], row["version"], row["before"], row["drains_more"]) == ("a1", "1.10", "1.9", True)
    assert row["more_low_percent_h"] > 1
    assert run(["fleet", "hogs", str(store.path), "--json", str(out)]) == ExitCode.OK
    assert found["limit_percent_h"] == json.loads(out.read_text())["clean_limit_percent_h"]
    for share, code in ((0.99, ExitCode.CHECK_FAILED), (1.01, ExitCode.OK)):  # The whole interval must be above the limit.
        limit = str(share * row["more_low_percent_h"])
        assert run(["fleet", "check", str(store.path), "--app", "a1", "--limit", limit]) == code
    assert run(["fleet", "check", str(store.path), "--app", "missing"]) == ExitCode.TROUBLE
    for limit in ("nan", "inf", "-1"):
        assert run(["fleet", "check", str(store.path), "--app", "a1", "--limit", limit]) == ExitCode.USAGE


@pytest.mark.parametrize("setting", ["limit = 20.0", 'until = "2026-03-04"'])
def test_a_limit_of_the_settings_file_is_named(
    setting: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with `--quiet`, since the check passes because of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "navitas.toml").write_text(f"[fleet.check]\n{setting}\n")
    call = ["fleet", "check", str(store.path), "--app", "a1", "--quiet", "--fail-on", "above"]
    assert run(call) == ExitCode.OK
    name, _, value = setting.replace('"', "").partition(" = ")
    assert f"warning: {tmp_path}/navitas.toml:2 sets --{name} of this check to {value}" in capsys.readouterr().err
    assert run([*call, "--limit", "0.1", "--until", "2027-01-01"]) == ExitCode.CHECK_FAILED
    assert "of this check" not in capsys.readouterr().err


def test_a_failure_about_few_clients_is_left_out_but_fails(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    call = ["fleet", "check", str(store.path), "--app", "a1", "--min-clients", "500", "--json", str(out)]
    assert run(call) == ExitCode.CHECK_FAILED
    found = json.loads(out.read_text())
    assert (found["failed"], found["checks"], found["not_compared"]) == (1, [], [])
    printed = capsys.readouterr()
    assert "1 of 1 drains more" in printed.out
    assert "1 row about fewer than 500 clients is left out" in printed.err


@pytest.mark.parametrize(
    ("arguments", "missing", "reason"),
    [
        (["--app", "a1", "--app-version", "9.9"], "a1 9.9", "fewer than three clients run it, or there is no version before it"),
        (["--app", "a1", "--app-version", "1.9"], "a1 1.9", "or there is no version before it with three clients"),
        (["--app", "a0"], "a0", "it has no two versions with three clients each"),
        (["--app", "a1", "--app", "a0"], "a0", "it has no two versions"),
        (["--app-version", "9.9"], "version 9.9 of all hogs", "fewer than three clients"),
        (["--app", "a1", "--app-version", "1.10", "--until", "2026-03-04"], "a1 1.10", "fewer than three clients"),
    ],
)
def test_a_check_that_compares_nothing_does_not_pass(  # noqa: PLR0917
    arguments: list[str], missing: str, reason: str, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    call = ["fleet", "check", str(store.path), *arguments, "--json", str(out)]
    code = ExitCode.CHECK_FAILED if arguments.count("--app") > 1 else ExitCode.OK  # a1 fails then
    assert run([*call, "--fail-on", "above"]) == code
    assert json.loads(out.read_text())["not_compared"] == [missing]
    error = capsys.readouterr().err
    assert f"{missing}: not compared: " in error and reason in error
    assert run(call) == ExitCode.CHECK_FAILED
    if not code:
        assert capsys.readouterr().err.splitlines()[-1] == "check failed: unknown"


def test_periods_are_compared(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "compare", str(store.path), "--at", "2026-03-07", "--json", str(out)]) == ExitCode.OK
    assert "Changed drains: 1 of 2 apps" in capsys.readouterr().out
    first, other = json.loads(out.read_text())["changes"]
    assert (first["app"], first["is_significant"]) == ("a1", True) and first["change_low_percent_h"] > 1
    assert (other["app"], other["is_significant"]) == ("a0", False)
    assert run(["fleet", "compare", str(store.path), "--at", "2026-03-07", "--since", "2026-03-08"]) == ExitCode.USAGE
    assert run(["fleet", "compare", str(store.path), "--at", "2027-03-07"]) == ExitCode.TROUBLE
    assert "no samples in this period: the samples are from 2026-03-01 to 2026-03-12" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["hogs"], ["hogs", "--app", "a1"], ["diagnose"], ["diagnose", "--app", "a1"], ["check"]], ids=" ".join
)
def test_results_about_few_clients_are_left_out(
    arguments: list[str], store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    call = ["fleet", arguments[0], str(store.path), *arguments[1:], "--json", str(out), "--min-clients", "1000"]
    assert run(call) == (ExitCode.CHECK_FAILED if arguments == ["check"] else ExitCode.OK)
    found = json.loads(out.read_text())
    assert not any(value for name, value in found.items() if isinstance(value, list) and name != "warnings")
    printed = capsys.readouterr()
    assert "about fewer than 1,000 clients" in printed.err
    assert "clean is below" not in printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["bugs"],
        ["jscore"],
        ["diagnose", "--client", "0000000000000001"],
        ["bugs", "--method", "paper"],
        ["hogs", "--method", "paper"],
    ],
    ids=" ".join,
)
def test_rows_about_single_clients_are_refused_not_left_out(
    arguments: list[str], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", arguments[0], str(store.path), *arguments[1:], "--min-clients", "2"]) == ExitCode.USAGE
    assert "--min-clients" in capsys.readouterr().err
