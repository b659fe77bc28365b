"""Files of samples within a recording."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.added_history import add_file
from support.golden import GOLDEN
from support.jfr_writer import JfrText, sample

from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.store import open_recording


def parsed(folder: Path, data: bytes) -> ParsedRecording:
    shutil.copytree(GOLDEN, folder)
    add_file(folder, "samples-1.jfr", "samples", data, 0)
    return parse_recording(open_recording(folder))


def test_samples_of_a_run_name_its_methods(tmp_path: Path) -> None:
    before = parse_recording(open_recording(GOLDEN)).runs[0]
    (tid, *_) = (thread.tid for thread in before.threads if thread.tid)
    middle_ns = (before.start_ns + before.end_ns) // 2
    text = JfrText({1: [(("a/Library", "work", "()V"), 2)]}, {tid: "main"}, sample(middle_ns, tid, 1))
    recording = parsed(tmp_path / "recording", text.chunk())
    samples = recording.runs[0].calls.samples
    assert samples is not None and samples.t_ns.tolist() == [middle_ns]
    method = recording.method_table.methods[samples.stacks.frame[samples.stack[0]]]
    assert (method.class_name, method.name) == ("a.Library", "work")


@pytest.mark.parametrize("data", [b"", b"no JFR" * 20, JfrText(events=sample(5, 1, 1)).chunk(finished=False)])
def test_a_damaged_file_is_a_warning(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "recording"
    parsed(folder, data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["mode"] = "sample"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    recording = parse_recording(open_recording(folder))
    (warning,) = (one for one in recording.warnings if one.code == "events_missing" and one.run == 0)
    assert "its stack samples cannot be read" in warning.message and "samples-1.jfr" in warning.message
    assert recording.runs[0].calls.samples is None
