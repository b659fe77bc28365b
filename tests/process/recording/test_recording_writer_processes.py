"""The tests of tests/unit/recording/test_recording_writer.py that start processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from test_recording_writer import writer

from navitas.base.errors import RecordingError
from navitas.recording.store import open_recording

HOLD = """
import sys, time
from pathlib import Path
from navitas.base.folder_lock import FolderLock
assert FolderLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(600)
"""


def test_the_lock_of_a_killed_process_is_ignored(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / ".lock")], stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(RecordingError, match="another profiling"), writer(tmp_path):
        pass
    holder.kill()
    holder.wait()
    holder.stdout.close()
    assert (tmp_path / ".lock").exists()
    with writer(tmp_path) as made:
        made.finish()
    assert open_recording(tmp_path).manifest.state == "complete"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "power_profile.xml"]
