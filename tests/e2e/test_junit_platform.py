"""JUnit 5 and 6 in real Gradle builds, from the build file to the energy of each test."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.gradle_projects import gradle_params, junit_class, write
from support.lab import Lab

from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.device.adb import AdbDevice

# useJUnitPlatform() came with Gradle 4.6. Versions of Jupiter that Gradle's own launcher can run, then the newest and the oldest,
# which need a launcher of their own, and those of JUnit 4.
JUPITER = {"8.11.1": ("5.11.4", "6.1.3", "4.13.2"), "7.6.4": ("5.8.2", "5.4.2", "4.12")}
_HEAD = "apply plugin: 'java'\ngroup = 'org.example'\nrepositories { mavenCentral() }\n"
_NEW_TEST = """
package p;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
class NewTest {
  @ParameterizedTest @ValueSource(strings = {"\\nINSTRUMENTATION_CODE: -1", "b"}) void shown(String text) { new A().f(); }
  @TestFactory List<DynamicTest> made() { return Arrays.asList(DynamicTest.dynamicTest("d", () -> new A().f())); }
  @Disabled @Test void off() { }
  @Tag("slow") @Test void slow() { }
  @Nested class Inner { @Test void inside() { throw new IllegalStateException("as it should"); } }
}
"""
_BROKEN_TEST = """
package p;
import org.junit.jupiter.api.*;
class BrokenTest {
  @BeforeAll static void before() { throw new IllegalStateException("before all"); }
  @Test void never() { }
}
"""


def versions(gradle: str) -> tuple[str, str, str]:
    """The versions of Jupiter without and with a launcher, and of JUnit 4."""
    return JUPITER[Path(gradle).parents[1].name.removeprefix("gradle-")]


def platform(jupiter: str) -> str:
    """The version of the platform that belongs to a version of Jupiter."""
    return jupiter.replace("5.", "1.", 1) if jupiter.startswith("5.") else jupiter


def with_jupiter(jupiter: str) -> str:
    return f"dependencies {{ testImplementation 'org.junit.jupiter:junit-jupiter:{jupiter}' }}\ntest {{ useJUnitPlatform() }}\n"


def mixed(root: Path, gradle: str) -> Path:
    """Modules with JUnit 4 and Jupiter, with Jupiter and its launcher, with only JUnit 4, and with TestNG.

    The build has a configuration cache.
    """
    jupiter, extreme, junit4 = versions(gradle)
    launcher = f"dependencies {{ testRuntimeOnly 'org.junit.platform:junit-platform-launcher:{platform(extreme)}' }}\n"
    switch = "org.gradle.unsafe.configuration-cache" if "7.6.4" in gradle else "org.gradle.configuration-cache"
    return write(
        root,
        {
            "gradle.properties": f"{switch}=true\n",
            "settings.gradle": "rootProject.name = 'mixed'\ninclude 'old', 'ng', 'given'\n",
            "build.gradle": f"""{_HEAD}
                dependencies {{
                    testImplementation 'org.junit.jupiter:junit-jupiter:{jupiter}'
                    testImplementation 'junit:junit:{junit4}'
                    testRuntimeOnly 'org.junit.vintage:junit-vintage-engine:{jupiter}'
                }}
                test {{
                    useJUnitPlatform {{ excludeTags 'slow' }}
                    maxParallelForks = 2
                }}
            """,
            "given/build.gradle": _HEAD + with_jupiter(extreme) + launcher,
            "old/build.gradle": f"{_HEAD}dependencies {{ testImplementation 'junit:junit:{junit4}' }}\n",
            "ng/build.gradle": f"{_HEAD}dependencies {{ testImplementation 'junit:junit:{junit4}' }}\ntest {{ useTestNG() }}\n",
            "src/main/java/p/A.java": "package p; public class A { public int f() { return 1; } }\n",
            "src/test/resources/junit-platform.properties": "junit.jupiter.execution.parallel.enabled=true\n",
            "src/test/java/p/NewTest.java": _NEW_TEST,
            "src/test/java/p/BrokenTest.java": _BROKEN_TEST,
            "src/test/java/p/OldTest.java": junit_class("OldTest", "new A().f();"),
            "given/src/test/java/p/GivenTest.java": "package p; class GivenTest { @org.junit.jupiter.api.Test void t() { } }\n",
            "old/src/test/java/p/FourTest.java": junit_class("FourTest", ""),
            "ng/src/test/java/p/NgTest.java": junit_class("NgTest", ""),
        },
    )


@pytest.mark.parametrize("gradle", gradle_params(*JUPITER), indirect=True)
def test_tests_of_the_junit_platform_are_profiled_by_their_names(tmp_path: Path, gradle: str, phone: AdbDevice) -> None:
    project = mixed(tmp_path / "mixed", gradle)
    bundles = build_bundles(project, BuildOptions(gradle=gradle))
    by_module = {bundle.manifest.module: bundle for bundle in bundles}
    new, given = by_module[":"], by_module[":given"]
    assert new.manifest.test_task.framework == "junit-platform"
    assert new.manifest.test_task.exclude_tags == ["slow"]
    launchers = [path.partition("-")[2] for bundle in (new, given) for path in bundle.manifest.class_path if "launcher" in path]
    assert launchers == [f"junit-platform-launcher-{version}.jar" for version in ("1.8.2", platform(versions(gradle)[1]))]
    lines: list[str] = []
    build_bundles(project, BuildOptions(gradle=gradle), on_line=lines.append)
    assert any("Reusing configuration cache" in line for line in lines), lines
    assert "> Task :navitasBundle UP-TO-DATE" in lines

    everything = Lab(phone, bundles, tmp_path).profile(name="all")
    lab = Lab(phone, [new], tmp_path)
    one = lab.profile("NewTest#shown[2]", name="one")
    none = lab.profile("NewTest#shown[3]", name="none")
    assert {f"{test.module}{test.class_name}#{test.method}": test.status for test in everything.profile.tests} == {
        ":p.BrokenTest#": "failed",
        ":p.NewTest#made[1]": "passed",
        ":p.NewTest#off": "ignored",
        ":p.NewTest#shown[1]": "passed",
        ":p.NewTest#shown[2]": "passed",
        ":p.NewTest$Inner#inside": "failed",
        ":p.OldTest#t": "passed",
        ":oldp.FourTest#t": "passed",
        ":givenp.GivenTest#t": "passed",
    }
    for name in ("made[1]", "shown[1]", "shown[2]"):
        assert everything.method(name, "f").calls == 1
    said = "\n".join(warning.message for warning in everything.profile.warnings)
    for text in ("junit.jupiter.execution.parallel.enabled", "maxParallelForks", ":ng is left out: its tests use TestNG"):
        assert text in said
    assert everything.outcome.failures["p.BrokenTest#"] == "java.lang.IllegalStateException: before all"
    assert [test.method for test in one.profile.tests] == ["shown[2]"]
    assert none.outcome.troubles == ("no test ran: none matches p.NewTest#shown[3]",)


@pytest.mark.extended
@pytest.mark.parametrize("gradle", gradle_params("8.11.1", "7.6.4"), indirect=True)
def test_dependencies_can_be_locked_and_verified(tmp_path: Path, gradle: str, phone: AdbDevice) -> None:
    """What Gradle writes for `gradle test` is enough. It knows no launcher, since Gradle has its own."""
    strict = "dependencyLocking { lockAllConfigurations(); lockMode = LockMode.STRICT }\n"
    files = {
        "settings.gradle": "rootProject.name = 'p'\n",
        "build.gradle": _HEAD + with_jupiter("5.10.2") + strict,
        "src/test/java/p/NewTest.java": "package p; class NewTest { @org.junit.jupiter.api.Test void t() { } }\n",
    }
    project = write(tmp_path / "p", files)
    written = ["--write-locks", "--write-verification-metadata", "sha256"]
    subprocess.run([gradle, "-q", "-p", str(project), "dependencies", "test", *written], check=True, capture_output=True)
    known = (project / "gradle/verification-metadata.xml").read_text() + (project / "gradle.lockfile").read_text()
    assert "junit-platform-engine" in known and "junit-platform-launcher" not in known
    subprocess.run([gradle, "-q", "-p", str(project), "test", "--rerun-tasks"], check=True, capture_output=True)
    everything = Lab(phone, build_bundles(project, BuildOptions(gradle=gradle)), tmp_path).profile(name="all")
    assert [(test.method, test.status) for test in everything.profile.tests] == [("t", "passed")]
