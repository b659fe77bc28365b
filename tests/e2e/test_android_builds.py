"""Real Android builds of three generations: APKs with probes, signed, and bundles that tell of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.android_projects import android_project, classes, probed_methods
from support.gradle_projects import gradles

from navitas.build.bundle import Bundle
from navitas.build.gradle import INIT_SCRIPT, build_bundles
from navitas.build.jars import JARS
from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.manifest import Apk as AppApk
from navitas.errors import UsageError

PLUGIN = JARS / "navitas-gradle-plugin.jar"
pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("android")]


class Built:
    """What a build made of one module, and what Gradle said."""

    def __init__(
        self, project: Path, launcher: str, *, module: str = ":", variant: str | None = None, tests: bool = True
    ) -> None:
        self.lines: list[str] = []
        (self.bundle,) = build_bundles(
            project, gradle=launcher, module=module, variant=variant, instrument_tests=tests, on_line=self.lines.append
        )
        manifest = self.bundle.manifest
        assert isinstance(manifest, AndroidManifest)
        self.manifest = manifest
        self.folder = project / "extracted"
        self.folder.mkdir(exist_ok=True)

    def apk(self, name: str) -> Path:
        """An APK of the bundle whose signature holds."""
        path = self.bundle.extract(name, self.folder / name)
        subprocess.run(["apksigner", "verify", "--min-sdk-version", "21", str(path)], check=True, capture_output=True)
        return path

    def ran(self, pattern: str) -> list[str]:
        """Names of tasks that had something to do."""
        tasks = [match[1] for line in self.lines if (match := re.fullmatch(r"(?:> Task )?(:\S+)", line.strip()))]
        return [task for task in tasks if re.search(pattern, task)]


@pytest.fixture
def launcher(request: pytest.FixtureRequest, daemons: set[str]) -> str:
    """The Gradle that a fixture is for."""
    found = gradles().get(request.param)
    if found is None:
        pytest.skip(f"no Gradle {request.param}: neither NAVITAS_GRADLE_HOMES nor .gradle-homes has it (`make gradle-homes`)")
    daemons.add(found)
    return found


def classes_of_tests(bundle: Bundle) -> set[str]:
    """The test classes in a bundle's map."""
    return set(re.findall(r'"name": "([^"]+)", "sha256": "[^"]+", "source": "test"', bundle.map_bytes.decode()))


