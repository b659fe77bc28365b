"""`navitas explain`: subjects, bounds, JSON, and the skill file."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from support.capture import Capture
from support.every_command import COMMANDS

from navitas.cli.main import run
from navitas.cli.report.explain import _bounded
from navitas.insight.explain.explanation import Explanation, ExplanationTable
from navitas.insight.verdict.next_step import NextStep
from navitas.insight.verdict.statement import Statement
from navitas.insight.verdict.verdict import EnergyVerdict

RECORDING = str(Path(__file__).parents[2] / "golden/recording-v1")


def explained(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = run(["explain", *arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "begin"),
    [
        ([], "Sorter.sort itself uses "),
        (["--method", "Sorter.merge"], "Sorter.merge uses "),
        (["--test", "withSort"], "Of 2 tests, SortTest#withSort uses the most: 40.9 "),
        (["--thread", "main"], "The largest part of the app's energy is used on the thread main"),
        (["--component", "cpu"], "While tests ran, the CPU used "),
    ],
)
def test_each_subject_is_explained(arguments: list[str], begin: str, capsys: Capture) -> None:
    code, out, _ = explained(capsys, RECORDING, *arguments)
    assert code == 0 and out.startswith(begin) and len(out) <= 4000
    assert "\nWhat to do\n" in out and "\nFigures\n" in out


@pytest.mark.parametrize(
    ("question", "arguments", "answer"),
    [
        ("which method?", [], "Sorter.sort itself uses 22.4 "),
        ("which thread?", [], "is used on the thread main: 40.8 "),
        ("when?", [], "of it is in SortTest#withSort, from "),
        ("how sure?", [], "share not known"),
        ("how sure?", [], "of the app's 50.1 mJ [8.47–542 mJ]"),
        ("when?", ["--method", "sort", "--limit", "10000"], "When, after the start of the test"),
        ("what changed?", ["--method", "sort"], f"navitas compare {RECORDING} NEW-RECORDING"),
        ("who calls it?", ["--method", "sort"], "Called by"),
    ],
)
def test_questions_are_answered(question: str, arguments: list[str], answer: str, capsys: Capture) -> None:
    _, out, _ = explained(capsys, RECORDING, *arguments)
    assert answer in out.replace("\u00a0", " "), question
    if not arguments:
        assert answer in "".join(out.splitlines()[:10]), "the answer is on the first screen"


def test_what_changed_since_an_earlier_recording_comes_first(capsys: Capture) -> None:
    code, out, _ = explained(capsys, RECORDING, "--before", RECORDING)
    assert code == 0 and out.replace("\u00a0", " ").startswith(
        f"No change of app energy since {RECORDING} can be shown: between -"
    )
    code, _, said = explained(capsys, RECORDING, "--before", RECORDING, "--method", "sort")
    assert code == 2 and "--before is about the whole recording" in said


def test_the_text_keeps_its_limit(capsys: Capture) -> None:
    code, out, _ = explained(capsys, RECORDING, "--limit", "600")
    assert code == 0 and len(out) <= 600 and out.endswith("\n")


def test_json_has_the_same_answer_within_the_limit(capsys: Capture) -> None:
    _, out, _ = explained(capsys, RECORDING, "--json", "-", "--limit", "100000")
    found = json.loads(out)
    assert list(found) == ["schema_version", "subject", "verdict", "figures", "tables", "next_steps"]
    assert found["verdict"]["statements"][0]["name"] == "org.example.Sorter.sort"
    assert found["tables"]["methods"]["rows"][0]["method"] == "org.example.Sorter.sort"
    _, shorter, _ = explained(capsys, RECORDING, "--json", "-", "--limit", "3500")
    assert len(shorter) <= len(out) and json.loads(shorter)["verdict"] == found["verdict"]
    assert json.loads(shorter)["tables"]["methods"]["more"] > 0


def test_json_cuts_names_but_no_commands() -> None:
    name = "x" * 100_000
    step = NextStep(("navitas", "explain", "RECORDING", "--method", "m" * 400), "")
    verdict = EnergyVerdict((Statement("method", name, "method", name),), (), step)
    table = ExplanationTable.of("tests", "Tests", ("test",), [(name,)] * 100)
    document = _bounded(Explanation("method", name, verdict, {"source": name}, (table,), (step,)), "rec", 4000)
    assert len(json.dumps(document, indent=2)) <= 4000
    assert document["subject"]["name"] == "x" * 299 + "…"
    assert document["next_steps"][0]["command"].endswith("m" * 400)
    assert 0 < len(document["tables"]["tests"]["rows"]) < 100


def test_a_file_gets_json_and_the_terminal_text(tmp_path: Path, capsys: Capture) -> None:
    code, out, _ = explained(capsys, RECORDING, "--thread", "main", "--json", str(tmp_path / "a.json"))
    assert code == 0 and "What to do" in out
    assert json.loads((tmp_path / "a.json").read_text())["subject"] == {"kind": "thread", "name": "main"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "RECORDING is missing"),
        ([RECORDING, "--method", "Sorter.srot"], "known are Sorter.sort"),
        ([RECORDING, "--test", "a", "--thread", "b"], "--test and --thread are different subjects"),
    ],
)
def test_wrong_usage_names_the_remedy(arguments: list[str], message: str, capsys: Capture) -> None:
    code, _, err = explained(capsys, *arguments)
    assert code == 2 and message in err


def test_the_skill_file_is_valid_and_its_commands_exist(capsys: Capture) -> None:
    code, text, _ = explained(capsys, "--skill")
    assert code == 0
    front = re.fullmatch(r"---\nname: ([a-z0-9-]{1,64})\ndescription: ([^\n:]{1,1024})\n---\n.*", text, re.DOTALL)
    assert front is not None and front[1] == "navitas"
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("       navitas ")]
    assert {words[1] for words in commands} == {"profile", "explain", "report", "compare"}
    for words in commands:
        known = {option for param in COMMANDS[words[1]].params for option in param.opts}
        assert {word for word in words if word.startswith("-") and word != "-"} <= known
