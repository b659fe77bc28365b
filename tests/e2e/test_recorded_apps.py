"""The app of an unchanged Android project is built and recorded in use, without tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.android_apps import extract_apk, probed_methods
from support.android_projects import build_file, copy_project, fixture_params, without_kotlin
from support.command_line import NAVITAS

from navitas.base.errors import BuildError, UsageError
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.bundle.manifest import AndroidManifest

pytestmark = [pytest.mark.extended, pytest.mark.usefixtures("android_sdk", "quick")]


def app_without_tests(name: str, into: Path) -> Path:
    project = without_kotlin(copy_project(name, into))
    for tests in project.rglob("src/androidTest"):
        shutil.rmtree(tests)
    return project


def add_broken_test(project: Path) -> None:
    """A recording needs no tests, so they are not compiled."""
    tests = build_file(project).parent / "src/androidTest/java"
    tests.mkdir(parents=True)
    (tests / "Broken.java").write_text("class Broken {")


def navitas(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(NAVITAS), *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a"), indirect=["gradle"])
def test_an_app_without_tests_is_recorded(tmp_path: Path, gradle: str, name: str) -> None:
    project = app_without_tests(name, tmp_path)
    before = build_file(project).read_bytes()
    profiled = navitas("profile", project, "--gradle", gradle)
    assert profiled.returncode != 0
    said = " ".join(profiled.stderr.split())
    assert "has no instrumentation tests to profile" in said
    assert f"or record a use of the app: navitas record {project}" in said
    add_broken_test(project)
    recorded = navitas("record", project, "--gradle", gradle, "--monkey", 20, "-o", tmp_path / "rec")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    report = json.loads((tmp_path / "rec/report.json").read_text("utf-8"))
    assert report["totals"]["energy_j"] > 0 and '"onCreate"' in json.dumps(report)
    assert build_file(project).read_bytes() == before


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_a_variant_without_tests_is_recorded(tmp_path: Path, gradle: str, name: str) -> None:
    project = app_without_tests(name, tmp_path)
    with pytest.raises(BuildError, match="has no instrumentation tests to profile") as error:
        build_bundles(project, BuildOptions(gradle=gradle, module=":app", variant="demoDebug"))
    assert f"or record a use of the app: navitas record {project}" in error.value.remedy


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a"), indirect=["gradle"])
def test_the_reason_why_an_app_cannot_be_recorded(tmp_path: Path, gradle: str, name: str) -> None:
    project = copy_project(name, tmp_path)
    with (project / "gradle.properties").open("a") as properties:
        properties.write("\nnavitas.disableVariant=debug\n")
    with pytest.raises(
        UsageError, match=r"nothing to record: .*has no probes in debug, because of navitas { disableVariant 'debug' }"
    ):
        build_bundles(project, BuildOptions(gradle=gradle), app_only=True, virtual=False)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_modules_that_cannot_be_recorded_are_named(tmp_path: Path, gradle: str, name: str) -> None:
    project = app_without_tests(name, tmp_path)
    add_broken_test(project)
    with (project / "settings.gradle").open("a") as settings:
        settings.write("include ':bench', ':extra'\n")
    common = "android { namespace 'org.example.NAME'; compileSdk 34; defaultConfig { minSdk 26 } }\n"
    for module, plugin, more in (
        ("bench", "com.android.test", "android { targetProjectPath ':' }\n"),
        ("extra", "com.android.dynamic-feature", ""),
    ):
        (project / module).mkdir()
        build = f"plugins {{ id '{plugin}' }}\n{common.replace('NAME', module)}{more}"
        (project / module / "build.gradle").write_text(build)
    said: list[str] = []
    (bundle,) = build_bundles(project, BuildOptions(gradle=gradle), app_only=True, virtual=False, on_left_out=said.append)
    assert isinstance(bundle.manifest, AndroidManifest)
    assert (bundle.manifest.apks.test, bundle.manifest.runner) == (None, None)
    assert "org/example/steps/StepsActivity.onCreate" in probed_methods(extract_apk(bundle))
    assert [text.split(",")[0] for text in sorted(said)] == [
        "the module :bench is a separate module of tests (com.android.test)",
        "the module :extra is a dynamic feature",
    ]
