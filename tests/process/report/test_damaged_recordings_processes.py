"""The tests of tests/unit/report/test_damaged_recordings.py that start processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[2] / "fuzz" / "damaged_recordings.py"


@pytest.mark.parametrize("seeds", [6, pytest.param(16, marks=pytest.mark.extended)])
def test_damaged_recordings_have_valid_reports(seeds: int, tmp_path: Path) -> None:
    """A short run of `make damage` in a new process, since the address space of its children is limited."""
    command = [sys.executable, str(HARNESS), "--count", str(seeds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    ended = dict(re.findall(r"'(report|error 4)': (\d+)", done.stdout))
    assert set(ended) == {"report", "error 4"}
    assert sum(map(int, ended.values())) == seeds
