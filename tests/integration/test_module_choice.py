"""Modules that cannot be measured among others, and tests with names of Kotlin, on the virtual phone."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make
from support.lab import Lab

from navitas.capture.bundle.reader import open_bundle
from navitas.cli.main import run


def test_a_module_that_the_phone_refuses_is_left_out_with_a_warning(lab: Lab, tmp_path: Path) -> None:
    """A virtual phone runs no bundle of APKs alone."""
    manifest = ANDROID_MANIFEST | {"module": ":phones", "jvm": None}
    refused = make(tmp_path / "phones.zip", ANDROID_FILES | {"bundle.json": json.dumps(manifest)})
    done = Lab(lab.phone, [open_bundle(refused), *lab.bundles], tmp_path).profile("*#passes", name="rec")
    assert done.outcome.failures == {} and [test.method for test in done.profile.tests] == ["passes"]
    (warning,) = [one for one in done.profile.warnings if one.code == "not_installed"]
    assert warning.message.startswith(":phones is left out: the bundle phones.zip is for physical phones only")
    assert "navitas.jvm" in warning.remedy


def test_names_of_kotlin_with_spaces(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java cannot write them, so they replace names of the same length in the class file."""
    renamed = tmp_path / "kotlin.bundle.zip"
    with zipfile.ZipFile(lab.bundles[0].path) as source, zipfile.ZipFile(renamed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith(("FaultyTest.class", "map.json")):
                data = data.replace(b"FaultyTest", b"Faulty one").replace(b"passes", b"pa (s)")
            target.writestr(name.replace("FaultyTest", "Faulty one"), data)
    monkeypatch.setenv("ADB_SERVER_SOCKET", lab.phone.client.socket_spec)
    words = ["--bundle", str(renamed), "--device", lab.phone.serial, "-o", str(tmp_path / "rec")]
    assert run(["profile", *words, "--tests", "Faulty one#pa (s)"]) == 0
    (test,) = json.loads((tmp_path / "rec/report.json").read_text())["tests"]
    assert (test["class"], test["method"], test["status"]) == ("p.Faulty one", "pa (s)", "passed")
    assert {"burn", "pa (s)"} <= {method["name"] for thread in test["threads"] for method in thread["methods"]}
