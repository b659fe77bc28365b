"""The tests of tests/unit/cli/test_cli_fleet.py that start processes."""

from __future__ import annotations

import subprocess
import sys

from navitas.base.errors import ExitCode


def test_a_missing_package_is_named_with_a_command_that_installs_it() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None; from navitas.cli.main import run; sys.exit(run(['fleet', 'simulate', 'x']))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == ExitCode.USAGE
    assert "the package pyarrow" in ended.stderr
    assert "pip install" in ended.stderr and "'pyarrow>=17'" in ended.stderr and "duckdb" in ended.stderr
