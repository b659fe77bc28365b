"""Large builds: many modules, many tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import NAVITAS
from support.gradle_builds import Build, modules
from support.gradle_projects import gradle_params
from support.lab import Lab
from support.large_builds import many_modules, many_tests

from navitas.virtual_phone.start import virtual_phone

MODULES = 60
CLASSES, METHODS = 50, 20
pytestmark = [pytest.mark.parametrize("gradle", gradle_params("path"), indirect=True), pytest.mark.extended]


def test_many_modules(tmp_path: Path, gradle: str) -> None:
    bundles = Build(many_modules(tmp_path / "many", MODULES), gradle).bundles
    assert [bundle.manifest.module for bundle in bundles] == [f":m{number:03}" for number in range(MODULES)]
    assert len({bundle.manifest.package for bundle in bundles}) == MODULES
    owners = modules(bundles[-1])
    assert owners["Main"] == ("main", f":m{MODULES - 1:03}")
    assert owners["m000.Part"] == ("main", ":m000")
    with virtual_phone() as phone:
        phone.install([bundle.path for bundle in bundles])
        installed = phone.shell("pm list instrumentation").text.splitlines()
        assert len(installed) == MODULES
        done = Lab(phone, bundles[::24], tmp_path).profile(name="some")
    assert {(test.module, test.class_name, test.status) for test in done.profile.tests} == {
        (module, "MainTest", "passed") for module in (":m000", ":m024", ":m048")
    }
    called = {method.module for method in done.profile.method_table.methods if method.class_name == "Main"}
    assert called == {":m000", ":m024", ":m048"}


def test_many_tests(tmp_path: Path, gradle: str) -> None:
    if not NAVITAS.is_file():
        pytest.skip(f"{NAVITAS.name} is not installed next to {sys.executable}: make setup")
    project = many_tests(tmp_path / "tests", CLASSES, METHODS)
    command = [str(NAVITAS), "profile", str(project), "--gradle", gradle, "--json", "report.json", "-o", "recording"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tests = json.loads((tmp_path / "report.json").read_text())["tests"]
    assert len(tests) == CLASSES * METHODS
    assert all(test["status"] == "passed" and test["wall_ns"] > 0 for test in tests)
    calls = sum(
        method["calls"]
        for test in tests
        for thread in test["threads"]
        for method in thread["methods"]
        if method["name"] == "step"
    )
    assert calls == CLASSES * METHODS * 1000
    assert f"{CLASSES * METHODS - 20:,} more tests" in done.stdout
    assert len(done.stdout.splitlines()) < 150
    assert len(done.stderr.splitlines()) < 150
