"""An edit of one file of an Android app with probes: which classes get other bytes, and which are dexed again."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.android_apps import probed_methods
from support.android_projects import build_file, copy_project, fixture_params, without_kotlin
from support.gradle_projects import main_class, write
from support.large_app import MAP, Outputs, add_method, changed, large_app

from navitas.capture.build.gradle import INIT_SCRIPT
from navitas.capture.build.java import jar

pytestmark = [pytest.mark.extended, pytest.mark.usefixtures("android_sdk")]


def build(gradle: str, project: Path) -> list[str]:
    """Build an app with probes, and return the tasks that did something."""
    plugin = f"-Pnavitas.pluginJar={jar('navitas-gradle-plugin.jar')}"
    task = ":app:assembleDemoDebug" if project.name == "b" else ":assembleDebug"
    command = [gradle, "--console=plain", "--init-script", str(INIT_SCRIPT), plugin, task]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.findall(r"^> Task (\S+)$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a"), indirect=["gradle"])
def test_an_added_method_changes_only_its_class(tmp_path: Path, gradle: str, name: str) -> None:
    """Also with newer plugins: the next test, and test_android_builds.py."""
    project = without_kotlin(large_app(name, tmp_path, 60))
    add_method(project, 0)  # the order of the file's parts stays
    build(gradle, project)
    before = Outputs(project)
    add_method(project, 1)
    build(gradle, project)
    Outputs(project).check_one_class_changed(before)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_an_edit_touches_only_its_module(tmp_path: Path, gradle: str, name: str) -> None:
    project = large_app(name, tmp_path, 60)
    add_method(project, 0)
    build(gradle, project)
    (apk,) = project.glob("app/build/outputs/apk/demo/debug/*.apk")
    assert {"p000/C000.step", "q000/C000.step", "org/example/text/Index.find"} <= probed_methods(apk)

    before = Outputs(project)
    add_method(project, 1)
    ran = build(gradle, project)
    assert {":app:navitasInstrumentDemoDebugApp", ":app:mergeProjectDexDemoDebug"} <= set(ran)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex|mergeLibDex|Modules$", task)], ran
    Outputs(project).check_one_class_changed(before)

    library = project / "text/src/main/java/q000/C000.java"
    ids = (project / "app/build/navitas/demoDebug/Modules/ids.json").read_text()
    before = Outputs(project)
    library.write_text(library.read_text().replace("return n * 31", "return n * 37"))
    ran = build(gradle, project)
    assert {":app:navitasInstrumentDemoDebugModules", ":app:mergeLibDexDemoDebug"} <= set(ran)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
    assert changed(before.dex, Outputs(project).dex) == {MAP}
    assert (project / "app/build/navitas/demoDebug/Modules/ids.json").read_text() == ids, "no other module is processed"

    library.write_text(
        library.read_text().replace("public int step", "public int added() { return step(1); }\n  public int step")
    )
    ran = build(gradle, project)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
    assert "q000/C000.added" in probed_methods(apk)


@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_modules_of_included_builds_are_other_modules(tmp_path: Path, gradle: str, name: str) -> None:
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
    for source in (project / "app/src").rglob("*.java"):
        if "org.example.text" in source.read_text():
            source.unlink()
    build_script = build_file(project)
    text = build_script.read_text()
    for is_used in (True, False):
        others = "implementation 'org.example:utils:1'" if is_used else ""
        build_script.write_text(text.replace("implementation project(':search')", others))
        assert ":app:mergeProjectDexDemoDebug" in build(gradle, project)
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
BUILD_CONFIG = "android { buildFeatures { buildConfig true } }\n"
# A module can have the package of the app, so that two classes have one name.
SUFFIXES = {"counter": ".counter", "twin": ""}


def write_classes(project: Path, method: str, added: int) -> None:
    """Write the classes of two libraries, one of them without a package."""
    for name in SUFFIXES:
        write(
            project / name / "src/main/java",
            {
                f"org/example/{name}/Counter.java": f"package org.example.{name};\n"
                f"public class Counter {{ public int {method}(int n) {{ return n + {added}; }} }}\n",
                f"Rootless_{name}.java": f"public class Rootless_{name} {{ int size(String s) {{ return s.length(); }} }}\n",
            },
        )


@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_modules_of_newer_plugins_are_processed_alone(tmp_path: Path, gradle: str, name: str) -> None:
    project = copy_project(name, tmp_path)
    with (project / "settings.gradle").open("a") as settings:
        settings.write("".join(f"include ':{each}'\n" for each in SUFFIXES))
    used = "".join(f"implementation project(':{each}')\n" for each in SUFFIXES)
    with build_file(project).open("a") as script:
        script.write(f"\ndependencies {{ {used} }}\n{BUILD_CONFIG}")
    for each, suffix in SUFFIXES.items():
        write(project / each, {"build.gradle": LIBRARY.format(suffix=suffix) + BUILD_CONFIG})
    write_classes(project, "next", 1)
    build(gradle, project)
    (apk,) = project.glob("build/outputs/apk/debug/*.apk")
    probed = probed_methods(apk)
    assert {f"org/example/{each}/Counter.next" for each in SUFFIXES} <= probed
    assert {f"Rootless_{each}.size" for each in SUFFIXES} <= probed
    assert any(method.startswith("org/example/steps/StepsActivity.") for method in probed), probed

    write_classes(project, "next", 2)
    ran = build(gradle, project)
    assert {":navitasInstrumentDebugModules", ":mergeLibDexDebug"} <= set(ran)
    write_classes(project, "added", 2)
    ran = build(gradle, project)
    assert {f"org/example/{each}/Counter.added" for each in SUFFIXES} <= probed_methods(apk)
    assert not [task for task in ran if re.search("mergeDex|mergeExtDex", task)], ran
