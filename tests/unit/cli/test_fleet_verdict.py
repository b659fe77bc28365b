"""The line about one app's verdict, and what is printed if there is nothing to diagnose."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from support.fleet_samples import json_lines, row

from navitas.base.errors import ExitCode
from navitas.cli.fleet.hogs import verdict_paragraph
from navitas.cli.main import run
from navitas.fleet.diagnoses.advice import app_actions
from navitas.fleet.diagnoses.diagnosis import Diagnoses
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import Claim, Hogs
from navitas.fleet.findings.results import AppRow
from navitas.fleet.stages import Fleet

_ROW = {"app": "org.a", "clients": 126, "contrasted_clients": 40, "extra_percent_h": 0.04, "extra_low_percent_h": -0.09}


@pytest.mark.parametrize(
    ("claim", "more", "line"),
    [
        (
            Claim.UNCLEAR,
            {"drains_below_percent_h": 0.17},
            "org.a: unclear; it drains less than 0.17 %/h; extra +0.04 (-0.09 – 0.17) %/h, 126 clients; clean is below 0.16 %/h",
        ),
        (
            Claim.PARTNER,
            {"runs_with": "org.b"},
            "org.a: not separable from another app; extra +0.04 (-0.09 – 0.17) %/h, 126 clients; clean is below 0.16 %/h; "
            "it runs along with org.b",
        ),
        (
            Claim.FEW,
            {"clients": 1, "contrasted_clients": 1},
            "org.a: not judged: too few clients; 1 client, and 1 client of the three that are needed, with half an hour both "
            "with it and without it",
        ),
        (
            Claim.SCREEN,
            {"extra_percent_h": None},
            "org.a: not separable from the screen; 126 clients; it runs just when the screen is on. Samples with screen_on_s may "
            "show it",
        ),
        (
            Claim.SHORT,
            {},
            "org.a: not judged: it runs too briefly; 126 clients; its runs are far shorter than the time between samples. "
            "Samples with running_s would show it",
        ),
    ],
)
def test_the_line_of_a_verdict(claim: Claim, more: dict[str, object], line: str) -> None:
    values = dict.fromkeys(AppRow.columns()) | _ROW | {"extra_high_percent_h": 0.17, "verdict": str(claim)} | more
    shown = verdict_paragraph(AppRow(**values), 0.16)  # type: ignore[arg-type]
    assert shown.text.replace("\N{NO-BREAK SPACE}", " ") == line


def test_an_app_that_is_neither_a_hog_nor_has_bugs_has_a_kind_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    hogs = cast("Hogs", SimpleNamespace(app=np.arange(4), is_hog=np.array([True, False, False, False])))
    bugs = cast("Bugs", SimpleNamespace(app=np.array([0, 1])))
    action = SimpleNamespace(less=SimpleNamespace(ends=None))
    finding = SimpleNamespace(rate=1.0, actions=[action], node=SimpleNamespace(effect=action.less))
    diagnoses = cast("Diagnoses", SimpleNamespace(found={app: SimpleNamespace(findings=[finding]) for app in range(3)}))
    monkeypatch.setattr("navitas.fleet.diagnoses.advice._row", lambda subject, *_: (subject.app, subject.kind))
    found = app_actions(cast("Fleet", SimpleNamespace(app_names=dict(enumerate("abcd")))), hogs, bugs, diagnoses)
    assert found == [("a", "hog"), ("b", "bugs"), ("c", "app")]  # type: ignore[comparison-overlap]


def test_a_fleet_in_which_no_app_can_be_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, out = tmp_path / "store", tmp_path / "r.json"
    rows = [row("one", 1_700_000_000 + 900 * i, 90 - i, apps=["org.a"]) for i in range(9)]
    rows.append(row("one", 1_700_900_000, 90, state="charging", apps=["org.b"]))
    assert run(["fleet", "ingest", str(store), str(json_lines(tmp_path / "a.jsonl", rows))]) == ExitCode.OK
    capsys.readouterr()
    for command in ("hogs", "diagnose"):
        assert run(["fleet", command, str(store)]) == ExitCode.OK
        assert "No app can be judged yet." in capsys.readouterr().out
        assert run(["fleet", command, str(store), "--app", "org.a", "--json", str(out)]) == ExitCode.OK
        assert "org.a: not judged: " in capsys.readouterr().out
        assert json.loads(out.read_text())["verdicts"][0]["app"] == "org.a"
        assert run(["fleet", command, str(store), "--app", "org.b"]) == ExitCode.TROUBLE
        assert "no client runs org.b while its battery discharges" in capsys.readouterr().err
