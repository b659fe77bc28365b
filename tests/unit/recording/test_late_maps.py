"""A recording without its method map can be reported after the map is added."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN

from navitas.base.errors import RecordingError
from navitas.cli.main import run
from navitas.recording.late_maps import MAP_UNKNOWN, UNKNOWN_MAP, add_map
from navitas.recording.recording_folder import reserve_folder


@pytest.fixture
def without_map(tmp_path: Path) -> tuple[Path, Path]:
    """Return the golden recording as `navitas record` leaves it with an unknown map, and that map."""
    folder, file = tmp_path / "recording", tmp_path / "map.json"
    shutil.copytree(GOLDEN, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    shutil.move(folder / manifest["maps"][0]["file"], file)
    for entry in manifest["runs"]:
        entry["map_id"] = UNKNOWN_MAP
    gone = manifest["maps"][0]["file"]
    manifest |= {"maps": [], "files": [entry for entry in manifest["files"] if entry["path"] != gone]}
    manifest["warnings"].append({"code": MAP_UNKNOWN, "message": "m", "remedy": "r"})
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder, file


def test_a_missing_map_is_reported_and_can_be_added(without_map: tuple[Path, Path], capsys: Capture) -> None:
    folder, file = without_map
    report = folder.parent / "report.json"
    assert run(["report", str(folder)]) == 4
    printed = capsys.readouterr().err
    assert "the recording holds none" in printed and "navitas report RECORDING --map FILE" in printed
    assert run(["report", str(folder), "--map", str(folder / "manifest.json")]) == 4
    assert "not a method map" in capsys.readouterr().err
    broken = folder.parent / "broken.json"
    broken.write_text(json.dumps(json.loads(file.read_text()) | {"classes": []}))
    before = (folder / "manifest.json").read_bytes()
    assert run(["report", str(folder), "--map", str(broken)]) == 4
    assert "the method map is inconsistent" in capsys.readouterr().err
    assert (folder / "manifest.json").read_bytes() == before, "the recording is unchanged"
    assert run(["report", str(folder), "--map", str(file), "--json", str(report)]) == 0
    assert run(["report", str(folder), "--map", str(file), "--json", str(report)]) == 0, "the recording has the map already"
    again, golden = folder.parent / "again.json", folder.parent / "golden.json"
    assert run(["report", str(folder), "--json", str(again)]) == run(["report", str(GOLDEN), "--json", str(golden)]) == 0
    found, wanted = (json.loads(path.read_text()) for path in (again, golden))
    assert MAP_UNKNOWN not in {warning["code"] for warning in found["warnings"]}
    assert found["tests"] == wanted["tests"] and found["totals"] == wanted["totals"]


def test_a_map_is_not_added_while_the_recording_is_written(
    without_map: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    folder, file = without_map
    monkeypatch.setattr("navitas.recording.recording_folder._CHANGE_S", 0.2)
    before = (folder / "manifest.json").read_bytes()
    with reserve_folder(folder):
        assert run(["report", str(folder), "--map", str(file)]) == 4
    printed = capsys.readouterr().err
    assert f"another profiling (process {os.getpid()}) is writing a recording here" in printed and "Wait for its end" in printed
    assert (folder / "manifest.json").read_bytes() == before and not list((folder / "maps").iterdir())
    assert run(["report", str(folder), "--map", str(file)]) == 0


def test_a_map_folder_that_links_outside_is_refused(without_map: tuple[Path, Path], tmp_path: Path) -> None:
    folder, file = without_map
    shutil.rmtree(folder / "maps")
    (tmp_path / "outside").mkdir()
    (folder / "maps").symlink_to(tmp_path / "outside")
    with pytest.raises(RecordingError, match="leaves the recording"):
        add_map(folder, "1" * 16, ":", file.read_bytes())
    assert not list((tmp_path / "outside").iterdir())


def test_a_link_in_a_recording_is_not_written_through(without_map: tuple[Path, Path], tmp_path: Path) -> None:
    """A recording from elsewhere may contain links. Neither an added map nor a report replaces a file outside."""
    folder, file = without_map
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (folder / "maps").mkdir(exist_ok=True)
    for name in ("manifest.json.part", "report.json.part", f"maps/{json.loads(file.read_text())['map_id']}.json.part"):
        (folder / name).symlink_to(precious)
    assert run(["report", str(folder), "--map", str(file), "--json", str(folder / "report.json")]) == 0
    assert precious.read_text() == "mine"
    assert not (folder / "manifest.json").is_symlink()
