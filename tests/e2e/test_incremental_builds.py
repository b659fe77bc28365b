"""An edit of one file of an Android app with probes: which classes get other bytes, and which are dexed again."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from support.android_projects import fixture_params
from support.large_app import add_method, large_app

from navitas.build.gradle import INIT_SCRIPT
from navitas.build.jars import jar

MAP = "org/navitas/map/NavitasMap"
EDITED = {"p000/C000", MAP}
TASK = {"a": "assembleDebug", "b": ":app:assembleDemoDebug", "c": "assembleDebug"}
FOLDERS = {
    "a": ("build/intermediates/transforms/navitas/debug", "build/intermediates/transforms/dexBuilder/debug"),
    "b": ("app/build/navitas/demoDebug", "app/build/intermediates/project_dex_archive/demoDebug"),
    "c": ("build/navitas/debug", "build/intermediates/project_dex_archive/debug"),
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.usefixtures("android_sdk")]


def contents(folder: Path, suffix: str) -> dict[str, str]:
    """Hashes of the files of an output by their path from the root of packages."""
    found = {}
    for path in folder.rglob(f"*{suffix}"):
        name = path.relative_to(folder).as_posix()
        starts = [name.find(root) for root in ("p0", "q0", "org/") if root in name]
        found[name[min(starts) :] if starts else name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name.rpartition(".")[0] for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a", "b", "c"), indirect=["gradle"])
def test_an_added_method_changes_only_its_class(tmp_path: Path, gradle: str, name: str) -> None:
    project = large_app(name, tmp_path, 60)
    add_method(project, 0)  # the order of the file's parts stays
    classes, dex = (project / folder for folder in FOLDERS[name])
    plugin = f"-Pnavitas.pluginJar={jar('navitas-gradle-plugin.jar')}"
    command = [gradle, "--init-script", str(INIT_SCRIPT), plugin, TASK[name]]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    before = contents(classes, ".class"), contents(dex, ".dex"), contents(dex, ".jar")
    assert {f"{edited}.class" for edited in EDITED} <= before[0].keys() and len(before[0]) > 40
    assert {f"{edited}.dex" for edited in EDITED} <= before[1].keys() and len(before[1]) > 40
    add_method(project, 1)
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    assert changed(before[0], contents(classes, ".class")) == EDITED
    assert changed(before[1], contents(dex, ".dex")) == EDITED
    assert changed(before[2], contents(dex, ".jar")) == set(), "libraries are dexed only once"
