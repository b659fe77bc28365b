"""Unedited projects with real Gradle: bundles are complete, and the user's files are not changed."""

from __future__ import annotations

import io
import subprocess
import zipfile
from pathlib import Path

import pytest
from support.gradle_builds import Build, contents, is_instrumented, methods, modules, run_tests
from support.gradle_projects import JUNIT, junit_class, main_class, single, tree_hash, write

from navitas.build.sample import copy_sample
from navitas.errors import BuildError, UsageError


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


def test_the_users_outputs_are_not_changed(tmp_path: Path, any_gradle: str) -> None:
    project = single(tmp_path / "p")
    subprocess.run([any_gradle, "-q", "-p", str(project), "assemble", "testClasses"], check=True, capture_output=True)
    before = tree_hash(project / "build")
    Build(project, any_gradle)
    after = tree_hash(project / "build")
    theirs = {name: digest for name, digest in after.items() if name.startswith(("classes/", "libs/", "resources/"))}
    assert theirs
    assert theirs == {name: digest for name, digest in before.items() if name.startswith(("classes/", "libs/", "resources/"))}
    assert not any(is_instrumented(path.read_bytes()) for path in (project / "build" / "classes").rglob("*.class"))


def test_the_bundles_tests_run(tmp_path: Path, any_gradle: str) -> None:
    project = single(tmp_path / "p", "test { systemProperty 'answer', '42' }\n")
    body = (
        'org.junit.Assert.assertEquals("42", System.getProperty("answer")); new A().f();'
        'for (String name : new String[] {"/a.txt", "/t.txt"}) '
        "org.junit.Assert.assertNotNull(name, ATest.class.getResource(name));"
    )
    write(project, {"src/test/java/p/ATest.java": junit_class("ATest", body)})
    (bundle,) = Build(project, any_gradle).bundles
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "p.ATest")


def test_a_projects_classes_get_probes_in_any_package(tmp_path: Path, any_gradle: str) -> None:
    own = "package org.hamcrest; public class Own { public int f() { return 1; } }\n"
    test = "package org.junit; public class OwnTest { @Test public void t() { new org.hamcrest.Own().f(); } }\n"
    project = write(
        single(tmp_path / "p"), {"src/main/java/org/hamcrest/Own.java": own, "src/test/java/org/junit/OwnTest.java": test}
    )
    (bundle,) = Build(project, any_gradle).bundles
    assert {("org.hamcrest.Own", "f"), ("org.junit.OwnTest", "t")} <= set(methods(bundle))
    assert not any(name == "org.hamcrest.Matcher" for name, _ in methods(bundle))
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "org.junit.OwnTest")


def test_changed_and_removed_classes_update_the_bundle(tmp_path: Path, any_gradle: str) -> None:
    project = write(single(tmp_path / "p"), {"src/main/java/p/B.java": main_class("B")})
    (first,) = Build(project, any_gradle).bundles
    assert ("p.B", "f") in methods(first)
    before = contents(first)
    (project / "src/main/java/p/B.java").unlink()
    write(project, {"src/main/java/p/A.java": main_class("A", "return 2;")})
    (second,) = Build(project, any_gradle).bundles
    after = contents(second)
    assert not any(name.endswith("/B.class") for name in after)
    assert ("p.B", "f") not in methods(second)
    assert after["classes/p/A.class"] != before["classes/p/A.class"]


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

    (only,) = Build(project, gradle, module=":app").bundles
    assert only.manifest.module == ":app"
    with pytest.raises(UsageError, match="nope"):
        Build(project, gradle, module=":nope")
    with pytest.raises(BuildError, match="no tests"):
        Build(project, gradle, module=":lib")


@pytest.mark.parametrize("root", ["allprojects { apply plugin: 'java'\n%s }", "subprojects { apply plugin: 'java'\n%s }"])
def test_a_parent_may_apply_java_for_its_modules(tmp_path: Path, any_gradle: str, root: str) -> None:
    project = write(
        tmp_path / "multi",
        {
            "settings.gradle": "include 'app'\n",
            "build.gradle": root % JUNIT,
            "app/src/test/java/p/AppTest.java": junit_class("AppTest", ""),
        },
    )
    assert [bundle.manifest.module for bundle in Build(project, any_gradle).bundles] == [":app"]


