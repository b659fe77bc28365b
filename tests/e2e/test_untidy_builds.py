"""Untidy builds: which module owns a class, which class is a test, and which settings the build has."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.gradle_builds import Build, modules
from support.gradle_projects import JUNIT, compiled, gradle_params, junit_class, write
from support.lab import Lab
from support.reports import data_of
from support.untidy_build import MANY_JARS, untidy_build

from navitas.capture.device.adb import AdbDevice
from navitas.report import json_report, speedscope

_TWICE = "public class Twice {{ public static final int NUMBER = Integer.valueOf({}); }}"


@dataclass(frozen=True)
class Untidy:
    """The untidy build, and what it built."""

    root: Path
    build: Build


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Class `Twice`, compiled with NUMBER 1 and 2."""
    folder = tmp_path_factory.mktemp("twice")
    one, two = (compiled(folder / number, {"Twice.java": _TWICE.format(number)}) / "Twice.class" for number in "12")
    return one.read_bytes(), two.read_bytes()


@pytest.fixture(scope="module")
def untidy(gradle: str, twice: tuple[bytes, bytes], tmp_path_factory: pytest.TempPathFactory) -> Untidy:
    root = untidy_build(tmp_path_factory.mktemp("untidy") / "untidy", twice)
    return Untidy(root, Build(root, gradle))


def test_each_module_has_its_classes_and_settings(untidy: Untidy) -> None:
    root, build = untidy.root, untidy.build
    assert not re.search(r":afterTests\b", "\n".join(build.lines))
    bundles = {bundle.manifest.module: bundle for bundle in build.bundles}
    assert list(bundles) == [":app", ":helpers", ":odd", ":off", ":picky", ":svc:api", ":web:api"]
    packages = {module: bundle.manifest.package for module, bundle in bundles.items()}
    assert (packages[":svc:api"], packages[":web:api"]) == ("org.example.svc_api", "org.example.web_api")

    app = bundles[":app"].manifest
    assert modules(bundles[":app"]) == {
        **dict.fromkeys(("Main", "First", "Second", "Late"), ("main", ":app")),
        # The main set of :kit has this class, too, but its jar is later on the class path.
        **dict.fromkeys(("AppTest", "GeneratedTest", "KitTest", "KitHelp"), ("test", ":app")),
        "Shared": ("main", ":svc:api"),
        **dict.fromkeys(("OddHelper", "MainTest"), ("test", ":odd")),
    }
    names = [path.rpartition("-")[2] if path.startswith("lib/") else path for path in app.class_path]
    assert names[:2] == ["test-classes", "classes"]
    assert {"conf", "late", "zero.jar", "empty.jar"} <= set(names)
    assert names.index("twice.jar") < len(names) - 1 - names[::-1].index("twice.jar")
    assert names.count("part.jar") == MANY_JARS
    assert not any("exist" in name or "none" in name for name in names)
    assert app.system_properties["from.property"] == app.system_properties["from.args"] == "yes"
    assert not any("jdwp" in argument or "agent" in argument for argument in app.jvm_args)
    assert app.test_task.fork_every == 1
    for word in ("-agentlib:jdwp", "JaCoCo"):
        assert any(word in warning and warning.startswith(":app: ") for warning in app.warnings), word

    assert modules(bundles[":odd"])["Main"] == modules(bundles[":odd"])["gen.Made"] == ("main", ":odd")
    assert (root / "odd/bin/main/Main.class").is_file()
    assert not bundles[":off"].manifest.test_task.enabled
    picky = bundles[":picky"].manifest
    assert picky.test_roots == ["tests.txt"]
    assert picky.test_task.left_out == ["p.SlowTest"]
    assert picky.test_task.include == ["p.*Test"]
    assert any("integrationTest" in warning for warning in picky.warnings)
    assert any("categories" in warning for warning in bundles[":svc:api"].manifest.warnings)
    assert modules(bundles[":web:api"])["KitTest"] == ("main", ":kit")


@pytest.mark.extended
@pytest.mark.parametrize("gradle", gradle_params("8.11.1"), indirect=True)
def test_each_test_runs_once_with_its_modules_classes(tmp_path: Path, untidy: Untidy, phone: AdbDevice) -> None:
    lab = Lab(phone, untidy.build.bundles, tmp_path)
    done = lab.profile(name="all")
    report = data_of(json_report.write, done.profile)
    tests = Counter((test["module"], test["class"], test["method"], test["status"]) for test in report["tests"])
    assert dict(tests) == dict.fromkeys(
        [
            (":app", "AppTest", "sees", "passed"),
            (":app", "AppTest", "fails", "failed"),
            (":app", "GeneratedTest", "made", "passed"),
            (":app", "KitTest", "t", "passed"),
            (":odd", "MainTest", "t", "passed"),
            (":picky", "p.QuickTest", "t", "passed"),
            (":svc:api", "MainTest", "t", "passed"),
            (":web:api", "MainTest", "t", "passed"),
        ],
        1,
    )
    called = {
        (test["module"], method["module"], method["class"], method["name"])
        for test in report["tests"]
        for thread in test["threads"]
        for method in thread["methods"]
    }
    assert (":app", ":app", "Main", "f") in called
    assert (":odd", ":odd", "Main", "g") in called
    assert (":app", ":svc:api", "Shared", "f") in called
    frames = {frame["name"] for frame in data_of(speedscope.write, done.profile)["shared"]["frames"]}
    assert {":app Main.f", ":odd Main.g"} <= frames
    named = lab.profile("SlowTest", "OffTest", name="named")
    assert {(test.module, test.class_name) for test in named.profile.tests} == {(":picky", "p.SlowTest"), (":off", "OffTest")}


@pytest.mark.parametrize("gradle", gradle_params("path", "8.11.1"), indirect=True)
def test_another_test_task_in_a_build_without_a_settings_file(tmp_path: Path, gradle: str) -> None:
    build = """
        apply plugin: 'java'
        sourceSets { integrationTest { compileClasspath += test.runtimeClasspath; runtimeClasspath += test.runtimeClasspath } }
        afterEvaluate {
            task integrationTest(type: Test) {
                testClassesDirs = sourceSets.integrationTest.output.classesDirs
                classpath = sourceSets.integrationTest.runtimeClasspath
                systemProperty 'whole', 'yes'
            }
        }
    """
    root = write(
        tmp_path / "alone",
        {
            "build.gradle": build + JUNIT,
            "src/main/java/p/A.java": "package p; public class A { }\n",
            "src/test/java/p/ATest.java": junit_class("ATest", "new A();"),
            "src/integrationTest/java/p/WholeTest.java": junit_class("WholeTest", "new ATest();"),
            "src/integrationTest/resources/whole.txt": "w",
        },
    )
    (bundle,) = Build(root, gradle, test_task="integrationTest").bundles
    manifest = bundle.manifest
    assert manifest.test_task.name == "integrationTest"
    assert manifest.system_properties["whole"] == "yes"
    assert modules(bundle) == {"p.A": ("main", ":"), "p.ATest": ("test", ":"), "p.WholeTest": ("test", ":")}
    assert manifest.test_roots == ["test-classes"]
    assert not manifest.warnings  # a user who names a task knows the other tasks
