"""The framework's cache: filled atomically, and checked before it is used."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from navitas.base.errors import DeviceError
from navitas.virtual_phone import firmware
from navitas.virtual_phone.host_java import StartError

NAMES = (
    "robolectric-4.16.1.jar", "sandbox-4.16.1.jar", "shadows-framework-4.16.1.jar", "guava-33.4.8-jre.jar", "asm-9.8.jar",
    "junit-4.13.2.jar", "hamcrest-core-1.3.jar", "android-all-instrumented-13-robolectric-9030017-i7.jar",
)  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What a build hands over, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "build").mkdir()
    made = [tmp_path / "build" / name for name in NAMES]
    for file in made:
        file.write_bytes(file.name.encode())
    with zipfile.ZipFile(tmp_path / "build" / "monitor-1.8.0.aar", "w") as archive:
        archive.writestr("classes.jar", b"monitor's classes")
    return [*made, tmp_path / "build" / "monitor-1.8.0.aar"]


def test_it_is_found_as_it_was_provided(files: list[Path]) -> None:
    with pytest.raises(StartError, match="run navitas profile once, online, on an Android project"):
        firmware.find()
    firmware.provide(files)
    firmware.provide(files)
    found = firmware.find()
    assert found.android.name == NAMES[-1] and found.android not in found.jars
    assert (found.folder / "monitor-1.8.0.jar").read_bytes() == b"monitor's classes"
    assert [jar.name for jar in found.last] == ["hamcrest-core-1.3.jar"], "tests may have a newer one"
    assert {jar.name for jar in (*found.jars, *found.last)} == {*NAMES[:-1], "monitor-1.8.0.jar"}
    assert [path.name for path in firmware.folder().parent.iterdir()] == [firmware.NAME]


def test_what_is_missing_is_named_and_nothing_is_kept(files: list[Path]) -> None:
    with pytest.raises(DeviceError, match=r"shadows-framework-4.16.1.jar, monitor-\* missing"):
        firmware.provide([file for file in files if not file.name.startswith(("shadows", "monitor"))])
    with zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("classes.jar", bytes(1000))
        offset = archive.getinfo("classes.jar").header_offset + 30 + len("classes.jar")
    whole = files[-1].read_bytes()
    for damaged in (b"no zip file", whole[:offset] + b"\xff" + whole[offset + 1 :]):
        files[-1].write_bytes(damaged)
        with pytest.raises(DeviceError, match="cannot be stored"):
            firmware.provide(files)
    assert not firmware.is_provided() and list(firmware.folder().parent.iterdir()) == []


def test_a_cache_of_an_earlier_version_is_filled_anew(files: list[Path]) -> None:
    firmware.provide(files)
    listed = firmware.folder() / "files.json"
    sizes = {name: size for name, size in json.loads(listed.read_text()).items() if name != "junit-4.13.2.jar"}
    listed.write_text(json.dumps(sizes))
    assert not firmware.is_provided()
    firmware.provide(files)
    assert firmware.is_provided()


def test_a_damaged_cache_is_not_a_framework(files: list[Path]) -> None:
    firmware.provide(files)
    (firmware.folder() / "guava-33.4.8-jre.jar").unlink()
    (firmware.folder() / "guava-33.4.8-jre.jar").write_bytes(b"cut")
    assert not firmware.is_provided()
    for damaged in ("[1]", "5", "null"):
        (firmware.folder() / "files.json").write_text(damaged)
        assert not firmware.is_provided()