@pytest.mark.parametrize("launcher", ["path"], indirect=True)
def test_a_transform_for_old_plugins(tmp_path: Path, launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = android_project("a", tmp_path, monkeypatch)
    built = Built(project, launcher)
    manifest = built.manifest
    assert (manifest.package, manifest.test_package) == ("org.example.storage", "org.example.storage.test")
    assert (manifest.agp_version, manifest.variant, manifest.runner) == (
        "3.1.4",
        "debug",
        "androidx.test.runner.AndroidJUnitRunner",
    )
    assert manifest.apks.app == [AppApk(file="app.apk", abi=None)]
    app = built.apk("app.apk")
    assert {"org/example/storage/NumberFile.sort", "org/example/storage/StorageActivity.lambda$onCreate$0"} <= probed_methods(app)
    assert {"org/navitas/map/NavitasMap", "org/navitas/runtime/Probe"} <= classes(app)
    tests = built.apk("test.apk")
    assert "org/example/storage/RunnableTest.separateClass" in probed_methods(tests)
    assert "org/navitas/runtime/junit/NavitasListener" in classes(tests)
    assert {"org.example.storage.MultithreadingTest", "org.example.storage.StatisticsTest"} <= classes_of_tests(built.bundle)
    assert "org/example/storage/Statistics.spread" in probed_methods(app), "Kotlin"
    assert any("debuggable code runs slower" in warning for warning in manifest.warnings)
    again = Built(project, launcher)
    assert not again.ran("(?i)transformClasses|navitasBundle")
    assert again.bundle.map_bytes == built.bundle.map_bytes


@pytest.mark.parametrize("launcher", ["7.6.4"], indirect=True)
def test_variants_of_an_app_with_a_library(tmp_path: Path, launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = android_project("b", tmp_path, monkeypatch)
    with (project / "gradle.properties").open("a") as properties:
        properties.write("org.gradle.unsafe.configuration-cache=true\n")
    with pytest.raises(UsageError, match="the module :app has several variants: demoDebug, fullDebug"):
        Built(project, launcher, module=":app")

    built = Built(project, launcher, module=":app", variant="demoDebug")
    assert (built.manifest.package, built.manifest.test_package) == ("org.example.notes.demo", "org.example.notes.demo.test")
    app, tests = probed_methods(built.apk("app.apk")), probed_methods(built.apk("test.apk"))
    assert {"org/example/notes/NotesActivity.onCreate", "org/example/text/Index.find"} <= app
    assert {"org/example/notes/NotesActivityTest.findsNotes", "org/example/notes/WordsTest.countsWords"} <= tests
    assert {name.split("/")[0] for name in app | tests} == {"org"}
    assert not any(name.startswith("org/junit") for name in tests), "libraries have no probes"
    assert '"name": "org.example.text.Index", ' in built.bundle.map_bytes.decode()
    assert '"source": "main", "module": ":search"' in built.bundle.map_bytes.decode()

    again = Built(project, launcher, module=":app", variant="demoDebug")
    assert not again.ran("navitas(Instrument|Bundle)")
    assert any("Reusing configuration cache" in line for line in again.lines)

    activity = project / "app/src/main/java/org/example/notes/NotesActivity.java"
    activity.write_text(activity.read_text().replace('find("about")', 'find("note")'))
    edited = Built(project, launcher, module=":app", variant="demoDebug")
    assert edited.ran("navitasInstrument") == [":app:navitasInstrumentDemoDebugApp", ":app:navitasInstrumentDemoDebugTests"]
    assert not edited.ran("(?i)mergeExtDex.*AndroidTest"), "the tests' libraries are not dexed again"

    with (project / "gradle.properties").open("a") as properties:
        properties.write("org.gradle.unsafe.configuration-cache=false\nnavitas.adapter=transform\n")
    transformed = Built(project, launcher, module=":app", variant="demoDebug")
    assert transformed.manifest.map_id == edited.manifest.map_id
    assert probed_methods(transformed.apk("app.apk")) == app


@pytest.mark.parametrize("launcher", ["8.11.1"], indirect=True)
def test_a_release_like_variant(tmp_path: Path, launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = android_project("c", tmp_path, monkeypatch)
    built = Built(project, launcher, variant="benchmark", tests=False)
    assert (built.manifest.variant, built.manifest.debuggable, built.manifest.minified) == ("benchmark", False, True)
    assert built.manifest.mapping == "mapping.txt"
    assert "org.example.steps.Walk" in built.bundle.extract("mapping.txt", tmp_path / "mapping.txt").read_text()
    assert "org.example.steps.Walk" in built.bundle.map_bytes.decode()
    assert "org/navitas/runtime/Probe.enter" in probed_methods(built.apk("app.apk"))
    assert not probed_methods(built.apk("test.apk"))
    assert not any("debuggable" in warning for warning in built.manifest.warnings)


@pytest.mark.parametrize("launcher", ["7.6.4"], indirect=True)
def test_where_the_plugin_is_declared_does_not_matter(tmp_path: Path, launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only in the app, below a root project of plain Java: the root's class loader sees nothing of Android."""
    project = android_project("b", tmp_path, monkeypatch)
    (project / "build.gradle").write_text("apply plugin: 'java'\n")
    settings = project / "settings.gradle"
    settings.write_text(settings.read_text().partition("rootProject.name")[0] + "include ':feature:app'\n")
    build = (project / "app/build.gradle").read_text().replace("application'\n", "application' version '7.4.2'\n", 1)
    (project / "feature").mkdir()
    (project / "app").rename(project / "feature/app")
    (project / "feature/app/build.gradle").write_text(build.replace("    implementation project(':search')\n", ""))
    told = subprocess.run(
        [launcher, "-q", "--dry-run", "--init-script", str(INIT_SCRIPT), f"-Pnavitas.pluginJar={PLUGIN}",
         "-Pnavitas.variant=demoDebug", "navitasReport"],
        cwd=project, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ":feature:app:navitasBundleDemoDebug SKIPPED" in told.stdout
    assert "navitas: : is left out" in told.stdout
