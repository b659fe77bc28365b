"""The tests of tests/unit/truth/test_truth_score.py that start processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_score_in_docs_covers_everything_that_is_scored() -> None:
    command = [sys.executable, str(Path(__file__).parents[2] / "accuracy" / "score.py"), "--write", "--interval", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--write needs all workloads" in done.stderr
