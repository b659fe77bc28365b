"""The tests of tests/unit/cli/test_cli_main.py that start processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN
from support.interruptible import interruptible

import navitas
from navitas.base.errors import ExitCode, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.main import COMMANDS, run
from navitas.cli.profile.measuring import report_outcome
from navitas.cli.report.formats import ReportFile


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--granularity", "test", "--baseline"], "--granularity test has none"),
        (["--granularity", "class", "--mode", "tick"], "--granularity class records none"),
        (["--granularity", "test", "--tree", "main"], "--tree shows calls"),
        (["--granularity", "class", "--collapsed", "x"], "--collapsed shows calls"),
        (["--granularity", "block", "--baseline"], "--granularity block has none"),
        (["--granularity", "block", "--mode", "tick"], "--granularity block records none"),
        (["--granularity", "block", "--record", "hooks"], "--granularity block records no calls"),
        (["--granularity", "block", "--speedscope", "x"], "--speedscope shows calls"),
        (["--include", "a.b.C#m"], "methods can only be excluded"),
        (["--exclude", "a.b.C#"], "'a.b.C#' does not name a method"),
        (["--exclude", "a.b.C#m(int)"], "does not name a method"),
        (["--exclude", "#m"], "is not a class name pattern"),
        (["--exclude", ""], "'' is not a class name pattern"),
    ],
)
def test_contradicting_options_are_refused_before_the_build(
    arguments: list[str], message: str, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "build.gradle").touch()
    assert run(["profile", str(tmp_path), *arguments]) == ExitCode.USAGE
    error, remedy = capsys.readouterr().err.strip().splitlines()
    assert message in error and remedy.strip()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["profile", "/nonexist"], "PROJECT: /nonexist: No such file"),
        (["profile", "{here}"], "not a Gradle project"),
        (["profile", "{here}/sample", "--phone", "nope"], "no phone named 'nope'"),
        (["profile", "{here}/sample", "--power-profile", "nope"], "no power profile 'nope'"),
        (["power", "show", "nope"], "no power profile 'nope'"),
    ],
)
def test_missing_files_are_usage_errors_before_the_build(
    arguments: list[str], said: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample/build.gradle").touch()
    assert run([text.format(here=tmp_path) for text in arguments]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert said in error and "building" not in error


def test_a_command_imports_only_what_it_needs() -> None:
    """What `navitas --help` and `navitas report` take is mostly imports."""
    unused = {
        "navitas.capture.collect",
        "navitas.fleet.engine",
        "navitas.insight.compare",
        "navitas.insight.explain",
        "navitas.insight.graph",
        "navitas.insight.history",
        "navitas.virtual_phone",
        "navitas.recording.importing",
        "navitas.recording.writer",
    }
    unused |= {"adbutils", "axml", "demangle", "duckdb", "jinja2", "pandas", "py4j", "pyarrow", "scipy", "sklearn"}
    unused |= {"numpy.f2py", "numpy.polynomial", "numpy.random", "numpy.testing", "rich._emoji_codes", "rich.progress"}
    unused |= {"google.protobuf.text_format", "rich.status"}
    for arguments, also in (
        (["--help"], {"lxml", "navitas.energy", "numpy", "pydantic", "rich"}),
        (["report", str(GOLDEN)], set()),
    ):
        code = (
            f"import sys; from navitas.cli.main import run; assert run({arguments!r}) == 0;"
            f"sys.exit(' '.join({unused | also!r} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert (arguments[0], done.stderr.strip()) == (arguments[0], "")


def test_a_closed_pipe_is_not_an_error() -> None:
    code = (
        f"from navitas.cli.main import main; import sys; sys.argv = ['navitas', 'report', {str(GOLDEN)!r}, '--json', '-']; main()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == ExitCode.OK


@pytest.mark.parametrize("command", ["profile", "demo"])
def test_a_recording_in_use_is_refused_before_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build.gradle").touch()
    (tmp_path / "gradle").write_text("#!/bin/sh\ntouch built\nexit 1\n")
    (tmp_path / "gradle").chmod(0o755)
    (tmp_path / "rec").mkdir()
    other = FolderLock(tmp_path / "rec" / ".lock")
    assert other.acquire()
    try:
        arguments = [command, *(["."] if command == "profile" else []), "--gradle", str(tmp_path / "gradle"), "-o", "rec"]
        assert run(arguments) == 4
    finally:
        other.release()
    said = capsys.readouterr().err
    assert "another profiling" in said and f"process {os.getpid()}" in said and "building" not in said
    assert not list(tmp_path.rglob("built"))
    assert run(arguments) == 4, "the build is tried"
    assert not (tmp_path / "rec" / ".lock").exists() and "build failed" in capsys.readouterr().err


def test_closed_streams_that_are_needed_are_reported(tmp_path: Path) -> None:
    navitas = [sys.executable, "-c", "from navitas.cli.main import main; main()"]
    for line, word in (
        (f"report {GOLDEN} --json - >&-", "standard output is closed"),
        ("profile --end-with-stdin <&-", "standard input is closed"),
    ):
        shell = ["sh", "-c", f'"$@" {line}', "sh", *navitas]
        done = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == ExitCode.USAGE, done.stderr
        assert word in done.stderr and "Traceback" not in done.stderr


LOSES_ITS_INTERRUPT = """
import os, signal, sys, time
from navitas.cli import main

class Finalized:
    def __del__(self):  # Exceptions of finalizers are lost.
        os.kill(os.getpid(), signal.Signals[sys.argv[1]])
        time.sleep(60)

def works(*arguments, **options):
    Finalized()
    time.sleep(60)

main.cli.main = works
main.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_arrives_in_a_finalizer_ends_the_command(number: signal.Signals) -> None:
    command = [sys.executable, "-c", LOSES_ITS_INTERRUPT, number.name]
    with interruptible():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130 and "Traceback" not in done.stderr, done.stderr


IMPORTED = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.2)
print("imported")
"""
INTERRUPTED_IMPORT = """
import time
from navitas.cli import main

def works(*arguments, **options):
    import interrupted_module
    time.sleep(60)

main.cli.main = works
main.main()
"""


def test_a_signal_during_an_import_ends_the_command_after_it(tmp_path: Path) -> None:
    (tmp_path / "interrupted_module.py").write_text(IMPORTED)
    with interruptible():
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False, cwd=tmp_path
        )
    assert (done.returncode, done.stdout) == (130, "imported\n"), done.stderr
