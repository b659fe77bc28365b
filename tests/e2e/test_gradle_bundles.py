"""Unedited projects with real Gradle: bundles are complete, and the user's files are not changed."""

from __future__ import annotations

import io
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.gradle_builds import Build, contents, is_instrumented, methods, modules, run_tests
from support.gradle_projects import JUNIT, compiled, junit_class, main_class, single, tree_hash, write

from navitas.base.errors import BuildError, UsageError
from navitas.capture.build.sample import copy_sample
from navitas.capture.bundle.reader import Bundle

_PLAIN_TEST = (
    'org.junit.Assert.assertEquals("42", System.getProperty("answer")); new A().f();'
    'for (String name : new String[] {"/a.txt", "/t.txt"}) org.junit.Assert.assertNotNull(name, ATest.class.getResource(name));'
)
_SETTINGS = """
test {
    jvmArgs '-Xss2m', '-javaagent:agent.jar'
    maxHeapSize = '300m'
    systemProperty 'a.b', 'c d'
    environment 'SET', 'ü'
    environment 'CHANGED', 'after'
    workingDir = file('src')
}
"""
_FILES = {
    "settings.gradle": "include 'plain', 'packages', 'set', 'agent', 'empty'\n",
    "build.gradle": f"allprojects {{ apply plugin: 'java'\n{JUNIT} }}\n",
    "plain/build.gradle": "test { systemProperty 'answer', '42' }\n",
    "plain/src/main/java/p/A.java": main_class("A"),
    "plain/src/main/resources/a.txt": "a",
    "plain/src/test/java/p/ATest.java": junit_class("ATest", _PLAIN_TEST),
    "plain/src/test/resources/t.txt": "t",
    "packages/src/main/java/org/hamcrest/Own.java": "package org.hamcrest; public class Own { public int f() { return 1; } }\n",
    "packages/src/test/java/org/junit/OwnTest.java": (
        "package org.junit; public class OwnTest { @Test public void t() { new org.hamcrest.Own().f(); } }\n"
    ),
    "set/build.gradle": _SETTINGS,
    "set/src/test/java/p/ATest.java": junit_class("ATest", ""),
    "agent/build.gradle": "apply plugin: 'jacoco'\n",
    "agent/src/test/java/p/ATest.java": junit_class("ATest", ""),
    "empty/src/main/java/p/A.java": main_class("A"),
}


@dataclass(frozen=True)
class Built:
    """A build of several modules, hashes of its outputs before and after it was built for profiling, and its bundles."""

    project: Path
    before: dict[str, str]
    after: dict[str, str]
    bundles: dict[str, Bundle]


@pytest.fixture(scope="module")
def built(any_gradle: str, tmp_path_factory: pytest.TempPathFactory) -> Built:
    project = write(tmp_path_factory.mktemp("built") / "modules", _FILES)
    subprocess.run([any_gradle, "-q", "-p", str(project), "assemble", "testClasses"], check=True, capture_output=True)
    before = outputs(project)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INHERITED", "yes")
        patch.setenv("CHANGED", "before")
        bundles = Build(project, any_gradle).bundles
    return Built(project, before, outputs(project), {bundle.manifest.module: bundle for bundle in bundles})


def outputs(project: Path) -> dict[str, str]:
    """Return a hash of each file that the user's own tasks wrote."""
    folders = [folder for name in ("classes", "libs", "resources") for folder in sorted(project.glob(f"*/build/{name}"))]
    return {f"{folder} {name}": digest for folder in folders for name, digest in tree_hash(folder).items()}


def test_a_second_build_of_the_sample_is_up_to_date(tmp_path: Path, gradle: str) -> None:
    project = copy_sample(tmp_path / "sample")
    first = Build(project, gradle)
    (bundle,) = first.bundles
    manifest = bundle.manifest
    assert (manifest.package, manifest.module, manifest.project) == ("org.navitas.sample", ":", "sample")
    assert manifest.working_dir == "../.."
    assert bundle.working_dir == project
    assert manifest.class_path[:2] == ["test-classes", "classes"]
    assert [path.partition("-")[2] for path in manifest.class_path[2:]] == [
        "junit-4.13.2.jar",
        "hamcrest-core-1.3.jar",
        "navitas-runtime.jar",
        "navitas-runtime-junit.jar",
    ]
    assert manifest.java_home is not None
    assert (Path(manifest.java_home) / "bin" / "java").is_file()
    files = contents(bundle)
    assert is_instrumented(files["classes/org/navitas/sample/KnownCases.class"])
    assert is_instrumented(files["test-classes/org/navitas/sample/DemoTest.class"])
    assert files["classes/META-INF/navitas/map.properties"].split() == [f"map_id={manifest.map_id}".encode()]
    assert ("org.navitas.sample.KnownCases", "recurse") in methods(bundle)
    assert set(modules(bundle).values()) == {("main", ":"), ("test", ":")}
    assert first.outcome(":test") == "absent"

    second = Build(project, gradle)
    assert second.outcome(":navitasInstrument") == second.outcome(":navitasBundle") == "UP-TO-DATE"
    assert [bundle.path for bundle in second.bundles] == [bundle.path]
    assert contents(second.bundles[0]) == files