def test_without_tests_only_main_classes_get_probes(tmp_path: Path, any_gradle: str) -> None:
    project = single(tmp_path / "p")
    (bundle,) = Build(project, any_gradle, instrument_tests=False).bundles
    assert modules(bundle) == {"p.A": ("main", ":")}
    plain = (project / "build/classes/java/test/p/ATest.class").read_bytes()
    assert contents(bundle)["test-classes/p/ATest.class"] == plain
    assert contents(bundle)["test-classes/t.txt"] == b"t"
    (again,) = Build(project, any_gradle).bundles
    assert modules(again) == {"p.A": ("main", ":"), "p.ATest": ("test", ":")}


def test_patterns_select_classes(tmp_path: Path, any_gradle: str) -> None:
    project = write(single(tmp_path / "p"), {"src/main/java/p/B.java": main_class("B")})
    (bundle,) = Build(project, any_gradle, include=["p.*"], exclude=["p.B", "**Test"]).bundles
    assert {name for name, _ in methods(bundle)} == {"p.A"}


def test_the_tests_jvm_has_the_builds_settings(tmp_path: Path, any_gradle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INHERITED", "yes")
    monkeypatch.setenv("CHANGED", "before")
    setup = """
        test {
            jvmArgs '-Xss2m', '-javaagent:agent.jar'
            maxHeapSize = '300m'
            systemProperty 'a.b', 'c d'
            environment 'SET', 'ü'
            environment 'CHANGED', 'after'
            workingDir = file('src')
        }
    """
    (bundle,) = Build(single(tmp_path / "p", setup), any_gradle).bundles
    manifest = bundle.manifest
    assert {"-Xss2m", "-Xmx300m", "-ea"} <= set(manifest.jvm_args)
    assert not any("agent" in argument for argument in manifest.jvm_args)
    assert any("-javaagent:agent.jar" in warning for warning in manifest.warnings)
    assert manifest.system_properties["a.b"] == "c d"
    assert set(manifest.environment) == {"SET", "CHANGED"}
    assert manifest.environment["CHANGED"] == "after"
    assert bundle.working_dir == tmp_path / "p" / "src"


def test_jacoco_is_excluded(tmp_path: Path, any_gradle: str) -> None:
    (bundle,) = Build(single(tmp_path / "p", "apply plugin: 'jacoco'\n"), any_gradle).bundles
    assert not any("agent" in argument for argument in bundle.manifest.jvm_args)


def test_a_compile_error_is_shown(tmp_path: Path, any_gradle: str) -> None:
    project = write(single(tmp_path / "p"), {"src/main/java/p/A.java": "package p; class A { int f() { return nonsense; } }"})
    with pytest.raises(BuildError, match="nonsense"):
        Build(project, any_gradle)


def test_a_module_that_loses_its_tests_loses_its_bundle(tmp_path: Path, any_gradle: str) -> None:
    project = single(tmp_path / "p")
    (bundle,) = Build(project, any_gradle).bundles
    (project / "src/test/java/p/ATest.java").unlink()
    with pytest.raises(BuildError, match="no tests"):
        Build(project, any_gradle)
    assert not bundle.path.exists()


def test_android_classes_that_are_not_found_are_reported(tmp_path: Path, any_gradle: str) -> None:
    resources = "buildSrc/src/main/resources/META-INF/gradle-plugins"
    plugin = "class Fake implements org.gradle.api.Plugin<org.gradle.api.Project> { void apply(org.gradle.api.Project p) {} }"
    project = write(
        tmp_path / "android",
        {
            "settings.gradle": "",
            "build.gradle": "apply plugin: 'com.android.application'\n",
            "buildSrc/src/main/groovy/Fake.groovy": plugin,
            f"{resources}/com.android.application.properties": "implementation-class=Fake\n",
        },
    )
    with pytest.raises(BuildError, match="the classes of the Android Gradle Plugin are not visible"):
        Build(project, any_gradle)
