"""What leaves probes out of a build that applies the plugin: the block, properties, and build types that are not debuggable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.android_projects import apply_plugin, build_file, classes, copy_project, fixture_params, probed_methods
from support.gradle_builds import Build
from support.gradle_projects import JUNIT, junit_class, main_class, write

from navitas.build.plugin_repository import install_plugin
from navitas.errors import UsageError

PLUGIN = "id 'org.navitas' version '0.1.0'"
OFF = "navitas { enabled = false }\n"
SAID = "has probes (navitas { enabled = false } leaves them out)"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The repository with the plugin, as a line of a settings file."""
    return f"maven {{ url = uri('{install_plugin(tmp_path_factory.mktemp('plugins'))}') }}"


def run(gradle: str, project: Path, *arguments: str, succeeds: bool = True) -> str:
    done = subprocess.run([gradle, "--console=plain", *arguments], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == succeeds, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_module_of_java_is_left_out(tmp_path: Path, any_gradle: str, place: str) -> None:
    files = {
        "settings.gradle": f"pluginManagement {{ repositories {{ {place}\n mavenCentral() }} }}\nrootProject.name = 'p'\n",
        "build.gradle": f"plugins {{ id 'java'\n{PLUGIN} }}\n{JUNIT}{OFF}",
        "src/main/java/p/Main.java": main_class("Main"),
        "src/test/java/p/MainTest.java": junit_class("MainTest", "new Main().f();"),
    }
    project = write(tmp_path / "p", files)
    for task in ("navitasProfile", "navitasBundle"):
        said = run(any_gradle, project, task, succeeds=False)
        assert "gets no probes, because of navitas { enabled = false } or navitas.enabled=false" in said
    assert not (project / "build/navitas/map.json").exists()
    with pytest.raises(UsageError, match="nothing to profile: the module : gets no probes"):
        Build(project, any_gradle)
    assert ":navitasBundle SKIPPED" in run(any_gradle, project, "navitasProfile", "-Pnavitas.enabled=true", "--dry-run")
    assert ":navitasBundle" not in run(any_gradle, project, "navitasProfile", "--dry-run")
    (project / "gradle.properties").write_text("navitas.enabled=true\n")
    assert len(Build(project, any_gradle).bundles) == 1, "the property outranks the block"


class App:
    """A fixture whose app applies the plugin."""

    def __init__(self, name: str, into: Path, gradle: str, place: str) -> None:
        self.project = copy_project(name, into)
        self.gradle = gradle
        self.flavor = "demo" if name == "b" else ""
        apply_plugin(self.project, place, PLUGIN)
        self.build = build_file(self.project)
        self.module = self.build.parent
        self.text = self.build.read_text()
        if name != "a":
            self.text += "android { lint { checkReleaseBuilds false } }\n"

    def variant(self, build_type: str) -> str:
        return self.flavor + build_type.capitalize() if self.flavor else build_type

    def assemble(self, block: str, *arguments: str, build_type: str = "debug") -> tuple[str, Path]:
        """Build a variant's APK with more lines in the build file. Return Gradle's output and the APK."""
        self.build.write_text(self.text + block)
        variant = self.variant(build_type)
        said = run(self.gradle, self.project, f"assemble{variant[0].upper()}{variant[1:]}", *arguments)
        (apk,) = (self.module / "build/outputs/apk" / self.flavor / build_type).glob("*.apk")
        return said, apk


def navitas_classes(apk: Path) -> set[str]:
    return {name for name in classes(apk) if name.startswith("org/navitas/")}


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a", "b", "c"), indirect=["gradle"])
def test_an_apk_without_probes_has_no_class_of_navitas(
    tmp_path: Path, gradle: str, place: str, name: str, android_sdk: Path
) -> None:
    app = App(name, tmp_path, gradle, place)
    debug = app.variant("debug")
    said, apk = app.assemble("")
    assert said.count(SAID) == 1
    assert f"the APK of {debug} {SAID}" in said
    assert probed_methods(apk)
    for block, arguments in (
        ("", ("-Pnavitas.enabled=false",)),
        (OFF, ()),
        (f"navitas {{ disableVariant '{debug}' }}\n", ()),
        ("", (f"-Pnavitas.disableVariant={debug}",)),
    ):
        said, apk = app.assemble(block, *arguments)
        assert navitas_classes(apk) == set(), (block, arguments)
        assert SAID not in said
    said = run(gradle, app.project, "navitasProfile", f"-Pnavitas.variant={debug}", "-Pnavitas.enabled=false", succeeds=False)
    assert "gets no probes, because of navitas { enabled = false } or navitas.enabled=false" in said
    said, apk = app.assemble("", build_type="release")
    assert navitas_classes(apk) == set()
    assert SAID not in said


@pytest.mark.parametrize(("gradle", "name"), fixture_params("a", "c"), indirect=["gradle"])
def test_a_tested_release_has_probes_by_its_name_only(
    tmp_path: Path, gradle: str, place: str, name: str, android_sdk: Path
) -> None:
    app = App(name, tmp_path, gradle, place)
    tested = "android { testBuildType 'release' }\n"
    said, apk = app.assemble(tested, build_type="release")
    assert navitas_classes(apk) == set()
    assert SAID not in said
    said = run(gradle, app.project, "navitasProfile", succeeds=False)
    assert "has no probes in release, because it is not debuggable: select it with --variant release" in said
    with pytest.raises(UsageError, match="has no probes in release, because it is not debuggable"):
        Build(app.project, gradle)

    said, apk = app.assemble(f"{tested}navitas {{ variant 'release' }}\n", build_type="release")
    assert {"org/navitas/runtime/Probe", "org/navitas/map/NavitasMap"} <= navitas_classes(apk)
    assert f"the APK of release {SAID}" in said
    assert "the APK of release has probes and is not debuggable" in said
