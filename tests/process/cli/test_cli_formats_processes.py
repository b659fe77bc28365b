"""The tests of tests/unit/cli/test_cli_formats.py that start processes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from support.command_line import NAVITAS
from test_cli_formats import GOLDEN

from navitas.errors import ExitCode


@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_pipe_has_many_names(target: str) -> None:
    """`-o >(gzip > file)` of a shell is `/dev/fd/63`, which leads to a pipe without a name."""
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
            except OSError:  # the terminal's end on Linux
                break
            if not piece:
                break
            said += piece
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == ExitCode.USAGE
        assert b"parquet is a binary format and does not go to a terminal" in said and b"PAR1" not in said


def test_naming_a_format_alone_imports_nothing_heavy() -> None:
    code = "import navitas.cli.options, sys; sys.exit('numpy' in sys.modules)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
