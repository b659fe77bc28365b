"""The tests of tests/unit/cli/test_cli_formats.py that start processes."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from support.command_line import NAVITAS
from test_cli_formats import GOLDEN, report

import navitas
from navitas.base.errors import ExitCode, NavitasError
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.main import run
from navitas.cli.profile.measuring import report_outcome
from navitas.cli.report.formats import ReportFile
from navitas.report import registry
from navitas.report.registry import format_names


@pytest.mark.parametrize(
    "target", ["/dev/fd/1", *(pytest.param(path, marks=pytest.mark.extended) for path in ("/dev/stdout", "/proc/self/fd/1"))]
)
def test_a_pipe_can_be_named_by_dev_fd(target: str) -> None:
    """A shell replaces `-o >(gzip > file)` by `/dev/fd/63`, which is an unnamed pipe."""
    command = [str(NAVITAS), "report", str(GOLDEN), "--format", "parquet", "-o", target]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == ExitCode.OK, done.stderr.decode()
    assert done.stdout.startswith(b"PAR1")


def test_a_binary_format_does_not_go_to_a_terminal() -> None:
    for target in ("-", "/dev/stdout"):
        child, terminal = pty.fork()
        if not child:
            os.execv(NAVITAS, [str(NAVITAS), "report", str(GOLDEN), "--format", "parquet", "-o", target])
        said = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # The end of a terminal on Linux.
                break
            if not piece:
                break
            said += piece
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == ExitCode.USAGE
        assert b"parquet is a binary format and cannot go to a terminal" in said and b"PAR1" not in said


def test_parsing_a_format_imports_nothing_heavy() -> None:
    code = "import navitas.cli.habits.shared_options, sys; sys.exit('numpy' in sys.modules)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


@pytest.mark.parametrize("arguments", [["report", str(GOLDEN), "-o", "x.json"], ["doctor", "--help"], ["report", str(GOLDEN)]])
def test_commands_work_with_damaged_entry_points_of_a_package(tmp_path: Path, arguments: list[str]) -> None:
    """When pydantic creates its first model, it searches the entry points of all packages for plugins."""
    package = tmp_path / "damaged-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: damaged\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[anything]\nno entry\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([NAVITAS, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
