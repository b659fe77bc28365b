"""Names in a recording are untrusted. They can't break a report, inflate it, or control the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.big_recording import make_deep_recording
from support.recording_maker import make_recording
from support.reports import data_of, printed, text_of
from support.scenario import Scenario, TestSpec, ThreadSpec, call

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.report import collapsed, json_report, speedscope
from navitas.report.bounded_stacks import DEEPER, MAX_DEPTH
from navitas.report.terminal.terminal_report import TerminalReport

EVIL = "<script>'\"&; [bold red]x[/] %s %d {0} \\ \r\n\t\x1b[2J\x07\x9b \u202e\u2028\ufeff é😀 }, {"
NAMES = [EVIL, "n" * 4096, "", " ", ";", "😀" * 1000]
CLASS = "a.b." + EVIL.replace("#", "")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    methods = [f"{CLASS}#{name}" for name in NAMES]
    nested = call(methods[0], 20, 900, *(call(name, 30 + 50 * i, 60 + 50 * i) for i, name in enumerate(methods[1:])))
    scenario = Scenario(
        1000,
        threads=tuple(
            ThreadSpec(name, (nested,) if i < 3 else (), busy=((10, 950, 0.5),), cpu=i % 4) for i, name in enumerate(NAMES)
        ),
        tests=tuple(TestSpec(f"{CLASS}#{name}", 10 + 150 * i, 150 + 150 * i) for i, name in enumerate(NAMES)),
    )
    folder: Path = tmp_path_factory.mktemp("names") / "rec"
    make_recording(folder, scenario)
    return navitas.load(folder)


def test_names_cannot_send_control_sequences_to_the_terminal(made: Profile) -> None:
    text = "".join(printed(TerminalReport(tree=EVIL), made, width) for width in (60, 120))
    assert all(char == "\n" or char.isprintable() or char in " \u00a0" for char in text)
    assert "[bold red]x[/]" in text
    assert "\\u001b" in text and "\\u202e" in text
    assert len(text) < 200_000


def test_json_contains_names_unchanged(made: Profile) -> None:
    text = text_of(json_report.write, made)
    assert text.isascii()
    report = json.loads(text)
    assert {test["method"] for test in report["tests"]} == set(NAMES)
    threads = [thread for test in report["tests"] for thread in test["threads"]]
    assert {EVIL, "n" * 4096} <= {thread["name"] for thread in threads}
    assert {method["name"] for thread in threads for method in thread["methods"]} == set(NAMES)


def test_names_cannot_break_flame_graph_files(made: Profile) -> None:
    names = [frame["name"] for frame in data_of(speedscope.write, made)["shared"]["frames"]]
    assert all(name.isprintable() and len(name) <= 1000 for name in names)
    lines = text_of(collapsed.write, made).split("\n")
    assert lines.pop() == "" and len(lines) > 10
    for line in lines:
        stack, _, weight = line.rpartition(" ")
        assert weight.isdigit() and all(stack.split(";")) and line.isprintable()


def test_very_deep_stacks_are_truncated_with_a_note(tmp_path: Path) -> None:
    make_deep_recording(tmp_path / "rec", 50_000)
    made = navitas.load(tmp_path / "rec")
    lines = text_of(collapsed.write, made).splitlines()
    assert max(line.count(";") for line in lines) == MAX_DEPTH + 1
    deeper = [line for line in lines if f";{DEEPER} " in line]
    assert len(deeper) == 1
    main = next(thread for thread in made.tests[0].threads if thread.name == "main")
    total_uj = sum(int(line.rpartition(" ")[2]) for line in lines if line.startswith("main"))
    assert abs(total_uj - 1e6 * main.energy_j) <= 1 + len(lines)
    assert printed(TerminalReport(tree="main"), made).count("\n") < 100
