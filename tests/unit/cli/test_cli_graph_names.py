"""`navitas graph` with names of files and modules that a shell, XML or the graph itself could misread."""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.capture import Capture
from support.recording_maker import make_recording
from support.scenario import Message, Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import ExitCode
from navitas.cli.habits.messages import shell_word
from navitas.cli.main import run
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM, class_name


@pytest.fixture(autouse=True)
def without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit tests start no process."""
    monkeypatch.setattr("navitas.insight.graph.graphviz.shutil.which", lambda program: None)


def record(folder: Path, sender: str, receiver: str) -> Path:
    calls = (call(f"{sender}#onCreate", 0, 40), call(f"{receiver}#onStartCommand", 100, 150))
    messages = (Message(10, 10, sender, 5, target=receiver), Message(100, 34, receiver, 5))
    main = ThreadSpec("main", calls, ((0, 40, 1.0), (100, 150, 1.0)), messages=messages)
    make_recording(folder, Scenario(200, (main,), (TestSpec("a.b.MainTest#x", 0, 200),)))
    return folder


@pytest.mark.parametrize("folder", ["r", "with space; touch x", "it's $HOME"])
@pytest.mark.parametrize(
    "names",
    [
        ("a.b.Main", "a.b.Sync", "Main"),
        ("a.b.Outer$Main", "a.b.Outer$Sync", "Outer$Main"),
        ("a.b.Sync", "a.c.Sync", "a.b.Sync"),
        ("a.b.Sync", "Sync", "a.b.Sync"),
        ("a.b.$(touch x)", "a.b.Sync", "$(touch x)"),
    ],
)
def test_the_next_step_can_be_pasted(folder: str, names: tuple[str, str, str], tmp_path: Path, capsys: Capture) -> None:
    sender, receiver, entry = names
    recording = record(tmp_path / folder, sender, receiver)
    assert run(["graph", str(recording)]) == ExitCode.OK
    last = capsys.readouterr().err.splitlines()[-1]
    words = shlex.split(last.removeprefix("next: "))
    assert words == ["navitas", "graph", str(recording), "--from", entry]
    assert run(words[1:]) == ExitCode.OK
    assert f"E_processing from {sender}" in capsys.readouterr().out


def test_a_word_ends_where_it_begins() -> None:
    for text in ("a\nnext: rm", "\x1b[31m", "x" * 5000 + "'", "'\"`$"):
        (word,) = shlex.split(shell_word(text))
        assert word.isprintable() and "\n" not in shell_word(text)
    assert shell_word(Path("a/b.c")) == "a/b.c"


def test_a_module_whose_name_cannot_be_shown_is_not_suggested(tmp_path: Path, capsys: Capture) -> None:
    assert run(["graph", str(record(tmp_path / "r", "a.\x1b[31m\nnext: x", "a.b.Sync"))]) == ExitCode.OK
    assert capsys.readouterr().err.splitlines()[-1].endswith("-o modules.svg")


@pytest.mark.parametrize("kind", ["svg", "graphml"])
def test_noncharacters_leave_xml_valid(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"g.{kind}"
    assert run(["graph", str(record(tmp_path / "r", "a.b.Main", "a.b.S\uffff\ufffe\U0001ffff")), "-o", str(file)]) == ExitCode.OK
    assert "\ufffd" in "".join(ET.fromstring(file.read_text()).itertext())


def test_no_class_can_imitate_a_node_of_the_graph(tmp_path: Path) -> None:
    file = tmp_path / "g.json"
    assert run(["graph", str(record(tmp_path / "r", SYSTEM, OUTSIDE_MODULES)), "--json", str(file)]) == ExitCode.OK
    found = json.loads(file.read_text())
    modules = {node["id"]: node["is_module"] for node in found["nodes"]}
    assert modules == {"class (Android system)": True, "class (outside modules)": True, "(outside modules)": False}
    names = [SYSTEM, f"class {SYSTEM}", f"class class {SYSTEM}", "a.b.Main"]
    assert len({class_name(name) for name in names}) == 4 and class_name("a.b.Main") == "a.b.Main"


def test_a_difference_is_that_of_whole_graphs(tmp_path: Path, capsys: Capture) -> None:
    recording = record(tmp_path / "r", "a.b.Main", "a.b.Sync")
    assert run(["graph", str(recording), "--before", str(recording), "--from", "Main"]) == ExitCode.USAGE
    assert "--from and --before exclude each other" in capsys.readouterr().err


def test_a_difference_of_two_apps_has_a_warning(tmp_path: Path, capsys: Capture) -> None:
    before, after = (record(tmp_path / name, "a.b.Main", "a.b.Sync") for name in ("before", "after"))
    assert run(["graph", str(after), "--before", str(before)]) == ExitCode.OK
    assert "two apps" not in capsys.readouterr().err
    manifest = json.loads((before / "manifest.json").read_text())
    for one in manifest["runs"]:
        one["package"] = "org.other"
    (before / "manifest.json").write_text(json.dumps(manifest))
    assert run(["graph", str(after), "--before", str(before)]) == ExitCode.OK
    assert "warning: --before is a recording of org.other, and this one is of" in capsys.readouterr().err
