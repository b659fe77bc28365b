"""Groovy and Kotlin sources, included builds, wrappers, Kotlin build files."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from support.gradle_builds import Build, contents, is_instrumented, modules, run_tests
from support.gradle_projects import JUNIT, gradle_params, gradles, junit_class, main_class, single, write

KOTLIN = "1.3.41"  # the last version that runs on Gradle 4.4


@pytest.mark.extended
def test_groovy_and_java_sources(tmp_path: Path, any_gradle: str) -> None:
    build = f"apply plugin: 'groovy'\n{JUNIT}dependencies {{ implementation localGroovy() }}\n"
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": "",
            "build.gradle": build,
            "src/main/groovy/p/G.groovy": "package p\nclass G { int f() { [1, 2].collect { it * new A().f() }.sum() } }\n",
            "src/main/java/p/A.java": main_class("A", "return 2;"),
            "src/test/groovy/p/GTest.groovy": "package p\nclass GTest { @org.junit.Test void t() { assert new G().f() == 6 } }\n",
        },
    )
    (bundle,) = Build(project, any_gradle).bundles
    found = modules(bundle)
    assert found["p.G"] == found["p.A"] == ("main", ":")
    assert found["p.GTest"] == ("test", ":")
    assert any(name.startswith("p.G$_f_closure") for name in found)
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "p.GTest")


@pytest.mark.extended
@pytest.mark.parametrize("gradle", gradle_params("path"), indirect=True)
def test_kotlin_and_java_sources(tmp_path: Path, gradle: str) -> None:
    head = (
        "buildscript { repositories { mavenCentral() }\n"
        f"dependencies {{ classpath 'org.jetbrains.kotlin:kotlin-gradle-plugin:{KOTLIN}' }} }}\n"
        f"apply plugin: 'org.jetbrains.kotlin.jvm'\n{JUNIT}"
        f"dependencies {{ implementation 'org.jetbrains.kotlin:kotlin-stdlib:{KOTLIN}' }}\n"
    )
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": "",
            "build.gradle": head,
            "gradle.properties": "systemProp.kotlin.compiler.execution.strategy=in-process\n",
            "src/main/kotlin/p/K.kt": "package p\nclass K { fun f(x: Int = 3) = (1..x).map { it * A().f() }.sum() }\n",
            "src/main/java/p/A.java": main_class("A", "return 2;"),
            "src/test/kotlin/p/KTest.kt": (
                "package p\nclass KTest { @org.junit.Test fun t() { org.junit.Assert.assertEquals(12, K().f()) } }\n"
            ),
        },
    )
    (bundle,) = Build(project, gradle).bundles
    assert modules(bundle) == {"p.A": ("main", ":"), "p.K": ("main", ":"), "p.KTest": ("test", ":")}
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "p.KTest")


@pytest.mark.parametrize("gradle", gradle_params("path", "8.11.1"), indirect=True)
def test_modules_of_included_builds_are_the_users_own(tmp_path: Path, gradle: str) -> None:
    java = "apply plugin: 'java'\ngroup = 'org.example'\nversion = '1'\n"
    write(
        tmp_path / "utils",
        {
            "settings.gradle": "rootProject.name = 'utils'\ninclude 'text'\n",
            "build.gradle": f"allprojects {{ {java} }}\n",
            "src/main/java/p/Util.java": main_class("Util"),
            "text/src/main/java/p/Text.java": main_class("Text"),
            "text/src/test/java/p/TextTest.java": junit_class("TextTest", ""),
        },
    )
    dependencies = "dependencies { implementation 'org.example:utils:1', 'org.example:text:1' }\n"
    project = single(tmp_path / "app", dependencies)
    body = "new Util().f(); new Text().f(); new A().f();"
    write(
        project,
        {
            "settings.gradle": "rootProject.name = 'app'\nincludeBuild '../utils'\n",
            "src/test/java/p/ATest.java": junit_class("ATest", body),
        },
    )
    (bundle,) = Build(project, gradle).bundles
    assert modules(bundle) == {
        "p.A": ("main", ":"),
        "p.ATest": ("test", ":"),
        "p.Text": ("main", ":utils:text"),
        "p.Util": ("main", ":utils"),
    }
    assert "OK (1 test)" in run_tests(bundle, tmp_path / "unpacked", "p.ATest")
    assert not (tmp_path / "utils" / "build" / "navitas").exists()


def test_the_projects_wrapper_is_used(tmp_path: Path, any_gradle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = single(tmp_path / "it's a project", "apply from: 'gradle/more.gradle'\n")
    wrapper = f'#!/bin/sh\ntouch "$(dirname "$0")/wrapped"\nexec \'{any_gradle}\' "$@"\n'
    write(project, {"gradlew": wrapper, "gradle/more.gradle": "test { systemProperty 'more', 'yes' }\n"})
    monkeypatch.chdir(tmp_path)
    (bundle,) = Build(Path(project.name), None).bundles
    assert (project / "wrapped").exists()
    assert bundle.manifest.system_properties["more"] == "yes"
    assert is_instrumented(contents(bundle)["classes/p/A.class"])


def _has_kotlin_dsl(launcher: str) -> bool:
    """Whether an installation can run .kts scripts. Debian's cannot, and neither can installations built from Maven Central."""
    jars = (Path(launcher).resolve().parents[1] / "lib").glob("gradle-kotlin-dsl-*.jar")
    provider = "org/gradle/kotlin/dsl/provider/KotlinScriptPluginFactory.class"
    return any(provider in zipfile.ZipFile(jar).namelist() for jar in jars)


WITH_KOTLIN_DSL = [name for name, launcher in gradles().items() if _has_kotlin_dsl(launcher)]


@pytest.mark.extended
@pytest.mark.skipif(
    not WITH_KOTLIN_DSL,
    reason="no Gradle with the Kotlin DSL, which only distributions of gradle.org have: name one by NAVITAS_GRADLE_HOMES",
)
@pytest.mark.parametrize("gradle", gradle_params(*(WITH_KOTLIN_DSL or ["path"])), indirect=True)
def test_kotlin_build_files(tmp_path: Path, gradle: str) -> None:
    project = single(tmp_path / "p")
    (project / "build.gradle").unlink()
    build = 'plugins { java }\nrepositories { mavenCentral() }\ndependencies { testImplementation("junit:junit:4.13.2") }\n'
    write(project, {"build.gradle.kts": build})
    (bundle,) = Build(project, gradle).bundles
    assert modules(bundle) == {"p.A": ("main", ":"), "p.ATest": ("test", ":")}
