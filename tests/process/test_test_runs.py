"""Programs of `make test`: one run at a time, no process left behind, and a summary of what took the time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import eventually
from support.host import has_ended

CI = Path(__file__).resolve().parents[2] / ".ci"
# Starts a process that outlives it, as daemons do, and writes its id when it has a session of its own.
LEAVES = "setsid sleep 600 >/dev/null 2>&1 & until grep -qs ^sleep /proc/$!/cmdline; do sleep 0.05; done; echo $! > left"

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    shutil.copy(CI / "alone", tmp_path / ".ci")
    return tmp_path


@pytest.fixture
def start(checkout: Path) -> Iterator[Start]:
    """Starts a run of a shell command. Ends what a failed test leaves."""
    started: list[subprocess.Popen[str]] = []

    def begin(command: str) -> subprocess.Popen[str]:
        line = [sys.executable, str(checkout / ".ci/alone"), "sh", "-c", command]
        started.append(subprocess.Popen(line, stderr=subprocess.PIPE, text=True, start_new_session=True))
        return started[-1]

    yield begin
    for run in started:
        run.kill()
    if (checkout / "left").is_file() and not has_ended(left(checkout)):
        os.kill(left(checkout), signal.SIGKILL)


def left(checkout: Path) -> int:
    """The id of the process that a command has left."""
    return int((checkout / "left").read_text())


def test_a_run_ends_what_it_leaves_and_has_the_exit_code_of_its_command(checkout: Path, start: Start) -> None:
    run = start(f"{LEAVES}; exit 3")
    _, said = run.communicate()
    assert run.returncode == 3
    assert f"ending process {left(checkout)} that the tests left: sleep 600" in said
    assert has_ended(left(checkout))


def test_the_next_run_cleans_up_after_a_killed_one(checkout: Path, start: Start) -> None:
    unfinished = checkout / ".android-sdk" / "part-1"
    unfinished.mkdir(parents=True)
    killed = start(f"{LEAVES}; sleep 600")
    assert eventually(lambda: (checkout / "left").is_file() and (checkout / "left").read_text().strip() != "")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not has_ended(left(checkout))
    unfinished.mkdir(exist_ok=True)
    _, said = start("true").communicate()
    assert "of an earlier run that was killed: sleep 600" in said
    assert has_ended(left(checkout)) and not unfinished.exists()


def test_a_second_run_waits_for_the_first(checkout: Path, start: Start) -> None:
    first = start("touch begun; until [ -e go ]; do sleep 0.05; done; touch first")
    assert eventually((checkout / "begun").exists)
    second = start("test -e first")
    assert second.stderr is not None and "waiting for its end" in second.stderr.readline()
    (checkout / "go").touch()
    assert second.wait() == 0 and first.wait() == 0


def test_a_terminated_run_ends_its_command(checkout: Path, start: Start) -> None:
    run = start("touch begun; exec sleep 600")
    assert eventually((checkout / "begun").exists)
    run.terminate()
    assert run.wait() == 128 + signal.SIGTERM


def test_the_command_inherits_the_jobs_of_make(checkout: Path) -> None:
    jobs, other = os.pipe()
    command = [sys.executable, checkout / ".ci/alone", "test", "-e", f"/proc/self/fd/{jobs}"]
    assert subprocess.run(command, pass_fds=[jobs], check=False).returncode == 0
    os.close(jobs)
    os.close(other)


PYTEST = """<testsuites><testsuite name="pytest">
<testcase classname="tests.e2e.test_a" name="test_one" time="10.0">
<properties><property name="fixture" value="phone 8.00" /></properties></testcase>
<testcase classname="tests.unit.test_b" name="test_two" time="1.0"><skipped message="no jq" /></testcase>
</testsuite></testsuites>"""
SUREFIRE = '<testsuite name="p.ATest"><testcase classname="p.ATest" name="works" time="3.0" /></testsuite>'


def test_the_summary_has_places_tests_fixtures_and_skips(tmp_path: Path) -> None:
    (tmp_path / "test.xml").write_text(PYTEST)
    reports = tmp_path / "java/core/target/surefire-reports"
    reports.mkdir(parents=True)
    (reports / "TEST-p.ATest.xml").write_text(SUREFIRE)
    command = [sys.executable, str(CI / "slowest"), "test.xml", "java", "gone.xml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "without the tests of gone.xml" in done.stderr
    rows = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line.startswith(" ")]
    assert rows == [
        ["10.0", "tests/e2e"],
        ["3.0", "java/core"],
        ["1.0", "tests/unit"],
        ["8.0", "fixture phone, first for e2e.test_a::test_one"],
        ["3.0", "p.ATest::works"],
        ["2.0", "e2e.test_a::test_one"],
        ["1.0", "unit.test_b::test_two"],
        ["1", "no jq"],
    ]
