"""An app's drain by version and week: a release that drains more is found where and when it came."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from support.fleet_samples import json_lines, row
from support.open_fleet import fleet_of

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.diagnoses.app_drains import DrainRow, drains_of
from navitas.fleet.diagnoses.drain_changes import check_versions
from navitas.fleet.diagnoses.weeks import monday_of, week_of
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.page.answer import app_statements
from navitas.fleet.store import Store, find_app

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
WEEKS, RELEASE = 6, 3
BASE_PERCENT_H, MORE_PERCENT_H = 2.0, 4.0


def _rows(client: int) -> list[dict[str, object]]:
    """Hourly samples over six weeks. From the fourth week on, version 2 drains more than version 1, which drains nothing."""
    chance = np.random.default_rng(client)
    rows, level = [], 90.0
    runs = np.repeat(chance.random(WEEKS * 7 * 8) < 0.5, 3)
    for hour in range(len(runs)):
        is_new = hour >= RELEASE * 7 * 24
        time = int((BEGIN + timedelta(hours=hour)).timestamp())
        ran = runs[max(hour - 1, 0) : hour + 1].mean()
        level -= BASE_PERCENT_H + chance.normal(0, 0.1) + (MORE_PERCENT_H * ran if is_new else 0.0)
        level = 90.0 if level < 10 else level
        apps = ["b@1", *([f"a@{1 + is_new}"] if runs[hour] else [])]
        rows.append(row(f"phone-{client}", time, round(level, 3), apps=apps, model=f"Model {client % 2}", os="14"))
    return rows


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[DrainRow], list[tuple[float | None, ...]]]:
    """The drains of the app, and the changes that `fleet check` shows for its versions."""
    folder = tmp_path_factory.mktemp("fleet")
    samples = json_lines(folder / "s.jsonl", [one for client in range(8) for one in _rows(client)])
    assert run(["fleet", "ingest", str(folder / "store"), str(samples)]) == ExitCode.OK
    store = Store.open(folder / "store")
    fleet = fleet_of(store)
    hogs = find_hogs(fleet)
    bugs, app = find_bugs(fleet, hogs), find_app(store, "a", fleet.app_names)
    checks = check_versions(fleet, hogs, bugs, np.array([app]), 0.0)
    return drains_of(fleet, hogs, bugs, app), [(one.more_percent_h, one.more_low_percent_h) for one in checks]


def test_weeks_begin_on_monday() -> None:
    days = np.array([0, 3, 4, 10, 11]) * 86_400
    assert [monday_of(week) for week in week_of(days).tolist()] == [
        "1969-12-29", "1969-12-29", "1970-01-05", "1970-01-05", "1970-01-12",
    ]  # fmt: skip


def test_each_week_has_its_drain_also_across_months(found: tuple[list[DrainRow], object]) -> None:
    weeks = [one for one in found[0] if one.by == "week"]
    mondays = [str((BEGIN + timedelta(weeks=number)).date()) for number in range(WEEKS)]
    assert [one.value for one in weeks] == mondays and [one.before for one in weeks] == [None, *mondays[:-1]]
    truth = [0.0] * RELEASE + [MORE_PERCENT_H] * (WEEKS - RELEASE)
    for number, (one, drain) in enumerate(zip(weeks, truth, strict=True)):
        assert one.clients == 8
        assert one.extra_percent_h == pytest.approx(drain, abs=0.6), one
        grows = one.more_low_percent_h is not None and one.more_low_percent_h > 0.5
        assert grows == (number == RELEASE)


def test_versions_have_the_changes_of_the_check(found: tuple[list[DrainRow], list[tuple[float, float]]]) -> None:
    drains, checks = found
    versions = [one for one in drains if one.by == "version"]
    assert [(one.value, one.before) for one in versions] == [("1", None), ("2", "1")]
    assert [(one.more_percent_h, one.more_low_percent_h) for one in versions[1:]] == checks
    assert {one.by: one.before for one in drains if one.by in ("model", "os")} == {"model": None, "os": None}
    assert [one.value for one in drains if one.by == "model"] == ["Model 0", "Model 1"]


def test_sentences_say_what_a_release_changed(found: tuple[list[DrainRow], object]) -> None:
    drains = found[0]
    assert next(app_statements("2", drains, [], [])).startswith("Version 2 drains more than 1: +")
    assert next(app_statements("2", drains, [], [])).endswith("It drains since version 2.")
    last = next(one for one in drains if (one.by, one.value) == ("version", "2"))
    less = replace(last, more_percent_h=-1.0, more_low_percent_h=-2.0, more_high_percent_h=-0.5)
    assert next(app_statements(None, [less], [], [])).startswith("Version 2 drains less than 1: -1.00")
    unknown = replace(last, more_low_percent_h=-1.0)
    assert next(app_statements(None, [unknown], [], [])).startswith("It is not known whether version 2 drains more than 1")
    assert "no version before it" in next(app_statements(None, [replace(last, before=None)], [], []))
    assert next(app_statements(None, [], [], [])).startswith("Its versions cannot be compared")


def test_a_page_of_an_unknown_app_or_of_too_few_clients_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = json_lines(tmp_path / "s.jsonl", [one for client in range(3) for one in _rows(client)[:200]])
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(samples)]) == ExitCode.OK
    call = ["fleet", "report", str(tmp_path / "store"), "-o", str(tmp_path / "x.html"), "--app"]
    capsys.readouterr()
    assert run([*call, "missing"]) == ExitCode.TROUBLE
    assert "no sample has the app missing" in capsys.readouterr().err
    assert run([*call, "a", "--min-clients", "20"]) == ExitCode.USAGE
    assert "3 clients run a: fewer than --min-clients" in capsys.readouterr().err
    assert run([*call, "a", "--client", "phone-1"]) == ExitCode.USAGE
    assert "--app and --client exclude each other" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
    assert run([*call, "a"]) == ExitCode.OK


def test_an_app_that_always_runs_has_no_drains_and_no_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its contrasts are rounding errors: they were millions of %/h."""
    samples = json_lines(tmp_path / "s.jsonl", [one for client in range(4) for one in _rows(client)[:200]])
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(samples)]) == ExitCode.OK
    capsys.readouterr()
    call = ["fleet", "report", str(tmp_path / "store"), "--app", "b", "-o", str(tmp_path / "b.html")]
    assert run([*call, "--json", str(tmp_path / "b.json")]) == ExitCode.OK
    assert "b: not judged: it always runs" in capsys.readouterr().out
    written = json.loads((tmp_path / "b.json").read_text())
    assert written["drains"] == written["actions"] == []
    assert run(["fleet", "diagnose", str(tmp_path / "store"), "--app", "b"]) == ExitCode.OK
    assert "%/h" not in capsys.readouterr().out
