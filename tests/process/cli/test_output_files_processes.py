"""The tests of tests/unit/cli/test_output_files.py that start processes."""

from __future__ import annotations

import subprocess
import sys


def test_an_error_of_a_device_is_not_reported_as_a_pipe() -> None:
    """Opens `/dev/tty` in a process without a terminal."""
    code = "from pathlib import Path; from navitas.cli.habits.files import write_to; write_to(Path('/dev/tty'), print)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, start_new_session=True, check=False)
    assert "No such device or address: '/dev/tty'" in done.stderr and "no process reads" not in done.stderr, done.stderr
