"""Copies of a bundle have other inputs, and everything else unchanged."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from support.bundle_maker import ANDROID_FILES, FILES, make

from navitas.base.errors import BuildError
from navitas.capture.bundle.manifest import AndroidManifest, BundleManifest
from navitas.capture.bundle.reader import open_bundle, with_inputs


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_inputs_of_java_code_are_system_properties(tmp_path: Path) -> None:
    given = open_bundle(make(tmp_path / "a.bundle.zip", FILES))
    made = with_inputs(given, tmp_path / "b.zip", {"n": "5", "a": "other"}, ["-Xint"])
    assert isinstance(made.manifest, BundleManifest)
    assert made.manifest.system_properties == {"a": "other", "n": "5"}
    assert made.manifest.jvm_args == ["-Xmx1g", "-Xint"]
    assert made.working_dir == given.working_dir
    before, after = contents(given.path), contents(made.path)
    assert {name: data for name, data in before.items() if name != "bundle.json"} == {
        name: data for name, data in after.items() if name != "bundle.json"
    }


def test_a_relative_working_folder_is_still_the_same(tmp_path: Path) -> None:
    document = json.loads(FILES["bundle.json"]) | {"working_dir": "../project"}
    (tmp_path / "in").mkdir()
    given = open_bundle(make(tmp_path / "in/a.bundle.zip", FILES | {"bundle.json": json.dumps(document)}))
    assert with_inputs(given, tmp_path / "b.zip", {}).working_dir == given.working_dir == tmp_path / "project"


def test_inputs_of_an_android_app_are_arguments_of_its_runner(tmp_path: Path) -> None:
    given = open_bundle(make(tmp_path / "a.bundle.zip", ANDROID_FILES))
    made = with_inputs(given, tmp_path / "b.zip", {"n": "5"})
    assert isinstance(made.manifest, AndroidManifest) and made.manifest.runner_arguments == {"n": "5"}
    with pytest.raises(BuildError, match="no options of a JVM"):
        with_inputs(given, tmp_path / "c.zip", {}, ["-Xint"])