def test_bundles_contain_the_code_that_modules_depend_on(tmp_path: Path, gradle: str) -> None:
    apply = f"apply plugin: 'java'\n{JUNIT}"
    project = write(
        tmp_path / "multi",
        {
            "settings.gradle": "rootProject.name = 'multi'\ninclude 'app', 'lib', 'docs'\n",
            "build.gradle": f"{apply}dependencies {{ implementation project(':app') }}\n",
            "app/build.gradle": f"{apply}dependencies {{ implementation project(':lib') }}\n",
            "lib/build.gradle": f"{apply}",
            "docs/build.gradle": "",
            "src/test/java/p/RootTest.java": junit_class("RootTest", "new App().f();"),
            "app/src/main/java/p/App.java": main_class("App", "return new Lib().f();"),
            "app/src/test/java/p/AppTest.java": junit_class("AppTest", "new App().f();"),
            "lib/src/main/java/p/Lib.java": main_class("Lib"),
            "lib/src/main/resources/lib.txt": "lib",
        },
    )
    bundles = {bundle.manifest.module: bundle for bundle in Build(project, gradle).bundles}
    assert list(bundles) == [":", ":app"]
    assert modules(bundles[":app"]) == {"p.App": ("main", ":app"), "p.AppTest": ("test", ":app"), "p.Lib": ("main", ":lib")}
    assert modules(bundles[":"]) == {"p.RootTest": ("test", ":"), "p.App": ("main", ":app"), "p.Lib": ("main", ":lib")}
    (name,) = (path for path in bundles[":app"].manifest.class_path if path.endswith("-lib.jar"))
    with zipfile.ZipFile(io.BytesIO(contents(bundles[":app"])[name])) as jar:
        assert is_instrumented(jar.read("p/Lib.class"))
        assert jar.read("lib.txt") == b"lib"
    assert not any(is_instrumented(path.read_bytes()) for path in (project / "lib" / "build" / "classes").rglob("*.class"))
    assert "OK (1 test)" in run_tests(bundles[":app"], tmp_path / "unpacked", "p.AppTest")


def test_the_users_outputs_are_not_changed(built: Built) -> None:
    assert built.before
    assert built.after == built.before
    assert not any(is_instrumented(path.read_bytes()) for path in built.project.glob("*/build/classes/**/*.class"))


def test_the_bundles_tests_run(tmp_path: Path, built: Built) -> None:
    assert "OK (1 test)" in run_tests(built.bundles[":plain"], tmp_path / "unpacked", "p.ATest")


def test_a_projects_classes_get_probes_in_any_package(tmp_path: Path, built: Built) -> None:
    bundle = built.bundles[":packages"]
    assert {("org.hamcrest.Own", "f"), ("org.junit.OwnTest", "t")} <= set(methods(bundle))
    assert not any(name == "org.hamcrest.Matcher" for name, _ in methods(bundle))
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "org.junit.OwnTest")


def test_a_parent_may_apply_java_for_its_modules(built: Built) -> None:
    assert list(built.bundles) == [":agent", ":packages", ":plain", ":set"]


def test_the_tests_jvm_has_the_builds_settings(built: Built) -> None:
    bundle = built.bundles[":set"]
    manifest = bundle.manifest
    assert {"-Xss2m", "-Xmx300m", "-ea"} <= set(manifest.jvm_args)
    assert not any("agent" in argument for argument in manifest.jvm_args)
    assert any("-javaagent:agent.jar" in warning for warning in manifest.warnings)
    assert manifest.system_properties["a.b"] == "c d"
    assert set(manifest.environment) == {"SET", "CHANGED"}
    assert manifest.environment["CHANGED"] == "after"
    assert bundle.working_dir == built.project / "set" / "src"


def test_jacoco_is_excluded(built: Built) -> None:
    assert not any("agent" in argument for argument in built.bundles[":agent"].manifest.jvm_args)


def test_a_module_is_chosen(built: Built, any_gradle: str) -> None:
    (only,) = Build(built.project, any_gradle, module=":plain").bundles
    assert only.manifest.module == ":plain"
    with pytest.raises(UsageError, match="nope"):
        Build(built.project, any_gradle, module=":nope")
    with pytest.raises(BuildError, match="no tests"):
        Build(built.project, any_gradle, module=":empty")


