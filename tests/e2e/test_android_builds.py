"""Real Android projects of three generations: APKs with probes, signed, profiled through adb on the virtual phone.

Each project is built once for as many assertions as possible, because builds are slow.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.android_apps import apply_plugin, classes, extract_apk, probed_methods
from support.android_projects import copy_project, fixture_params, without_kotlin
from support.command_line import NAVITAS
from support.framework import NotFetchedError, provide
from support.gradle_builds import Build, modules
from support.large_app import Outputs, add_method, large_app

from navitas.base.errors import UsageError
from navitas.capture.build.gradle import INIT_SCRIPT, BuildOptions, build_bundles
from navitas.capture.build.java import JARS
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.manifest import Apk as AppApk
from navitas.capture.bundle.reader import Bundle, open_bundle

PLUGIN = JARS / "navitas-gradle-plugin.jar"
SLOWER = "debuggable code runs slower than what users get"
# Hooks refer to classes that old phones and most apps lack, such as those of coroutines.
HOOKS = {
    f"org/navitas/hooks/{hook}"
    for hook in ("storage/Databases", "devices/NewerLocations", "threads/Coroutines", "devices/CameraCallback")
}
extended = pytest.mark.extended
pytestmark = [
    pytest.mark.usefixtures("android_sdk", "quick"),
    pytest.mark.skipif(not NAVITAS.is_file(), reason="navitas is not installed: make setup"),
]


def manifest_of(bundle: Bundle) -> AndroidManifest:
    assert isinstance(bundle.manifest, AndroidManifest)
    return bundle.manifest


class Built(Build):
    """The build of one module."""

    def __init__(self, project: Path, gradle: str, *, module: str = ":", hooks: bool = False, **options: object) -> None:
        super().__init__(project, gradle, module=module, hooks=hooks, hook_libraries=hooks, **options)
        (self.bundle,) = self.bundles
        self.manifest = manifest_of(self.bundle)

    def ran(self, pattern: str) -> list[str]:
        """Names of the executed tasks."""
        tasks = [match[1] for line in self.lines if (match := re.fullmatch(r"(?:> Task )?(:\S+)", line.strip()))]
        return [task for task in tasks if re.search(pattern, task)]

    def reuses_configuration(self) -> bool:
        return any("Reusing configuration cache" in line for line in self.lines)

    def check_hooks(self, plain: Built, plain_app: set[str]) -> None:
        """Compare with a build without hooks, and the classes of its APK."""
        assert classes(extract_apk(self.bundle)) >= HOOKS
        assert not any(found.startswith("org/navitas/hooks/") for found in plain_app)
        assert modules(plain.bundle) == modules(self.bundle)
        assert (self.manifest.hooks, plain.manifest.hooks) == (True, False)


class Profiled:
    """The report of `navitas profile PROJECT` or of another command."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.tests = {f"{test['class'].rpartition('.')[2]}#{test['method']}": test for test in report["tests"]}
        self.warnings = " ".join(warning["message"] for warning in report["warnings"])
        assert {test["status"] for test in report["tests"]} == {"passed"}
        for name, test in self.tests.items():
            parts = sum(thread["energy_j"] for thread in test["threads"])
            parts += test["other_processes_j"] + test["base_j"] + test["unattributed_j"]
            assert 0 < test["energy_j"] == pytest.approx(parts, rel=1e-6), name

    @classmethod
    def by_command(cls, project: Path, gradle: str, *arguments: str) -> Profiled:
        report = project / "report.json"
        command = [NAVITAS, "profile", project, "--gradle", gradle, "--output", project / "recording", "--replace"]
        done = subprocess.run(
            [*map(str, command), "--json", str(report), *arguments], cwd=project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return cls(json.loads(report.read_text("utf-8")))

    def calls(self, test: str) -> set[tuple[str, str]]:
        """Pairs of caller and callee in the call trees of a test's threads, as `Class.method`.

        Asserts that each call's energy with probes is positive and does not exceed its caller's.
        """
        found = set()
        for thread in self.tests[test]["threads"]:
            names = {each["id"]: f"{each['class'].rpartition('.')[2]}.{each['name']}" for each in thread["methods"]}
            nodes = {node["id"]: node for node in thread["nodes"]}
            for node in nodes.values():
                caller = nodes.get(node["parent"])
                if caller is not None:
                    slack = abs(thread["probes_j"]) + 1e-9 * caller["inclusive_j"]
                    assert -slack <= node["inclusive_j"] <= caller["inclusive_j"] + slack
                    found.add((names[caller["method"]], names[node["method"]]))
        return found

    def energy_of(self, test: str, method: str) -> float:
        """Inclusive energy in J of a method `Class.method` in a test, over all threads."""
        energies: list[float] = [
            each["inclusive_j"]
            for thread in self.tests[test]["threads"]
            for each in thread["methods"]
            if f"{each['class'].rpartition('.')[2]}.{each['name']}" == method
        ]
        return sum(energies)


def classes_of_tests(bundle: Bundle) -> set[str]:
    """The test classes in a bundle's map."""
    return {name for name, (source, _) in modules(bundle).items() if source == "test"}


@pytest.mark.parametrize("kotlin", [False, pytest.param(True, marks=extended)])
@pytest.mark.parametrize(("gradle", "name"), fixture_params("a"), indirect=["gradle"])
def test_old_plugins_use_the_transform_api(tmp_path: Path, gradle: str, name: str, *, kotlin: bool) -> None:
    project = copy_project(name, tmp_path)
    if not kotlin:
        without_kotlin(project)
    profiled = Profiled.by_command(project, gradle, "--tests", "Sto*Test#*", *(("--tests", "StatisticsTest#*") if kotlin else ()))
    assert ("StatisticsTest#computesTheSpread" in profiled.tests) == kotlin
    if kotlin:
        assert ("StatisticsTest.computesTheSpread", "Statistics.spread") in profiled.calls("StatisticsTest#computesTheSpread")
    assert ("NumberFile.write", "NumberFile.sort") in profiled.calls("StorageActivityTest#savesAtEachPress")
    assert profiled.energy_of("StorageActivityTest#savesAtEachPress", "NumberFile.save") > 0
    threads = {thread["name"] for thread in profiled.tests["StorageActivityTest#savesAtEachPress"]["threads"]}
    assert {"main", "Instr: androidx.test.runner.AndroidJUnitRunner"} <= threads
    assert SLOWER in profiled.warnings

    built = Built(project, gradle)
    assert not built.ran("(?i)transformClasses|navitas(Runtime|Bundle)"), "no input has changed"
    manifest = built.manifest
    assert (manifest.package, manifest.test_package) == ("org.example.storage", "org.example.storage.test")
    assert (manifest.agp_version, manifest.variant) == ("3.1.4", "debug")
    assert manifest.runner == "androidx.test.runner.AndroidJUnitRunner"
    assert manifest.apks.app == [AppApk(file="app.apk", abi=None)]
    app = extract_apk(built.bundle)
    assert {"org/example/storage/NumberFile.sort", "org/example/storage/StorageActivity.lambda$onCreate$0"} <= probed_methods(app)
    assert {"org/navitas/map/NavitasMap", "org/navitas/runtime/Probe"} <= classes(app)
    assert ("org/example/storage/Statistics.spread" in probed_methods(app)) == kotlin
    tests = extract_apk(built.bundle, "test.apk")
    assert "org/example/storage/RunnableTest.separateClass" in probed_methods(tests)
    assert "org/navitas/runtime/junit/NavitasListener" in classes(tests)
    assert {"org.example.storage.MultithreadingTest", "org.example.storage.RunnableTest"} <= classes_of_tests(built.bundle)
    assert ("org.example.storage.StatisticsTest" in classes_of_tests(built.bundle)) == kotlin

    if kotlin:  # in the larger form, as another build takes long
        hooked = Built(project, gradle, hooks=True)
        hooked.check_hooks(built, classes(app))
        assert hooked.manifest.map_id == manifest.map_id, "hooks change no method's id"


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_variants_of_an_app_with_a_library(tmp_path: Path, gradle: str, name: str) -> None:
    (tmp_path / "my notes").mkdir()
    project = copy_project(name, tmp_path / "my notes")
    properties = project / "gradle.properties"
    plain = properties.read_text()
    properties.write_text(f"{plain}org.gradle.unsafe.configuration-cache=true\n")
    with pytest.raises(UsageError, match="the module :app has several variants: demoDebug, fullDebug"):
        Built(project, gradle, module=":app")
    said: list[str] = []
    with pytest.raises(UsageError, match="no module has a variant 'proDebug' with tests") as error:
        build_bundles(project, BuildOptions(gradle=gradle, variant="proDebug"), on_line=said.append)
    assert "demoDebug (:app), fullDebug (:app)" in error.value.remedy
    assert not [line for line in said if line.startswith("> Task :app")], "the error precedes the build"

    profiled = Profiled.by_command(project, gradle, "--module", ":app", "--variant", "demoDebug")
    assert len(profiled.tests) == 3
    assert ("WordsTest.countsWords", "Words.distinct") in profiled.calls("WordsTest#countsWords")
    assert ("NotesActivity.find", "Index.find") in profiled.calls("NotesActivityTest#findsNotes")

    def build(*, hooks: bool = False) -> Built:
        return Built(project, gradle, module=":app", variant="demoDebug", hooks=hooks)

    built = build()
    assert not built.ran("navitas(Runtime|Instrument|Bundle)"), "no input has changed"
    assert built.outcome(":app:navitasInstrumentDemoDebugApp") == "UP-TO-DATE"
    assert (built.manifest.package, built.manifest.test_package) == ("org.example.notes.demo", "org.example.notes.demo.test")
    apk = extract_apk(built.bundle)
    app, app_classes, tests = probed_methods(apk), classes(apk), probed_methods(extract_apk(built.bundle, "test.apk"))
    assert {"org/example/notes/NotesActivity.onCreate", "org/example/text/Index.find"} <= app
    assert {"org/example/notes/NotesActivityTest.findsNotes", "org/example/notes/WordsTest.countsWords"} <= tests
    assert {name.split("/")[0] for name in app | tests} == {"org"}
    assert not any(name.startswith("org/junit") for name in tests), "libraries have no probes"
    assert modules(built.bundle)["org.example.text.Index"] == ("main", ":search")

    activity = project / "app/src/main/java/org/example/notes/NotesActivity.java"
    activity.write_text(activity.read_text().replace('find("about")', 'find("note")'))
    edited = build()
    assert edited.ran("navitasInstrument") == [":app:navitasInstrumentDemoDebugApp", ":app:navitasInstrumentDemoDebugTests"]
    assert edited.reuses_configuration()
    assert not edited.ran("(?i)mergeExtDex.*AndroidTest"), "the tests' libraries are dexed only once"

    hooked = build(hooks=True)
    hooked.check_hooks(edited, app_classes)
    assert hooked.manifest.map_id != edited.manifest.map_id, "with hooks, all modules are processed together"

    properties.write_text(f"{plain}navitas.adapter=transform\n")
    transformed = build()
    assert modules(transformed.bundle) == modules(edited.bundle)
    assert probed_methods(extract_apk(transformed.bundle)) == app


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_caches_and_a_release_like_variant(tmp_path: Path, gradle: str, name: str) -> None:
    project = large_app(name, tmp_path, 60)
    add_method(project, 0)
    try:
        provide()  # otherwise only the first build provides it, and the configuration cache is not reused
    except NotFetchedError as error:
        pytest.skip(f"no framework for the virtual phone: {error}")
    with (project / "gradle.properties").open("a") as properties:
        properties.write("org.gradle.caching=true\norg.gradle.configuration-cache=true\n")
    with (project / "settings.gradle").open("a") as settings:
        settings.write(f"buildCache.local.directory = new File('{tmp_path / 'cache'}')\n")
    profiled = Profiled.by_command(project, gradle, "--module", ":")
    assert ("StepsTest.countsSteps", "Walk.steps") in profiled.calls("StepsTest#countsSteps")
    assert profiled.energy_of("StepsTest#showsSteps", "StepsActivity.onCreate") > 0
    assert SLOWER in profiled.warnings

    before = Outputs(project)
    add_method(project, 1)
    assert Built(project, gradle).reuses_configuration()
    Outputs(project).check_one_class_changed(before)

    add_method(project, 0)
    shutil.rmtree(project / "build")
    cached = Built(project, gradle)
    made = {task: cached.outcome(f":navitas{task}") for task in ("InstrumentDebugApp", "InstrumentDebugTests", "BundleDebug")}
    assert set(made.values()) == {"FROM-CACHE"}, made
    assert cached.reuses_configuration()
    assert "org/example/steps/Walk.steps" in probed_methods(extract_apk(cached.bundle))
    assert "org/example/steps/StepsTest.countsSteps" in probed_methods(extract_apk(cached.bundle, "test.apk"))

    built = Built(project, gradle, variant="benchmark", hooks=True)
    assert (built.manifest.variant, built.manifest.debuggable, built.manifest.minified) == ("benchmark", False, True)
    assert built.manifest.mapping == "mapping.txt"
    assert "org.example.steps.Walk" in built.bundle.extract("mapping.txt", tmp_path / "mapping.txt").read_text()
    assert "org.example.steps.Walk" in modules(built.bundle)
    assert not any(SLOWER in warning for warning in built.manifest.warnings)
    assert "org/navitas/runtime/Probe.enter" in probed_methods(extract_apk(built.bundle))
    built.check_hooks(cached, classes(extract_apk(cached.bundle)))


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("a"), indirect=["gradle"])
def test_a_java_7_app_is_dexed_with_the_runtime(tmp_path: Path, gradle: str, name: str) -> None:
    """Without `compileOptions`, nothing is desugared. Dex code of Android 5 has no invokedynamic, so the runtime has none."""
    project = without_kotlin(copy_project(name, tmp_path))
    build = project / "build.gradle"
    build.write_text(re.sub(r"    compileOptions \{.*?\n    \}\n", "", build.read_text(), flags=re.DOTALL))
    properties = project / "gradle.properties"
    properties.write_text(properties.read_text().replace("android.enableD8.desugaring=true\n", ""))
    shutil.rmtree(project / "src/androidTest")
    (project / "src/main/java/org/example/storage/StorageActivity.java").unlink()
    manifest = project / "src/main/AndroidManifest.xml"
    manifest.write_text(re.sub(r"<activity.*</activity>", "", manifest.read_text(), flags=re.DOTALL))
    test = project / "src/androidTest/java/org/example/storage/OldTest.java"
    test.parent.mkdir(parents=True)
    test.write_text(
        "package org.example.storage;\n"
        "public class OldTest { @org.junit.Test public void works() { new TaskClass(); Helper.help(); } }\n"
        "class Helper { static void help() { } }\n"
    )
    built = Built(project, gradle)
    assert built.manifest.min_sdk == 21
    assert "org/navitas/runtime/Probe" in classes(extract_apk(built.bundle))
    assert "org/navitas/runtime/junit/NavitasListener" in classes(extract_apk(built.bundle, "test.apk"))


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_recording_an_app_without_tests_on_a_fresh_machine(
    tmp_path: Path, gradle: str, name: str, any_gradle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/android.md says, "Profile an app in use": with the plugin in the build, and nothing in the cache."""
    project = copy_project(name, tmp_path)
    shutil.rmtree(project / "src/androidTest")
    apply_plugin(project, tmp_path / "plugins")
    subprocess.run([gradle, "-q", "navitasBundleDebug"], cwd=project, check=True, capture_output=True)
    made = open_bundle(project / "build/navitas/debug/steps-debug.bundle.zip")
    manifest = manifest_of(made)
    assert (manifest.apks.test, manifest.runner, manifest.test_package) == (None, None, "org.example.steps")
    assert "org/example/steps/StepsActivity.onCreate" in probed_methods(extract_apk(made))

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    profiled = subprocess.run([str(NAVITAS), "profile", "--bundle", made.path], capture_output=True, text=True, check=False)
    assert profiled.returncode == 2 and "navitas record org.example.steps --bundle" in profiled.stderr, profiled.stderr
    command = ["record", "org.example.steps", "--bundle", made.path, "--gradle", any_gradle, "-o", tmp_path / "recording"]
    use = ["--json", tmp_path / "report.json", "--", "monkey", "-p", "org.example.steps", "-s", "5", "20"]
    done = subprocess.run([str(NAVITAS), *map(str, [*command, *use])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fetching Android's framework" in done.stderr
    profiled_use = Profiled(json.loads((tmp_path / "report.json").read_text("utf-8")))
    assert profiled_use.energy_of("steps#use", "StepsActivity.onCreate") > 0


# Trusts all that the project uses, and not the virtual phone's framework.
_VERIFIED = """<?xml version="1.0" encoding="UTF-8"?>
<verification-metadata xmlns="https://schema.gradle.org/dependency-verification">
  <configuration>
    <verify-metadata>true</verify-metadata>
    <verify-signatures>false</verify-signatures>
    <trusted-artifacts><trust group="^(?!org[.]robolectric).*$" regex="true"/></trusted-artifacts>
  </configuration>
  <components/>
</verification-metadata>
"""


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("c"), indirect=["gradle"])
def test_a_build_that_verifies_its_dependencies_does_not_fetch_the_framework(tmp_path: Path, gradle: str, name: str) -> None:
    project = copy_project(name, tmp_path)
    metadata = project / "gradle/verification-metadata.xml"
    metadata.parent.mkdir(exist_ok=True)
    metadata.write_text(_VERIFIED)
    provided: list[object] = []
    released = Built(project, gradle, variant="benchmark", provide=provided.append)
    assert not provided
    assert (released.manifest.minified, released.manifest.hooks) == (True, False)
    app = extract_apk(released.bundle)
    assert "org/navitas/runtime/Probe.enter" in probed_methods(app)
    assert not any(name.startswith("org/navitas/hooks/") for name in classes(app))
    metadata.unlink()
    chosen = {
        "include": ["org.example.steps.Walk", "**.StepsTest", "org.hamcrest.**", "org.exmaple.steps.*"],
        "exclude": ["a.B", "**.Walk#f"],
    }
    built = Built(project, gradle, provide=provided.append, **chosen)
    assert provided

    named = {kind for _, (kind, _) in modules(built.bundle).items()}
    assert named == {"main", "test", "dependency"}, "a pattern is idle if it matches nothing in the app and in its tests"
    idle = [text for text in built.manifest.warnings if "no class matches" in text]
    assert idle == ["no class matches the include pattern 'org.exmaple.steps.*' (nearest: org.example.steps.*)"]
    assert any("hamcrest" in text for text in built.manifest.warnings if "libraries have probes" in text)
    assert set(built.manifest.unused_excludes) == {"a.B", "**.Walk#f"}


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_the_android_plugin_may_be_declared_in_any_project(tmp_path: Path, gradle: str, name: str) -> None:
    """Declared only in the app, below a Java root project, whose class loader cannot see Android classes."""
    project = copy_project(name, tmp_path)
    (project / "build.gradle").write_text("apply plugin: 'java'\n")
    settings = project / "settings.gradle"
    settings.write_text(settings.read_text().partition("rootProject.name")[0] + "include ':feature:app'\n")
    build = (project / "app/build.gradle").read_text().replace("application'\n", "application' version '7.4.2'\n", 1)
    (project / "feature").mkdir()
    (project / "app").rename(project / "feature/app")
    (project / "feature/app/build.gradle").write_text(build.replace("    implementation project(':search')\n", ""))
    applied = [gradle, "-q", "--init-script", str(INIT_SCRIPT), f"-Pnavitas.pluginJar={PLUGIN}"]

    arguments = ["--dry-run", "-Pnavitas.variant=demoDebug", "navitasReport"]
    output = subprocess.run([*applied, *arguments], cwd=project, capture_output=True, text=True, check=True).stdout
    assert ":feature:app:navitasBundleDemoDebug SKIPPED" in output
    assert "navitas: : is left out" in output
