"""The tests of tests/unit/analyze/test_load.py that start processes."""

from __future__ import annotations

import subprocess
import sys


def test_the_package_is_imported_without_numpy() -> None:
    code = "import navitas, sys; assert 'numpy' not in sys.modules; assert callable(navitas.load) and 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
