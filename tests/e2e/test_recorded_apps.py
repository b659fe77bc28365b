"""The app of an unchanged Android project is built and recorded in use, without tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.android_projects import build_file, copy_project, fixture_params
from support.command_line import NAVITAS

from navitas.build.gradle import build_bundles
from navitas.errors import UsageError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def navitas(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(NAVITAS), *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a", "b", "c"), indirect=["gradle"])
def test_an_app_without_tests_is_recorded(tmp_path: Path, gradle: str, name: str, android_sdk: Path) -> None:
    project = copy_project(name, tmp_path)
    for tests in project.rglob("src/androidTest"):
        shutil.rmtree(tests)
    build = [project, "--gradle", gradle, *(["--module", ":app", "--variant", "demoDebug"] if name == "b" else [])]
    before = build_file(project).read_bytes()
    profiled = navitas("profile", *build)
    assert profiled.returncode != 0
    assert f"or record a use of the app: navitas record {project}" in " ".join(profiled.stderr.split()), profiled.stderr
    tests = build_file(project).parent / "src/androidTest/java"
    tests.mkdir(parents=True)
    (tests / "Broken.java").write_text("class Broken {")  # a recording needs no tests, so they are not compiled
    recorded = navitas("record", *build, "--monkey", 20, "-o", tmp_path / "rec")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    report = json.loads((tmp_path / "rec/report.json").read_text("utf-8"))
    assert report["totals"]["energy_j"] > 0 and '"onCreate"' in json.dumps(report)
    assert build_file(project).read_bytes() == before


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a", "c"), indirect=["gradle"])
def test_the_reason_why_an_app_cannot_be_recorded(tmp_path: Path, gradle: str, name: str, android_sdk: Path) -> None:
    project = copy_project(name, tmp_path)
    with (project / "gradle.properties").open("a") as properties:
        properties.write("\nnavitas.disableVariant=debug\n")
    with pytest.raises(
        UsageError, match=r"nothing to record: .*has no probes in debug, because of navitas { disableVariant 'debug' }"
    ):
        build_bundles(project, gradle=gradle, app_only=True, virtual=False)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_modules_that_cannot_be_profiled_are_named(tmp_path: Path, gradle: str, name: str, android_sdk: Path) -> None:
    project = copy_project(name, tmp_path)
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
    build_bundles(project, gradle=gradle, virtual=False, on_left_out=said.append)
    assert [text.split(",")[0] for text in sorted(said)] == [
        "the module :bench is a separate module of tests (com.android.test)",
        "the module :extra is a dynamic feature",
    ]
