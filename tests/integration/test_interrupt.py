"""Ctrl-C and SIGTERM at any moment: all processes end, and the partial recording is kept and loadable."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Command, Ended, Run, Start
from support.faulty_project import faulty_project
from support.lab import Lab

from navitas.recording.recording_folder import reserve_folder

Bundle = tuple[object, ...]

# Prints a line when it runs, then waits.
WAITING_BUILD = """
task wait {
  doLast {
    file('building').text = ''
    Thread.sleep(600000)
  }
}
compileJava.dependsOn wait
"""


@pytest.fixture
def project(lab: Lab) -> Path:
    """The folder of the built project, in which no test has run."""
    return lab.bundles[0].working_dir


@pytest.fixture
def bundle(lab: Lab) -> Bundle:
    """The arguments that name its bundle."""
    return "--bundle", lab.bundles[0].path


def check_interrupted(command: Command, ended: Ended) -> None:
    assert ended.code == 130, ended.err
    assert "interrupted" in ended.err
    assert "Traceback" not in ended.out + ended.err
    command.check_nothing_left()


def reported(navitas: Run, recording: Path) -> dict[str, Any]:
    """The report of a partial recording."""
    assert json.loads((recording / "manifest.json").read_text())["state"] == "partial"
    done = navitas("report", recording, "--json", "-")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_interrupted_while_building(start_navitas: Start, gradle: str, tmp_path: Path) -> None:
    project = faulty_project(tmp_path / "project", WAITING_BUILD)
    command = start_navitas("profile", project, "-o", "out")
    command.wait_until((project / "building").exists)
    check_interrupted(command, command.interrupt())
    assert not (tmp_path / "out").exists()


@pytest.mark.extended
def test_killed_while_gradle_builds(start_navitas: Start, gradle: str, tmp_path: Path) -> None:
    project = faulty_project(tmp_path / "project", WAITING_BUILD)
    command = start_navitas("profile", project, "-o", "out")
    command.wait_until((project / "building").exists)
    assert command.interrupt(signal.SIGKILL).code == -signal.SIGKILL
    command.check_nothing_left()
    # The folder was locked before the build. A kill leaves only its lock file, which no process holds.
    assert [file.name for file in (tmp_path / "out").iterdir()] == [".lock"]
    with reserve_folder(tmp_path / "out"):
        pass


@pytest.mark.extended
def test_interrupted_while_the_phone_starts(start_navitas: Start, bundle: Bundle, tmp_path: Path) -> None:
    """On a phone that stays, test_signals.py has the stages."""
    command = start_navitas("profile", *bundle, "--tests", "*#waits", "-o", "out")
    command.wait_for_line("starting the virtual phone")
    check_interrupted(command, command.interrupt())
    # Before the signal arrives, the next stage may have begun.
    manifest = tmp_path / "out/manifest.json"
    assert not manifest.exists() or json.loads(manifest.read_text())["state"] == "partial"


def test_interrupted_while_tests_run(start_navitas: Start, navitas: Run, bundle: Bundle, project: Path, tmp_path: Path) -> None:
    command = start_navitas("profile", *bundle, "--tests", "*#waits", "-o", "out")
    command.wait_until((project / "waiting").exists)
    ended = command.interrupt()
    check_interrupted(command, ended)
    assert "partial recording kept" in ended.err
    found = reported(navitas, tmp_path / "out")
    (test,) = found["tests"]
    assert (test["method"], test["status"]) == ("waits", "cut")
    methods = {method["name"]: method for thread in test["threads"] for method in thread["methods"]}
    assert methods["burn"]["inclusive_j"] > 0
    assert methods["waits"]["cut"] == 1


@pytest.mark.extended
def test_killed_while_tests_run(start_navitas: Start, bundle: Bundle, project: Path) -> None:
    command = start_navitas("profile", *bundle, "--tests", "*#waits", "-o", "out")
    command.wait_until((project / "waiting").exists)
    assert command.interrupt(signal.SIGKILL).code == -signal.SIGKILL
    command.check_nothing_left()


# The command, with an analysis that does not end.
ENDLESS_ANALYSIS = """
import sys, time
from navitas.cli import main
from navitas.cli.profile import measuring
from navitas.cli.report import reporting
def load_profile(*_, **__):
    print("now", file=sys.stderr, flush=True)
    time.sleep(600)
reporting.load_profile = load_profile
main.main()
"""


@pytest.mark.extended
def test_interrupted_during_analysis(start_navitas: Start, navitas: Run, bundle: Bundle, tmp_path: Path) -> None:
    """The recording is complete, and its path is printed. A second signal at the process's end has no effect."""
    words = ("profile", *bundle, "--tests", "*#callsOften", "-o", "out")
    command = start_navitas("-c", ENDLESS_ANALYSIS, *words, program=sys.executable)
    command.wait_for_line("now")
    command.process.send_signal(signal.SIGTERM)
    command.wait_for_line("recording kept: out")
    check_interrupted(command, command.interrupt(signal.SIGTERM))
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["state"] == "complete"
    assert navitas("report", "out").code == 0


@pytest.mark.extended
def test_interrupted_twice(start_navitas: Start, bundle: Bundle, project: Path) -> None:
    command = start_navitas("profile", *bundle, "--tests", "*#waits", "-o", "out")
    command.wait_until((project / "waiting").exists)
    command.process.send_signal(signal.SIGINT)
    check_interrupted(command, command.interrupt())
