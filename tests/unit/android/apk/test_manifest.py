"""Manifests of APKs: what they say, and that no damaged or hostile one does harm."""

from __future__ import annotations

import contextlib
import io
import logging
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.apk_maker import Tag, activity, binary_xml, instrumentation, manifest, write

from navitas.android.apk import manifest as module
from navitas.android.apk.manifest import AppComponent, Instrumentation, InvalidApk, read_apk

APP = manifest(
    "org.example.notes",
    activity(".Main", launcher=True),
    activity("org.example.notes.Hidden", process=":remote"),
    Tag("service", {"name": "Sync", "process": "org.example.other"}),
    Tag("profileable", {}),
    application={"name": ".App", "testOnly": True},
    version=7,
    min_sdk=21,
    outside=(Tag("uses-permission", {"name": "android.permission.INTERNET"}),),
)


def apk(root: Tag | bytes, entries: dict[str, bytes] | None = None) -> io.BytesIO:
    data = io.BytesIO()
    write(data, root, entries)  # type: ignore[arg-type]
    return data


def test_what_an_app_s_manifest_says() -> None:
    found = read_apk(apk(APP, {"lib/arm64-v8a/libx.so": b"", "lib/x86_64/liby.so": b"", "lib/readme.so": b""}))
    assert (found.package, found.version_code, found.version_name) == ("org.example.notes", 7, "1.7")
    assert (found.min_sdk, found.target_sdk, found.debuggable, found.test_only) == (21, 33, True, True)
    assert found.activities == (
        AppComponent("org.example.notes.Main", is_launcher=True),
        AppComponent("org.example.notes.Hidden"),
    )
    assert found.services == (AppComponent("org.example.notes.Sync"),)
    assert found.launcher == found.activities[0]
    assert found.permissions == ("android.permission.INTERNET",)
    assert found.abis == ("arm64-v8a", "x86_64")
    assert found.text.startswith('<manifest xmlns:android="http://schemas.android.com/apk/res/android"')
    assert 'android:name=".Main"' in found.text


def test_what_a_test_apk_s_manifest_says() -> None:
    found = read_apk(apk(manifest("org.example.notes.test", outside=(instrumentation("org.example.notes"),))))
    assert found.instrumentations == (Instrumentation("androidx.test.runner.AndroidJUnitRunner", "org.example.notes", ""),)
    assert found.launcher is None


def test_an_app_s_own_attributes_do_not_count_as_android_s() -> None:
    decoy = {"app:name": "org.example.Decoy"}
    root = manifest("a.b", activity(".Main", launcher=True, **decoy), activity("Plain"), application={"name": ".App", **decoy})
    found = read_apk(apk(root))
    assert [one.name for one in found.activities] == ["a.b.Main", "a.b.Plain"]
    assert 'android:name=".App"' in found.text and ':name="org.example.Decoy"' in found.text


def test_reading_does_not_change_the_root_logger() -> None:
    before = list(logging.getLogger().handlers), logging.getLogger().level
    with pytest.raises(InvalidApk):
        read_apk(apk(binary_xml(APP)[:-30]))
    assert (list(logging.getLogger().handlers), logging.getLogger().level) == before


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "INSTALL_PARSE_FAILED_NOT_APK"),
        (b"PK\x03\x04 and no more", "INSTALL_PARSE_FAILED_NOT_APK"),
        (apk(b"<manifest/>").getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (apk(Tag("resources", {})).getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (apk(manifest("../../etc")).getvalue(), "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME"),
        (apk(manifest("a" * 300)).getvalue(), "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME"),
        (apk(manifest("a.b", activity("../x"))).getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (apk(manifest("a.b", application={"process": "x/../y"})).getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (apk(manifest("a.b", activity("M", process=":x y"))).getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (apk(bytes(module.MAX_MANIFEST_BYTES + 1)).getvalue(), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
    ],
)
def test_a_file_that_is_not_an_apk_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(InvalidApk) as caught:
        read_apk(io.BytesIO(data))
    assert caught.value.code == code


def test_elements_within_elements_end_somewhere() -> None:
    tag = Tag("a", {})
    for _ in range(100):
        tag = Tag("a", {}, (tag,))
    with pytest.raises(InvalidApk, match="levels of elements"):
        read_apk(apk(manifest("a.b", tag)))


def test_a_manifest_that_inflates_beyond_what_it_says(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.apk", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("AndroidManifest.xml", bytes(64 << 20))
    with pytest.raises(InvalidApk, match="more than"):
        read_apk(tmp_path / "bomb.apk")


def test_few_strings_used_many_times_fill_no_memory() -> None:
    many = tuple(Tag("x", {"name": "n" * 30_000}) for _ in range(1_000))
    with pytest.raises(InvalidApk, match="16 Mi characters"):
        read_apk(apk(manifest("a.b", *many)))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_manifests_raise_only_invalid_apk(data: st.DataObject) -> None:
    damaged = bytearray(binary_xml(APP))
    for _ in range(data.draw(st.integers(0, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(damaged)))
    with contextlib.suppress(InvalidApk):
        read_apk(apk(bytes(damaged[: cut or len(damaged)])))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_damaged_files_raise_only_invalid_apk(data: st.DataObject) -> None:
    damaged = bytearray(apk(APP, {"classes.dex": bytes(100)}).getvalue())
    for _ in range(data.draw(st.integers(0, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.integers(0, len(damaged)))
    with contextlib.suppress(InvalidApk):
        read_apk(io.BytesIO(bytes(damaged[: cut or len(damaged)])))
