"""The tests of tests/unit/base/test_new_files.py that start processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from navitas.base.new_files import is_leftover, remove_leftovers

KILLED = """
import os, sys
from pathlib import Path
from navitas.base.new_files import new_file
with new_file(Path(sys.argv[1])):
    os.kill(os.getpid(), 9)
"""


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "file")], check=False)
    (left,) = tmp_path.iterdir()
    assert is_leftover(left)
    for name in ("file.part", ".file.part", ".part", f"{left.name}x"):
        (tmp_path / name).touch()
        assert not is_leftover(tmp_path / name)
    remove_leftovers(tmp_path)
    assert not left.exists() and len(list(tmp_path.iterdir())) == 4
    remove_leftovers(tmp_path / "missing")
