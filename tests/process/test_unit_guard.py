"""A unit test that starts a process fails, even if its code catches the error. Other unit tests pass."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

UNIT = Path(__file__).parents[1] / "unit"
STARTS = {
    "subprocess": "import subprocess\n    subprocess.run(['true'])",
    "system": "import os\n    os.system('true')",
    "fork": "import os\n    os.fork() or os._exit(0)",
    "spawn": "import os\n    os.posix_spawn('/bin/true', ['true'], {})",
    "multiprocessing": "import multiprocessing as m\n    m.get_context('spawn').Process(target=print).start()",
    "caught": "import subprocess\n    try:\n        subprocess.run(['true'])\n    except OSError:\n        pass",
}


def test_unit_tests_that_start_a_process_fail_and_no_others(tmp_path: Path) -> None:
    """One run of pytest below a copy of the guard."""
    (tmp_path / "conftest.py").write_text((UNIT / "conftest.py").read_text("utf-8"))
    bodies = {**STARTS, "nothing": "assert True"}
    (tmp_path / "test_it.py").write_text("".join(f"def test_{name}():\n    {body}\n" for name, body in bodies.items()))
    options = ["-q", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(tmp_path)]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(UNIT.parent), "PATH": "/usr/bin:/bin"},
    )
    refused = set(re.findall(r"^(?:FAILED|ERROR) test_it\.py::test_(\w+)", ended.stdout, re.MULTILINE))
    assert refused == set(STARTS), ended.stdout
    assert "PASSED test_it.py::test_nothing" in ended.stdout
    assert len(re.findall(r"starts a process .*: move it to tests/process", ended.stdout)) >= len(STARTS), ended.stdout