def test_the_bundle_follows_options_and_sources(tmp_path: Path, any_gradle: str) -> None:
    project = write(single(tmp_path / "p"), {"src/main/java/p/B.java": main_class("B")})
    (only_main,) = Build(project, any_gradle, instrument_tests=False).bundles
    assert modules(only_main) == {"p.A": ("main", ":"), "p.B": ("main", ":")}
    assert contents(only_main)["test-classes/p/ATest.class"] == (project / "build/classes/java/test/p/ATest.class").read_bytes()
    assert contents(only_main)["test-classes/t.txt"] == b"t"
    (selected,) = Build(project, any_gradle, include=["p.*"], exclude=["p.B", "**Test"]).bundles
    assert {name for name, _ in methods(selected)} == {"p.A"}
    (all_classes,) = Build(project, any_gradle).bundles
    assert modules(all_classes) == {"p.A": ("main", ":"), "p.B": ("main", ":"), "p.ATest": ("test", ":")}
    before = contents(all_classes)

    (project / "src/main/java/p/B.java").unlink()
    write(project, {"src/main/java/p/A.java": main_class("A", "return 2;")})
    (changed,) = Build(project, any_gradle).bundles
    after = contents(changed)
    assert not any(name.endswith("/B.class") for name in after)
    assert ("p.B", "f") not in methods(changed)
    assert after["classes/p/A.class"] != before["classes/p/A.class"]

    write(project, {"src/main/java/p/A.java": main_class("A", "return nonsense;")})
    with pytest.raises(BuildError, match="nonsense"):
        Build(project, any_gradle)

    write(project, {"src/main/java/p/A.java": main_class("A")})
    (project / "src/test/java/p/ATest.java").unlink()
    with pytest.raises(BuildError, match="no tests"):
        Build(project, any_gradle)
    assert not changed.path.exists()


_LIBRARY = {"org/lib/Tool.java": "package org.lib; public class Tool { public static int twice(int x) { return 2 * x; } }"}


def test_include_patterns_select_libraries_too_and_idle_patterns_are_named(tmp_path: Path, any_gradle: str) -> None:
    library = compiled(tmp_path / "library", _LIBRARY)
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": "include 'app', 'other'\n",
            "build.gradle": f"allprojects {{ apply plugin: 'java'\n{JUNIT} }}\n",
            "app/build.gradle": "dependencies { implementation files('../tool-1.jar') }\n",
            "app/src/main/java/p/A.java": main_class("A", "return org.lib.Tool.twice(21);"),
            "app/src/test/java/p/ATest.java": junit_class("ATest", "org.junit.Assert.assertEquals(42, new A().f());"),
            "other/src/test/java/p/BTest.java": junit_class("BTest", ""),
        },
    )
    with zipfile.ZipFile(project / "tool-1.jar", "w") as jar:
        jar.write(library / "org/lib/Tool.class", "org/lib/Tool.class")
    app, other = Build(project, any_gradle, include=["p.A", "org.lib.**"], exclude=["p.A#g", "p.BTest"]).bundles
    assert methods(app) == {("p.A", "<init>"), ("p.A", "f"), ("org.lib.Tool", "<init>"), ("org.lib.Tool", "twice")}
    assert modules(app)["org.lib.Tool"] == ("dependency", ":app")
    run_tests(app, tmp_path / "unpacked", "p.ATest")
    assert [text.partition(":")[2] for text in app.manifest.warnings if "libraries have probes" in text] == [
        " tool-1.jar (2 methods)"
    ]
    assert {
        ":other: no class matches the include pattern 'p.A'",
        ":other: no class matches the include pattern 'org.lib.**'",
    } <= {text.partition(" (")[0] for text in other.manifest.warnings}
    assert not any("pattern 'p.A'" in text for text in app.manifest.warnings)
    assert set(app.manifest.unused_excludes) & set(other.manifest.unused_excludes) == {"p.A#g"}
    assert "p.BTest" in app.manifest.unused_excludes


_PLUGIN = {
    "Fake.java": "public class Fake implements org.gradle.api.Plugin<Object> { public void apply(Object project) { } }",
    "org/gradle/api/Plugin.java": "package org.gradle.api; public interface Plugin<T> { void apply(T target); }",
}


def test_android_classes_that_are_not_found_are_reported(tmp_path: Path, any_gradle: str) -> None:
    with zipfile.ZipFile(tmp_path / "fake.jar", "w") as jar:
        jar.write(compiled(tmp_path / "fake", _PLUGIN) / "Fake.class", "Fake.class")
        jar.writestr("META-INF/gradle-plugins/com.android.application.properties", "implementation-class=Fake\n")
    build = "buildscript { dependencies { classpath files('../fake.jar') } }\napply plugin: 'com.android.application'\n"
    root = write(tmp_path / "android", {"settings.gradle": "", "build.gradle": build})
    with pytest.raises(BuildError, match="the classes of the Android Gradle Plugin are not visible"):
        Build(root, any_gradle)
