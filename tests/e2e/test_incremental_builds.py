"""An edit of one file of an Android app with probes: which classes get other bytes, and which are dexed again."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

import pytest
from support.android_projects import build_file, copy_project, fixture_params, probed_methods
from support.gradle_projects import main_class, write
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


def build(gradle: str, project: Path, task: str) -> list[str]:
    """Build an app with probes, and return the tasks that did something."""
    plugin = f"-Pnavitas.pluginJar={jar('navitas-gradle-plugin.jar')}"
    command = [gradle, "--console=plain", "--init-script", str(INIT_SCRIPT), plugin, task]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.findall(r"^> Task (\S+)$", done.stdout, re.MULTILINE)


def of_modules(gradle: str, project: Path) -> list[str]:
    return build(gradle, project, TASK["b"])


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_an_edit_touches_only_its_module(tmp_path: Path, gradle: str, name: str) -> None:
    project = large_app(name, tmp_path, 60)
    of_modules(gradle, project)
    (apk,) = project.glob("app/build/outputs/apk/demo/debug/*.apk")
    assert {"p000/C000.step", "q000/C000.step", "org/example/text/Index.find"} <= probed_methods(apk)

    add_method(project, 1)
    ran = of_modules(gradle, project)
    assert {":app:navitasInstrumentDemoDebugApp", ":app:mergeProjectDexDemoDebug"} <= set(ran)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex|mergeLibDex|Modules$", task)], ran

    library = project / "text/src/main/java/q000/C000.java"
    ids = (project / "app/build/navitas/demoDebug/Modules/ids.json").read_text()
    before = contents(project / FOLDERS["b"][1], ".dex")
    library.write_text(library.read_text().replace("return n * 31", "return n * 37"))
    ran = of_modules(gradle, project)
    assert {":app:navitasInstrumentDemoDebugModules", ":app:mergeLibDexDemoDebug"} <= set(ran)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
    assert changed(before, contents(project / FOLDERS["b"][1], ".dex")) == {MAP}
    assert (project / "app/build/navitas/demoDebug/Modules/ids.json").read_text() == ids, "no other module is processed"

    library.write_text(
        library.read_text().replace("public int step", "public int added() { return step(1); }\n  public int step")
    )
    ran = of_modules(gradle, project)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
    assert "q000/C000.added" in probed_methods(apk)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
@pytest.mark.parametrize("is_used", [True, False])
def test_modules_of_included_builds_are_other_modules(tmp_path: Path, gradle: str, name: str, is_used: bool) -> None:
    """Which library a module of an included build stands for is not known before the build. It may be none."""
    project = copy_project(name, tmp_path)
    write(
        tmp_path / "utils",
        {
            "settings.gradle": "rootProject.name = 'utils'\n",
            "build.gradle": "apply plugin: 'java-library'\ngroup = 'org.example'\nversion = '1'\njava.sourceCompatibility = 8\n",
            "src/main/java/org/example/Utils.java": main_class("Utils").replace("package p", "package org.example"),
        },
    )
    with (project / "settings.gradle").open("a") as settings:
        settings.write("includeBuild '../utils'\n")
    build_script = build_file(project)
    others = "implementation 'org.example:utils:1'" if is_used else ""
    build_script.write_text(build_script.read_text().replace("implementation project(':search')", others))
    for source in (project / "app/src").rglob("*.java"):
        if "org.example.text" in source.read_text():
            source.unlink()
    assert ":app:mergeProjectDexDemoDebug" in of_modules(gradle, project)
    (apk,) = project.glob("app/build/outputs/apk/demo/debug/*.apk")
    assert ("org/example/Utils.f" in probed_methods(apk)) is is_used
    assert any(method.startswith("org/example/notes/") for method in probed_methods(apk))


LIBRARY = """plugins {{ id 'com.android.library' }}
android {{
  namespace 'org.example.steps{suffix}'
  compileSdk 28
  buildToolsVersion '35.0.0'
  defaultConfig {{ minSdk 21 }}
}}
"""


@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
@pytest.mark.parametrize("suffix", [".counter", ""])
def test_modules_of_newer_plugins_are_processed_alone(tmp_path: Path, gradle: str, name: str, suffix: str) -> None:
    """Also if a module has the package of the app, so that two classes can have one name, or a class without a package."""
    project = copy_project(name, tmp_path)
    with (project / "settings.gradle").open("a") as settings:
        settings.write("include ':counter'\n")
    script = build_file(project)
    shared = "android { buildFeatures { buildConfig true } }\n"
    script.write_text(f"{script.read_text()}\ndependencies {{ implementation project(':counter') }}\n{shared}")
    counter = "package org.example.counter; public class Counter {{ public int next(int n) {{ return n + {added}; }} }}\n"
    source = project / "counter/src/main/java/org/example/counter/Counter.java"
    write(
        project,
        {
            "counter/build.gradle": LIBRARY.format(suffix=suffix) + shared,
            "counter/src/main/java/org/example/counter/Counter.java": counter.format(added=1),
            "counter/src/main/java/Rootless.java": "public class Rootless { int size(String text) { return text.length(); } }\n",
        },
    )
    build(gradle, project, ":assembleDebug")
    (apk,) = project.glob("build/outputs/apk/debug/*.apk")
    assert {"org/example/counter/Counter.next", "Rootless.size"} <= probed_methods(apk)
    assert any(method.startswith("org/example/steps/StepsActivity.") for method in probed_methods(apk)), probed_methods(apk)

    source.write_text(counter.format(added=2))
    ran = build(gradle, project, ":assembleDebug")
    assert {":navitasInstrumentDebugModules", ":mergeLibDexDebug"} <= set(ran)
    source.write_text(counter.replace("next", "added").format(added=2))
    ran = build(gradle, project, ":assembleDebug")
    assert "org/example/counter/Counter.added" in probed_methods(apk)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
