"""The tests of tests/unit/capture/build/test_project_lock.py that start processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_project_lock import cache

from navitas.cli.workflows.building import lock_file, project_lock

HOLD = """
import sys
from pathlib import Path
from navitas.cli.workflows.building import project_lock
with project_lock(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_profiling_of_the_project_waits(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "link").symlink_to("project")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(project)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdin is not None and holder.stdout is not None and holder.stdout.readline() == b"held\n"
    waits = []

    def on_wait() -> None:
        waits.append(True)
        assert holder.stdin is not None
        holder.stdin.close()

    with project_lock(tmp_path / "link", on_wait):
        assert holder.wait(60) == 0 and waits == [True]
        assert lock_file(project).read_text() == f"{os.getpid()}\n"
    holder.stdout.close()
    assert not list(tmp_path.glob("cache/**/*.lock"))
