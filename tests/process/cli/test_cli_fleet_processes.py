"""The tests of tests/unit/cli/test_cli_fleet.py that start processes."""

from __future__ import annotations

import subprocess
import sys

from navitas.errors import ExitCode


def test_a_missing_package_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None; from navitas.cli.main import run; sys.exit(run(['fleet', 'simulate', 'x']))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == ExitCode.USAGE
    assert "the package pyarrow" in ended.stderr
    assert "pip install 'navitas[fleet]'" in ended.stderr
