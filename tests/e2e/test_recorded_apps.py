"""The app of an unchanged Android project is built and recorded in use, without tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.android_projects import build_file, copy_project, fixture_params
from support.command_line import NAVITAS

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
    assert f"or measure a use of the app: navitas record {project}" in " ".join(profiled.stderr.split()), profiled.stderr
    recorded = navitas("record", *build, "--monkey", 20, "-o", tmp_path / "rec")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    report = json.loads((tmp_path / "rec/report.json").read_text("utf-8"))
    assert report["totals"]["energy_j"] > 0 and '"onCreate"' in json.dumps(report)
    assert build_file(project).read_bytes() == before
