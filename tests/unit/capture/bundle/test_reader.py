"""Bundles from anyone are opened without harm: only sound ones pass, all others are build errors that name the file."""

from __future__ import annotations

import json
import os
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, FILES, MANIFEST, MAP, make

from navitas.base.errors import BuildError
from navitas.capture.bundle.reader import Bundle, open_bundle


def made(path: Path, **changes: Any) -> Path:
    return make(path, {**FILES, "bundle.json": json.dumps({**MANIFEST, **changes})})


def refused(path: Path, *words: str) -> None:
    with pytest.raises(BuildError) as caught:
        open_bundle(path)
    assert str(path) in caught.value.message
    assert caught.value.remedy
    for word in words:
        assert word in caught.value.message


def test_a_sound_bundle_opens(tmp_path: Path) -> None:
    path = make(tmp_path / "a.bundle.zip", FILES)
    bundle = open_bundle(path)
    assert bundle.path == path
    assert bundle.map_bytes == MAP.encode()
    assert bundle.manifest.model_dump(exclude_unset=True) == MANIFEST


def test_a_file_that_is_not_regular_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "b.zip")
    refused(tmp_path / "b.zip", "not a regular file")
    (tmp_path / "c.zip").symlink_to("/dev/zero")
    refused(tmp_path / "c.zip", "not a regular file")


def test_an_invalid_map_is_refused_before_tests_run(tmp_path: Path) -> None:
    refused(
        make(tmp_path / "b.zip", {**FILES, "map.json": json.dumps({"map_id": MANIFEST["map_id"], "classes": {}})}), "map.json"
    )


def test_fields_of_later_versions_are_ignored(tmp_path: Path) -> None:
    assert isinstance(open_bundle(made(tmp_path / "b.zip", colour="green")), Bundle)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "a\\b", "C:/x", "c:evil", ".."])
def test_entries_that_could_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    refused(make(tmp_path / "b.zip", {**FILES, name: b"x"}), "unsafe entry")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    path = make(tmp_path / "b.zip", FILES)
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("classes/link")
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    refused(path, "classes/link")


def test_two_entries_of_one_name_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "b.zip", FILES)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("map.json", MAP)
    refused(path, "twice")


@pytest.mark.parametrize("name", ["bundle.json", "map.json"])
def test_a_missing_part_is_named(tmp_path: Path, name: str) -> None:
    refused(make(tmp_path / "b.zip", {key: value for key, value in FILES.items() if key != name}), f"{name} is missing")


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '"x"', "[" * 100_000, "\ud800".encode("utf-16-le", "surrogatepass")])
@pytest.mark.parametrize("name", ["bundle.json", "map.json"])
def test_documents_that_are_not_what_they_should_be_are_refused(tmp_path: Path, name: str, text: str | bytes) -> None:
    refused(make(tmp_path / "b.zip", {**FILES, name: text}), name)


def test_a_map_of_other_classes_is_refused(tmp_path: Path) -> None:
    refused(made(tmp_path / "b.zip", map_id="ffffffffffffffff"), "0123456789abcdef", "ffffffffffffffff")


def test_a_newer_schema_asks_for_a_newer_navitas(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        open_bundle(made(tmp_path / "b.zip", schema_version=2))
    assert "version 2" in caught.value.message
    assert "newer Navitas" in caught.value.remedy


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema_version", 10**4000),
        ("kind", "x" * 10_000),
        ("test_task", {"framework": "x" * 10_000}),
        ("environment", {"x" * 10_000: 3}),
        ("class_path", ["../" + "x" * 10_000]),
        ("class_path", ["x" * 10_000]),
        ("java_home", "x" * 10_000),
    ],
)
def test_messages_quote_long_values_shortened(tmp_path: Path, field: str, value: Any) -> None:
    path = made(tmp_path / "b.zip", **{field: value})
    with pytest.raises(BuildError) as caught:
        open_bundle(path)
    assert len(caught.value.message) < len(str(path)) + 300 and "…" in caught.value.message


def test_messages_quote_long_names_of_entries_and_maps_shortened(tmp_path: Path) -> None:
    long = "x" * 10_000
    for name, files in (("a", {f"../{long}": b"x"}), ("b", {"map.json": json.dumps({"map_id": long})})):
        path = make(tmp_path / name, {**FILES, **files})
        with pytest.raises(BuildError, match="…") as caught:
            open_bundle(path)
        assert len(caught.value.message) < len(str(path)) + 300


