"""Open recordings: the checks, and the errors that a user sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.recording_maker import make_recording
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import RecordingError
from navitas.recording.store import Recording, open_recording

SCENARIO = Scenario(
    100, threads=(ThreadSpec("main", (call("a.FooTest#t", 0, 50),)),), tests=(TestSpec("a.FooTest#t", 0, 60),), rails={"CPU": ()}
)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return make_recording(tmp_path / "rec", SCENARIO)


def edit(recording: Recording, **changes: object) -> None:
    path = recording.path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_recording_returns_its_files_by_kind_and_run(recording: Recording) -> None:
    assert recording.manifest.state == "complete"
    assert [path.name for path in recording.files("events", 0)] == ["events-4000.nvch"]
    assert recording.files("events", 1) == ()
    assert recording.check() == ()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such recording") as error:
        open_recording(tmp_path / "nowhere")
    assert "nowhere" in error.value.message and error.value.remedy


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"manifest\.json is missing"):
        open_recording(tmp_path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b"[" * 100_000])
def test_a_broken_manifest_is_a_clear_error(recording: Recording, text: bytes) -> None:
    (recording.path / "manifest.json").write_bytes(text)
    with pytest.raises(RecordingError, match="manifest"):
        open_recording(recording.path)


@pytest.mark.parametrize("field", ["runs.id", "runs.repeat", "runs.pid", "tests.id", "tests.run", "tests.repeat", "files.run"])
@pytest.mark.parametrize("number", [1 << 63, -(1 << 63) - 1])
def test_a_number_too_large_for_a_column_is_named(recording: Recording, field: str, number: int) -> None:
    table, name = field.split(".")
    manifest = json.loads((recording.path / "manifest.json").read_text())
    manifest[table][0][name] = number
    (recording.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RecordingError, match=rf"{table}\.0\.{name}: Input should be"):
        open_recording(recording.path)


def test_an_oversized_manifest_is_not_read(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.recording.store.MAX_MANIFEST_BYTES", 1000)
    with pytest.raises(RecordingError, match="larger than"):
        open_recording(recording.path)


@pytest.mark.parametrize("what", ["runs", "tests", "sources"])
def test_repeated_ids_are_refused(recording: Recording, what: str) -> None:
    edit(recording, **{what: 2 * recording.manifest.model_dump(by_alias=True)[what]})
    with pytest.raises(RecordingError, match=f"two {what} have the same id"):
        open_recording(recording.path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"policies": [{"id": 0, "cpus": list(range(5000))}]}, r"device\.policies\.0\.cpus\.4096: .* less than 4096"),
        ({"policies": [{"id": 0, "cpus": [-1]}]}, r"device\.policies\.0\.cpus\.0: .* greater than or equal to 0"),
        ({"policies": [{"id": 0, "cpus": [1] * 5000}]}, r"device\.policies names a CPU twice"),
        ({"policies": [{"id": 0, "cpus": [0, 1]}, {"id": 1, "cpus": [1]}]}, r"device\.policies names a CPU twice"),
        ({"policies": [{"id": 0, "cpus": [0]}, {"id": 0, "cpus": [1]}]}, "two policies have the same id"),
        ({"cpus": [0, 0]}, r"device\.cpus names a CPU twice"),
        ({"cpus": [4096]}, r"device\.cpus\.0: .* less than 4096"),
    ],
)
def test_impossible_cpus_are_refused(recording: Recording, changes: dict[str, object], said: str) -> None:
    edit(recording, device={**recording.manifest.device.model_dump(), **changes})
    with pytest.raises(RecordingError, match=said) as error:
        open_recording(recording.path)
    assert len(error.value.message) < 400


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema_minor": -1}, "schema_minor: .* greater than or equal to 0"),
        ({"schema_minor": 10**400}, "schema_minor: "),
        ({"schema_version": 10**400}, r"schema_version 10{39}\.\.\., but this version of Navitas reads"),
        ({"schema_version": -(10**400)}, r"schema_version '-10{38}\.\.\.' is not a version"),
        ({"losses": [{"what": "events", "count": -1}]}, r"losses\.0\.count: .* greater than or equal to 0"),
    ],
)
def test_impossible_versions_and_counts_are_refused(recording: Recording, changes: dict[str, object], said: str) -> None:
    edit(recording, **changes)
    with pytest.raises(RecordingError, match=said) as error:
        open_recording(recording.path)
    assert len(error.value.message) < 400


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_figures_that_are_not_numbers_are_refused(recording: Recording, value: float) -> None:
    edit(recording, settings={"mode": value})
    with pytest.raises(RecordingError, match="settings"):
        open_recording(recording.path)


def test_a_file_that_is_listed_twice_counts_once(recording: Recording) -> None:
    edit(recording, files=3 * recording.manifest.model_dump()["files"])
    assert len(open_recording(recording.path).files("events", 0)) == 1


def test_a_wrong_field_is_named(recording: Recording) -> None:
    edit(recording, state=7)
    with pytest.raises(RecordingError, match="state"):
        open_recording(recording.path)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "runs/../../x", "", "..", "C:\\x", "a\\..\\b", "a\0b", "C:x"])
def test_names_that_leave_the_folder_are_refused(recording: Recording, name: str) -> None:
    files: list[dict[str, Any]] = [file.model_dump() for file in recording.manifest.files]
    edit(recording, files=[{**files[0], "path": name}])
    with pytest.raises(RecordingError, match="leaves the recording"):
        open_recording(recording.path)


def test_links_that_leave_the_folder_are_refused(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    path = recording.files("shell", 0)[0]
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(RecordingError, match="link"):
        recording.files("shell", 0)


def test_check_names_changed_and_missing_files(recording: Recording) -> None:
    recording.files("events", 0)[0].write_bytes(b"x")
    recording.files("logcat", 0)[0].unlink()
    assert {(w.code, Path(w.message.split(":")[0]).name) for w in recording.check()} == {
        ("file_changed", "events-4000.nvch"),
        ("file_missing", "logcat.txt"),
    }
    assert recording.files("logcat", 0) == ()


def test_a_read_only_recording_opens(recording: Recording) -> None:
    for path in [*recording.path.rglob("*"), recording.path]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert open_recording(recording.path).check() == ()
    finally:
        for path in [recording.path, *recording.path.rglob("*")]:
            path.chmod(0o755)


@given(st.binary(max_size=300))
def test_any_bytes_as_manifest_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "manifest.json").write_bytes(data)
    with pytest.raises(RecordingError):
        open_recording(folder)
