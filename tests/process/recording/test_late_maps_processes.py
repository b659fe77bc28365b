"""The tests of tests/unit/recording/test_late_maps.py that start processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from test_late_maps import without_map

from navitas.recording.store import open_recording

ADD = """
import sys
from pathlib import Path
from navitas.recording.late_maps import add_map
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    add_map(Path(sys.argv[1]), f"{number:016x}", ":", b"{}")
"""


def test_two_processes_add_maps_to_one_recording(without_map: tuple[Path, Path]) -> None:
    folder, _ = without_map
    bounds = [(1, 31), (31, 61)]
    adding = [subprocess.Popen([sys.executable, "-c", ADD, str(folder), str(low), str(high)]) for low, high in bounds]
    assert [process.wait(120) for process in adding] == [0, 0]
    manifest = open_recording(folder).manifest
    assert {entry.id for entry in manifest.maps} == {f"{number:016x}" for number in range(1, 61)}
    assert [path.name for path in folder.glob(".*")] == [".gitattributes"], "no lock is left"
