"""`navitas report --view`, and the options that belong to it; `--evidence`."""

from __future__ import annotations

import json

import pytest
from support.capture import Capture
from support.golden import GOLDEN

from navitas.base.errors import ExitCode
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.main import run


def report(*arguments: object) -> int:
    return run(["report", str(GOLDEN), *map(str, arguments)])


def test_views_replace_the_tables_in_the_given_order(capsys: Capture) -> None:
    assert report("--view", "tree", "--view", "top", "--view", "tree") == ExitCode.OK
    out = capsys.readouterr().out
    assert "Methods" not in out and 0 == out.index("main, cpu: ") < out.index("Apps, other processes and base")
    assert out.count("main, cpu: ") == 1


def test_json_has_the_views(capsys: Capture) -> None:
    assert report("--view", "timeline", "--resolution", "0.5", "--component", "cpu", "--json", "-") == ExitCode.OK
    views = json.loads(capsys.readouterr().out)["views"]
    assert list(views) == ["timeline"]
    first, second = views["timeline"]["runs"]
    assert first["step_ns"] == 500_000 and list(second["power_w"]) == ["cpu"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", 3], "--depth is about a view that is not requested: add --view tree"),
        (["--view", "top", "--resolution", 5], "--resolution is about a view that is not requested: add --view timeline"),
        (["--view", "top", "--thread", "main"], "add --view timeline or --view tree"),
        (["--component", "cpu"], "add --view top or --view timeline or --view tree"),
        (["--view", "tree", "--tree", "main"], "--tree is part of the usual report"),
        (["--view", "top", "--component", "cpuu"], "no component 'cpuu' in this recording: known are cpu"),
        (["--view", "tree", "--thread", "man"], "no thread 'man' in this recording: known are main"),
        (["--view", "timeline", "--resolution", "0.001", "--component", "cpu", "--thread", "x"], "no thread 'x'"),
        (["--view", "timeline", "--resolution", "nan"], "--resolution"),
        (["--view", "pie"], "--view"),
        (["--evidence", "hooks"], "--evidence"),
    ],
)
def test_wrong_options_are_named_with_the_remedy(arguments: list[object], message: str, capsys: Capture) -> None:
    assert report(*arguments) == ExitCode.USAGE
    err = " ".join(capsys.readouterr().err.split())
    assert all(part in err for part in message.split(": ")) and "Traceback" not in err


def test_evidence_reaches_the_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(
        "navitas.cli.report.command.load_profile", lambda _, settings, **__: seen.append(settings.evidence) or _stop()
    )
    for arguments in ([], ["--evidence", "model"]):
        with pytest.raises(KeyError):
            report(*arguments)
    assert seen == ["rails", "model"]
    assert ReportOptions().analysis.evidence == "rails"


def _stop() -> None:
    raise KeyError
