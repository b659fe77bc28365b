"""Write recordings: they load at any moment, and other files are never overwritten."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest
from support.recording_maker import make_map

from navitas.base.errors import RecordingError
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import unfinished_path, write_new
from navitas.recording.layout import RESERVE_NAME
from navitas.recording.manifest import DeviceEntry, Project, Run, Source, Test
from navitas.recording.recording_folder import check_writable, reserve_folder
from navitas.recording.store import open_recording
from navitas.recording.writer import RecordingWriter, Supply


def writer(root: Path, lock: FolderLock | None = None) -> RecordingWriter:
    return RecordingWriter(
        root,
        project=Project(name="p", build_tool="gradle"),
        device=DeviceEntry(kind="phone", serial="s", model="m", fingerprint="f", sdk=33, cpus=[0], policies=[]),
        supply=Supply(b"<device/>", "phone", 3.9, "battery"),
        settings={"repeat": 1},
        lock=lock,
    )


def run(end: str = "complete") -> Run:
    fields = {"id": 0, "module": ":", "repeat": 0, "package": "p", "map_id": "0" * 16, "exit": end}
    return Run.model_validate(fields)


def cut_test(status: str) -> Test:
    return Test.model_validate({"id": 0, "run": 0, "module": ":", "class": "a.T", "method": "m", "repeat": 0, "status": status})


def test_everything_written_is_listed_with_size_and_hash(tmp_path: Path) -> None:
    map_id, map_json = make_map(["a.B#m"])
    with writer(tmp_path / "rec") as recording:
        recording.add_map(map_id, ":", map_json)
        recording.add_map(map_id, ":", map_json)
        recording.add_source(Source(id=2, path="/proc/self/stat", kind="process_stat"))
        recording.add_run(run("interrupted"))
        recording.add_run(run())
        recording.add_test(cut_test("cut"))
        recording.add_test(cut_test("passed"))
        recording.add_file("shell", 0, "shell.txt", b"@ 1.0\n")
        recording.path("logcat", 0, "logcat.txt").write_bytes(b"log")
        recording.path("battery", 0, "battery.txt")
        recording.warn("w", "message")
        recording.warn("w", "message")
        recording.add_loss("bytes", 3, 0)
        recording.add_loss("bytes", 0, 0)
        recording.finish()
    opened = open_recording(tmp_path / "rec")
    manifest = opened.manifest
    assert opened.check() == ()
    assert manifest.state == "complete"
    assert [(m.id, m.file) for m in manifest.maps] == [(map_id, f"maps/{map_id}.json")]
    assert [(r.id, r.exit) for r in manifest.runs] == [(0, "complete")]
    assert [(t.id, t.status) for t in manifest.tests] == [(0, "passed")]
    assert {(f.path, f.kind, f.run, f.bytes) for f in manifest.files} == {
        (f"maps/{map_id}.json", "map", None, len(map_json)),
        ("runs/0/shell.txt", "shell", 0, 6),
        ("runs/0/logcat.txt", "logcat", 0, 3),
    }
    assert len(manifest.warnings) == 1 and [loss.count for loss in manifest.losses] == [3]
    assert manifest.power_profile.sha256 == hashlib.sha256(b"<device/>").hexdigest()


def test_the_manifest_loads_from_the_first_moment(tmp_path: Path) -> None:
    with writer(tmp_path / "rec") as recording:
        assert open_recording(tmp_path / "rec").manifest.state == "partial"
        recording.add_run(run("interrupted"))
        assert open_recording(tmp_path / "rec").manifest.runs[0].exit == "interrupted"


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecordingError("x"), SystemExit])
def test_an_interrupted_recording_is_partial_and_keeps_its_files(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(BaseException), writer(tmp_path / "rec") as recording:  # noqa: B017
        recording.add_run(run("interrupted"))
        recording.path("events", 0, "events-1.nvch").write_bytes(b"NVCH")
        raise error
    manifest = open_recording(tmp_path / "rec").manifest
    assert manifest.state == "partial"
    assert [file.path for file in manifest.files] == ["runs/0/events-1.nvch"]


def test_leaving_without_finish_stays_partial(tmp_path: Path) -> None:
    with writer(tmp_path / "rec"):
        pass
    assert open_recording(tmp_path / "rec").manifest.state == "partial"


@pytest.mark.parametrize("manifest", [None, b"{}", b"not json", b'{"name": "a browser extension"}'])
def test_a_folder_with_other_things_is_not_touched(tmp_path: Path, manifest: bytes | None) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    if manifest is not None:
        (tmp_path / "manifest.json").write_bytes(manifest)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RecordingError, match="not empty") as error, writer(tmp_path):
        pass
    assert "-o" in error.value.remedy
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_older_recording_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    with writer(tmp_path) as first:
        first.add_run(run())
        first.add_file("shell", 0, "shell.txt", b"old")
        first.finish()
    (tmp_path / "my-report.json").write_text("{}")
    with writer(tmp_path) as second:
        second.finish()
    assert not (tmp_path / "runs").exists()
    assert (tmp_path / "my-report.json").read_text() == "{}"
    assert open_recording(tmp_path).manifest.files == []


def test_an_unwritable_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordingError, match="cannot write"), writer(tmp_path / "file" / "rec"):
        pass


@pytest.mark.parametrize("place", ["file/rec", "none/" + "x" * 300, "sub/" + "y/" * 2100 + "z"])
def test_checking_a_folder_leaves_it_unchanged(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordingError, match="cannot write") as caught:
        check_writable(tmp_path / place)
    assert "-o" in caught.value.remedy
    check_writable(tmp_path / "new" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_even_root_cannot_write_is_refused() -> None:
    with pytest.raises(RecordingError, match=r"/proc/navitas: cannot write"):
        check_writable(Path("/proc/navitas"))


FULL_FROM_HERE = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EDQUOT, "Disk quota exceeded")]


@pytest.mark.parametrize("error", FULL_FROM_HERE)
def test_on_a_full_disk_the_manifest_is_still_written(tmp_path: Path, error: OSError) -> None:
    """The disk has space for the manifest only after the reserve is deleted."""

    def full(path: Path, data: str | bytes) -> None:
        if (tmp_path / "rec" / RESERVE_NAME).exists():
            raise error
        write_new(path, data)

    with (
        pytest.raises(RecordingError, match=f"cannot write a recording here: {error.strerror}") as caught,
        pytest.MonkeyPatch.context() as patch,
        writer(tmp_path / "rec") as recording,
    ):
        recording.path("events", 0, "events-1.nvch").write_bytes(b"NVCH")
        recording.path("shell", 0, "shell.txt").write_bytes(b"@")
        patch.setattr("navitas.recording.writer.write_new", full)
        raise error
    assert "space" in caught.value.remedy and "-o" in caught.value.remedy
    manifest = open_recording(tmp_path / "rec").manifest
    assert manifest.state == "partial"
    assert [file.path for file in manifest.files] == ["runs/0/events-1.nvch", "runs/0/shell.txt"]
    assert not list((tmp_path / "rec").glob(".*"))


def test_a_disk_that_stays_full_keeps_the_last_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecordingError, match="No space left"), writer(tmp_path / "rec") as recording:
        recording.add_run(run("interrupted"))

        def full(path: Path, data: str | bytes) -> None:
            raise FULL_FROM_HERE[0]

        monkeypatch.setattr("navitas.recording.writer.write_new", full)
        recording.add_run(run())
    assert open_recording(tmp_path / "rec").manifest.runs[0].exit == "interrupted"


def test_the_manifest_names_the_field_class(tmp_path: Path) -> None:
    with writer(tmp_path) as recording:
        recording.add_test(cut_test("passed"))
        recording.finish()
    assert json.loads((tmp_path / "manifest.json").read_text())["tests"][0]["class"] == "a.T"


def test_two_profilings_never_write_into_one_folder(tmp_path: Path) -> None:
    with writer(tmp_path / "rec"):
        with pytest.raises(RecordingError, match="another profiling"), writer(tmp_path / "rec"):
            pass
        assert open_recording(tmp_path / "rec").manifest.state == "partial"
    assert not list((tmp_path / "rec").glob(".lock"))


@pytest.mark.parametrize("is_recording", [True, False])
def test_unfinished_files_of_a_killed_process_are_ignored(tmp_path: Path, is_recording: bool) -> None:
    if is_recording:
        with writer(tmp_path) as made:
            made.finish()
    unfinished_path(tmp_path / "manifest.json").write_text("half")
    with writer(tmp_path) as made:
        made.finish()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "power_profile.xml"]


def test_a_refused_folder_stays_unchanged(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RecordingError), writer(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_pipe_in_place_of_the_manifest_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(RecordingError, match="contains no recording"), writer(tmp_path):
        pass


def test_a_reserved_folder_is_written_by_its_holder(tmp_path: Path) -> None:
    with reserve_folder(tmp_path / "a" / "rec") as lock:
        with pytest.raises(RecordingError, match=f"process {os.getpid()}") as caught, writer(tmp_path / "a" / "rec"):
            pass
        assert "-o" in caught.value.remedy
        with pytest.raises(RecordingError, match="another profiling"), reserve_folder(tmp_path / "a" / "rec"):
            pass
        with writer(tmp_path / "a" / "rec", lock=lock) as made:
            made.finish()
    assert open_recording(tmp_path / "a" / "rec").manifest.state == "complete"
    assert not (tmp_path / "a" / "rec" / ".lock").exists()


def test_a_new_reserved_folder_that_stays_empty_is_removed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("new/rec", "there"):
        with pytest.raises(ZeroDivisionError), reserve_folder(tmp_path / name):
            raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["there"] and not any((tmp_path / "there").iterdir())


def test_reserving_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(RecordingError, match="contains no recording"), reserve_folder(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_links_in_a_replaced_recording_are_not_followed(tmp_path: Path) -> None:
    """Another user may have created the folder, such as /tmp/navitas-recordings/demo."""
    root, outside = tmp_path / "rec", tmp_path / "outside"
    (outside / "0").mkdir(parents=True)
    (outside / "0" / "shell.txt").write_text("mine")
    with writer(root) as recording:
        recording.finish()
    (root / "runs").symlink_to(outside)
    (root / "power_profile.xml").unlink()
    for name in ("power_profile.xml", "manifest.json.part", RESERVE_NAME):
        (root / name).symlink_to(outside / "0" / "shell.txt")
    with writer(root) as recording:
        recording.add_file("shell", 0, "shell.txt", b"@ 1.0\n")
        recording.finish()
    assert (outside / "0" / "shell.txt").read_text() == "mine"
    assert not any(path.is_symlink() for path in root.rglob("*"))
    assert open_recording(root).check() == ()
