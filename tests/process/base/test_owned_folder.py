"""The next process removes temporary folders of killed processes, and no other folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from support.interruptible import interruptible

from navitas.base.owned_folder import owned_folder

HOLD = """
import sys, time
from pathlib import Path
from navitas.base.owned_folder import owned_folder
with owned_folder("navitas-x-", Path(sys.argv[1])) as folder:
    (folder / "sub").mkdir()
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_next_process_removes_a_killed_processs_folder(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with interruptible():
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert holder.stdout is not None
    left = Path(holder.stdout.readline().strip())
    os.utime(left, (0, 0))
    with owned_folder("navitas-x-", tmp_path):
        assert left.is_dir(), "its process is running"
    for _ in range(10):  # an interruption can be lost in a destructor
        holder.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            holder.wait(20)
            break
    assert holder.returncode is not None
    holder.stdout.close()
    assert left.is_dir() is (number == signal.SIGKILL)
    if left.is_dir():
        os.utime(left, (0, 0))
    with owned_folder("navitas-x-", tmp_path) as new:
        assert list(tmp_path.iterdir()) == [new]
    assert not list(tmp_path.iterdir())


def test_a_folder_of_a_process_that_was_killed_before_it_marked_it_is_removed(tmp_path: Path) -> None:
    for name, files in (("empty", ()), ("other", ("file",))):
        (folder := tmp_path / f"navitas-x-{name}").mkdir()
        for file in files:
            (folder / file).touch()
        os.utime(folder, (0, 0))
    with owned_folder("navitas-x-", tmp_path) as new:
        assert {path.name for path in tmp_path.iterdir()} == {new.name, "navitas-x-other"}, "the other is another program's"


def test_a_folder_half_removed_by_a_killed_process_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(path: Path, **_: object) -> None:
        assert path.name.startswith("sub")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt), owned_folder("navitas-x-", tmp_path) as left:
        for number in range(50):
            (left / f"sub{number}").mkdir()
        patch.setattr("navitas.base.owned_folder.shutil.rmtree", killed)
    assert (left / "owner").exists()
    os.utime(left, (0, 0))
    with owned_folder("navitas-x-", tmp_path) as new:
        assert list(tmp_path.iterdir()) == [new]