@pytest.mark.parametrize(("field", "value"), [("kind", "wear\x1b[31m"), ("kind", ["a"]), ("test_task", {"framework": "spock"})])
def test_what_only_a_newer_navitas_can_run_asks_for_it(tmp_path: Path, field: str, value: Any) -> None:
    with pytest.raises(BuildError, match="which this Navitas does not know") as caught:
        open_bundle(made(tmp_path / "b.zip", **{field: value}))
    assert "newer Navitas" in caught.value.remedy and "\x1b" not in caught.value.message


def test_fields_of_a_newer_plugin_are_named(tmp_path: Path) -> None:
    (reported,) = open_bundle(made(tmp_path / "b.zip", shards=3, jvm_flags=[])).manifest.warnings
    assert "'jvm_flags', 'shards'" in reported
    (inner,) = open_bundle(made(tmp_path / "d.zip", test_task={"name": "test", "shards": 3})).manifest.warnings
    assert "'test_task.shards'" in inner
    (many,) = open_bundle(made(tmp_path / "c.zip", **{f"field{n}": 1 for n in range(1000)})).manifest.warnings
    assert "and 995 more" in many and len(many) < 300


def test_fields_of_a_newer_plugin_are_named_wherever_they_are(tmp_path: Path) -> None:
    apks = {"app": [{"file": "app.apk", "abi": None, "density": n} for n in range(3)], "test": "test.apk", "split": []}
    files = {**ANDROID_FILES, "bundle.json": json.dumps({**ANDROID_MANIFEST, "apks": apks})}
    (reported,) = open_bundle(make(tmp_path / "a.zip", files)).manifest.warnings
    assert "'apks.app.density' (3 times)" in reported and "'apks.split'" in reported
    assert open_bundle(made(tmp_path / "d.zip")).manifest.warnings == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("package", "../../etc"),
        ("package", "a b"),
        ("package", "org.example\n"),
        ("package", ""),
        ("package", "1a.b"),
        ("module", "app"),
        ("map_id", "0123456789ABCDEF"),
        ("map_id", "0123456789abcdef\n"),
        ("class_path", []),
        ("class_path", ["../x"]),
        ("class_path", ["/x"]),
        ("class_path", [""]),
        ("class_path", ["classes/../../x"]),
        ("class_path", ["not-there"]),
        ("probed_classes", "not-there"),
        ("test_roots", ["test-cl"]),
        ("test_roots", "test-classes"),
        ("working_dir", ""),
        ("working_dir", "/a\0b"),
        ("jvm_args", ["a\0b"]),
        ("environment", {"A=B": "c"}),
        ("environment", {"": "c"}),
        ("environment", {"A": "\0"}),
        ("java_home", "jdk"),
        ("schema_version", "1"),
        ("schema_version", 0),
    ],
)
def test_bad_values_are_refused_by_name(tmp_path: Path, field: str, value: Any) -> None:
    refused(made(tmp_path / "b.zip", **{field: value}), "bundle.json")


def test_a_file_that_is_missing_or_no_zip_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "none.zip", "no such bundle")
    (tmp_path / "text.zip").write_text("not a zip")
    refused(tmp_path / "text.zip")
    refused(tmp_path)


def test_an_entry_that_claims_to_be_huge_is_refused_unread(tmp_path: Path) -> None:
    path = make(tmp_path / "b.zip", FILES)
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(b"bundle.json") - 46  # in the central directory
    raw[entry + 24 : entry + 28] = struct.pack("<I", 0x7FFF_FFF0)
    path.write_bytes(raw)
    refused(path, "bundle.json has")


def test_names_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "b.zip", {**FILES, "classes/ü": b"x"})
    path.write_bytes(path.read_bytes().replace("classes/ü".encode(), b"classes/\xff\xfe"))
    refused(path, "not a readable zip file")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.data())
def test_damaged_bundles_are_refused_or_still_sound(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(make(tmp_path / "whole.zip", FILES).read_bytes())
    if data.draw(st.booleans(), label="cut"):
        del raw[data.draw(st.integers(0, len(raw) - 1)) :]
    for _ in range(data.draw(st.integers(0, 4), label="flips")):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "damaged.zip"
    path.write_bytes(raw)
    try:
        bundle = open_bundle(path)
    except BuildError as error:
        assert str(path) in error.message
    else:
        assert bundle.manifest.class_path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(name=st.text(st.sampled_from("ab./\\:~ \x00\n"), min_size=1, max_size=12))
def test_no_accepted_class_path_entry_leaves_the_bundle(tmp_path: Path, name: str) -> None:
    root = tmp_path / "unpacked"
    try:
        manifest = open_bundle(made(tmp_path / "b.zip", class_path=["classes", name])).manifest
    except BuildError:
        return
    for entry in manifest.class_path:
        assert (root / entry).resolve().is_relative_to(root.resolve())
