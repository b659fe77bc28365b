"""What leaves probes out of a build that applies the plugin: the block, properties, and build types that are not debuggable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.android_apps import apply_plugin, classes, probed_methods
from support.android_projects import FLAVORS, build_file, copy_project, fixture_params, without_kotlin
from support.gradle_builds import Build
from support.gradle_projects import JUNIT, junit_class, main_class, write

from navitas.base.errors import UsageError
from navitas.capture.build.plugin_repository import install_plugin

OFF = "navitas { enabled = false }\n"
SAID = "has probes (navitas { enabled = false } leaves them out)"
REFUSED = "gets no probes, because of navitas { enabled = false } or navitas.enabled=false"

pytestmark = pytest.mark.extended


def run(gradle: str, project: Path, *arguments: str, succeeds: bool = True) -> str:
    done = subprocess.run([gradle, "--console=plain", *arguments], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == succeeds, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_module_of_java_is_left_out(tmp_path: Path, any_gradle: str) -> None:
    """The task `navitasBundle`: JavaBuildTest."""
    place = f"maven {{ url = uri('{install_plugin(tmp_path / 'plugins')}') }}"
    files = {
        "settings.gradle": f"pluginManagement {{ repositories {{ {place}\n mavenCentral() }} }}\nrootProject.name = 'p'\n",
        "build.gradle": f"plugins {{ id 'java'\nid 'org.navitas' version '0.1.0' }}\n{JUNIT}{OFF}",
        "src/main/java/p/Main.java": main_class("Main"),
        "src/test/java/p/MainTest.java": junit_class("MainTest", "new Main().f();"),
    }
    project = write(tmp_path / "p", files)
    assert REFUSED in run(any_gradle, project, "navitasProfile", succeeds=False)
    assert not (project / "build/navitas/map.json").exists()
    with pytest.raises(UsageError, match="nothing to profile: the module : gets no probes"):
        Build(project, any_gradle)
    assert ":navitasBundle SKIPPED" in run(any_gradle, project, "navitasProfile", "-Pnavitas.enabled=true", "--dry-run")
    assert ":navitasBundle" not in run(any_gradle, project, "navitasProfile", "--dry-run")
    (project / "gradle.properties").write_text("navitas.enabled=true\n")
    assert len(Build(project, any_gradle).bundles) == 1, "the property outranks the block"


class App:
    """The fixture `a` or `c` with the flavors `demo` and `full`. Its app applies the plugin."""

    def __init__(self, name: str, into: Path, gradle: str) -> None:
        self.name = name
        self.project = without_kotlin(copy_project(name, into))
        self.gradle = gradle
        apply_plugin(self.project, into / "plugins")
        self.build = build_file(self.project)
        self.text = self.build.read_text() + FLAVORS
        if name != "a":
            # Minification would remove Navitas' classes from releases that do not use them.
            self.text += "android { lint { checkReleaseBuilds false }\nbuildTypes { release { minifyEnabled false } } }\n"

    def run(self, block: str, *arguments: str, succeeds: bool = True) -> str:
        """Run Gradle with more lines in the build file, and return its output."""
        self.build.write_text(self.text + block)
        return run(self.gradle, self.project, *arguments, succeeds=succeeds)

    def apk(self, flavor: str, build_type: str) -> Path:
        (apk,) = (self.build.parent / "build/outputs/apk" / flavor / build_type).glob("*.apk")
        return apk

    def navitas_classes(self, flavor: str, build_type: str) -> set[str]:
        return {name for name in classes(self.apk(flavor, build_type)) if name.startswith("org/navitas/")}


# The plugin has two adapters to Android builds: one up to 7.3, as for `a`, and one since 7.4. They leave probes out in the same
# way for all versions that they serve.
BUILDS = [pytest.param(build.values, id=build.id, marks=build.marks) for build in fixture_params("a", "c")]


@pytest.fixture(scope="module", params=BUILDS)
def app(request: pytest.FixtureRequest, daemons: None, tmp_path_factory: pytest.TempPathFactory) -> App:
    launcher, name = request.param
    return App(name, tmp_path_factory.mktemp("app"), launcher)


@pytest.mark.usefixtures("android_sdk")
def test_an_apk_without_probes_has_no_class_of_navitas(app: App) -> None:
    tasks = ("assembleDemoDebug", "assembleFullDebug", "assembleDemoRelease")
    said = app.run("navitas { disableVariant 'fullDebug' }\n", *tasks)
    assert said.count(SAID) == 1
    assert f"the APK of demoDebug {SAID}" in said
    assert probed_methods(app.apk("demo", "debug"))
    assert app.navitas_classes("full", "debug") == set()
    assert app.navitas_classes("demo", "release") == set()

    said = app.run(OFF, "assembleDemoDebug", "navitasProfile", "--continue", succeeds=False)
    assert app.navitas_classes("demo", "debug") == set()
    assert SAID not in said and REFUSED in said

    if app.name == "a":  # properties are found in the same way with all plugins
        for setting in ("enabled=false", "disableVariant=demoDebug"):
            said = app.run("", "assembleDemoDebug", f"-Pnavitas.{setting}")
            assert app.navitas_classes("demo", "debug") == set(), setting
            assert SAID not in said


@pytest.mark.usefixtures("android_sdk")
def test_a_tested_release_has_probes_by_its_name_only(app: App) -> None:
    tested = "android { testBuildType 'release' }\n"
    said = app.run(f"{tested}navitas {{ variant 'fullRelease' }}\n", "assembleDemoRelease", "assembleFullRelease")
    assert app.navitas_classes("demo", "release") == set()
    assert {"org/navitas/runtime/Probe", "org/navitas/map/NavitasMap"} <= app.navitas_classes("full", "release")
    assert said.count(SAID) == 1
    assert f"the APK of fullRelease {SAID}" in said
    assert "the APK of fullRelease has probes and is not debuggable" in said

    if app.name == "a":  # the choice of variants is the same with all plugins
        said = app.run(tested, "assembleDemoRelease", "navitasProfile", "--continue", succeeds=False)
        assert app.navitas_classes("demo", "release") == set()
        assert SAID not in said
        why = "has no probes in demoRelease, because it is not debuggable"
        assert f"{why}: select it with --variant demoRelease" in said
        with pytest.raises(UsageError, match=why):
            Build(app.project, app.gradle)
