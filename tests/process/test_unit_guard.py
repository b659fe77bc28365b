"""A unit test that starts a process fails, even if its code catches the error. Other unit tests pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[1] / "unit"
STARTS = {
    "subprocess": "import subprocess\n    subprocess.run(['true'])",
    "os.system": "import os\n    os.system('true')",
    "fork": "import os\n    os.fork() or os._exit(0)",
    "spawn": "import os\n    os.posix_spawn('/bin/true', ['true'], {})",
    "multiprocessing": "import multiprocessing as m\n    m.get_context('spawn').Process(target=print).start()",
    "caught": "import subprocess\n    try:\n        subprocess.run(['true'])\n    except OSError:\n        pass",
}


def outcome(folder: Path, body: str) -> str:
    """Return pytest's output for a test with this body below a copy of the guard."""
    (folder / "conftest.py").write_text((UNIT / "conftest.py").read_text("utf-8"))
    (folder / "test_it.py").write_text(f"def test_it():\n    {body}\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--rootdir",
        str(folder),
        str(folder),
    ]
    environment = {"PYTHONPATH": str(UNIT.parent), "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
    return ended.stdout


@pytest.mark.parametrize("name", STARTS)
def test_a_unit_test_that_starts_a_process_fails(name: str, tmp_path: Path) -> None:
    said = outcome(tmp_path, STARTS[name])
    assert "1 passed" not in said or "1 error" in said, said
    assert "tests/process" in said, said


def test_a_unit_test_that_starts_no_process_passes(tmp_path: Path) -> None:
    assert "1 passed" in outcome(tmp_path, "assert True")
