"""Other processes can read a recording whose writer was killed or is still running."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.golden import GOLDEN

import navitas
from navitas.energy.analyze.conserve import check
from navitas.report.registry import find_format

TESTS = Path(__file__).parents[2]

_WRITER = """\
import json, shutil, sys
from pathlib import Path
from navitas.recording.manifest import DeviceEntry, Manifest, Project
from navitas.recording.writer import RecordingWriter
from navitas.recording.writer import Supply

golden, folder, steps, forever = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "forever"
manifest = Manifest.model_validate(json.loads((golden / "manifest.json").read_text()))
profile = manifest.power_profile
writer = RecordingWriter(
    folder, project=manifest.project, device=manifest.device, settings={},
    supply=Supply((golden / profile.file).read_bytes(), profile.source, profile.voltage_v, profile.voltage_source),
)
writer.__enter__()
known = manifest.maps[0]
work = [lambda: writer.add_map(known.id, known.module, (golden / known.file).read_bytes())]
work += [lambda source=source: writer.add_source(source) for source in manifest.sources]
for run in manifest.runs:
    work += [lambda run=run: writer.add_run(run.model_copy(update={"exit": "interrupted"}))]
    work += [lambda test=test: writer.add_test(test) for test in manifest.tests if test.run == run.id]
    for file in manifest.files:
        if file.run == run.id:
            work += [lambda file=file: shutil.copy(golden / file.path, writer.path(file.kind, file.run, Path(file.path).name))]
    work += [writer.checkpoint, lambda run=run: writer.add_run(run)]
for step in work[:steps]:
    step()
print("written", len(work), flush=True)
while forever:
    writer.checkpoint()
sys.stdin.read()
"""


def writer(folder: Path, steps: int, mode: str = "once") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(GOLDEN), str(folder), str(steps), mode]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("written")
    return process


@pytest.mark.parametrize("steps", [0, 6, 10, 99, *(pytest.param(n, marks=pytest.mark.extended) for n in (5, 8, 13))])
def test_a_recording_whose_writer_was_killed_can_be_reported(tmp_path: Path, steps: int) -> None:
    process = writer(tmp_path / "rec", steps)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    profile = navitas.load(tmp_path / "rec")
    assert check(profile) == []
    assert "partial_recording" in {notice.code for notice in profile.warnings}
    for name in ("json", "html", "text", "speedscope", "collapsed"):
        with (tmp_path / name).open("w") as out:
            find_format(name).write(profile, out)
    if steps == 99:
        whole = navitas.load(GOLDEN)
        assert profile.totals == whole.totals and profile.method_totals() == whole.method_totals()


def test_a_recording_is_read_while_another_process_writes_it(tmp_path: Path) -> None:
    process = writer(tmp_path / "rec", 99, "forever")
    try:
        whole = navitas.load(GOLDEN)
        for _ in range(5):
            profile = navitas.load(tmp_path / "rec")
            assert profile.totals == whole.totals
    finally:
        process.kill()
        process.communicate()
    manifest = json.loads((tmp_path / "rec/manifest.json").read_text())
    assert manifest["state"] == "partial", "complete at every moment, including the last"


def test_two_processes_read_one_recording_and_change_nothing(recording: Path) -> None:
    before = {path: path.read_bytes() for path in recording.rglob("*") if path.is_file()}
    code = "import navitas, sys; print(repr(navitas.load(sys.argv[1]).totals))"
    readers = [
        subprocess.Popen([sys.executable, "-c", code, str(recording)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    printed = {reader.communicate()[0] for reader in readers}
    assert printed == {f"{navitas.load(GOLDEN).totals!r}\n"}
    assert {path: path.read_bytes() for path in recording.rglob("*") if path.is_file()} == before
