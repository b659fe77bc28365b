"""Profiling runs the same classes in the same JVM as `gradle test`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.gradle_builds import Build
from support.gradle_projects import JUNIT, gradle_params, main_class, write
from support.lab import Lab, Profiled

from navitas.virtual_phone.start import virtual_phone

_ZOO = """
package p;
import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.*;
import org.junit.experimental.runners.Enclosed;
public class ZooTest {
  @Test public void a() {
    class Local { @Test public void inLocal() { } }
    new Local();
    new ZooTest() { };
    new Object() { @Test public void inAnonymous() { } };
    new A().f();
  }
  public static class Nested { @Test public void inNested() { } }
  static class NotPublic { @Test public void inNotPublic() { } }
  private static class Private { @Test public void inPrivate() { } }
  public class Inner { @Test public void inInner() { } }
  public static abstract class AbstractNested { @Test public void inAbstract() { } }
  public static class Concrete extends AbstractNested { }
  public interface OfInterface { @Test default void inInterface() { } }
  public static class Implements implements OfInterface { }
  public static class NotPublicMethod { @Test void notPublic() { } }
  public static class OnlyBefore { @Before public void before() { } }
  @RunWith(JUnit4.class) public static class Empty { }
  @RunWith(Enclosed.class) public static class Outer { public static class Enclosed1 { @Test public void enclosed() { } } }
}
abstract class AbstractTopTest { @Test public void inAbstractTop() { } }
"""
_OLD = """
package p;
import junit.framework.*;
public class OldTest extends TestCase {
  public void testOld() { new OldTest() { public void testAnonymous() { } }; }
  public static class Empty extends TestCase { }
  public static class Sub extends OldTest { }
  public class Inner extends TestCase { public void testInner() { } }
}
"""
_FACTS = """
package p;
import java.io.*;
import java.lang.management.ManagementFactory;
import java.util.*;
class Facts {
  static void write(String name) throws IOException {
    try (PrintWriter out = new PrintWriter(new FileWriter("facts-" + name + ".txt"))) {
      out.println(Runtime.getRuntime().maxMemory());
      for (String one : new TreeSet<>(ManagementFactory.getRuntimeMXBean().getInputArguments()))
        if (one.startsWith("-X")) out.println(one);
      for (String one : new String[] {"java.home", "user.dir", "from.build", "from.args", "from.provider"})
        out.println(System.getProperty(one));
      out.println(System.getenv("FROM_BUILD") + " " + System.getenv("HOME"));
      boolean asserts = false;
      assert asserts = true;
      out.println(asserts);
    }
    try (PrintWriter out = new PrintWriter(new FileWriter("processes.txt", true))) {
      out.println(new File("/proc/self").getCanonicalFile().getName());
    }
  }
}
"""


def _facts_test(name: str) -> str:
    return (
        f"package p; public class {name} {{ @org.junit.Test public void facts() throws Exception {{ Facts.write("
        f'"{name}"); new A().f(); }}\n'
        '@org.junit.Test public void fails() { org.junit.Assert.fail("as it should"); } }\n'
    )


_PLATFORM_TEST = """
package p;
import org.junit.jupiter.api.*;
class NewTest {
  @Test void a() { new NewTest() { }; new Object() { @Test void inAnonymous() { } }; new A().f(); }
  @Nested class Inner { @Test void inside() { } }
  static class Stands { @Test void alone() { } }
}
"""
_VINTAGE_TEST = """
package p;
public class OldTest { @org.junit.Test public void t() { new OldTest() { }; new A().f(); } }
"""
_SETTINGS = """
include 'zoo', 'plain', 'set'
def version = org.gradle.util.GradleVersion.current()
if (version < org.gradle.util.GradleVersion.version('5.0')) { include 'unscanned' }
else if (version < org.gradle.util.GradleVersion.version('8.0')) { include 'platform' }
"""
# Another test may have started the daemon with options for quick JVMs.
_TEST = "test { ignoreFailures = true; environment.remove('JAVA_TOOL_OPTIONS') }\n"
_BUILD = f"apply plugin: 'java'\ngroup = 'org.example'\n{JUNIT}{_TEST}"
_UNSCANNED = "test { scanForTestClasses = false; include 'p/Z*', 'p/O*' }\n"
# Argument providers came with Gradle 4.6.
_LIMITS = """
test {
    maxHeapSize = '48m'
    minHeapSize = '16m'
    jvmArgs '-Xss3m', '-Dfrom.args=yes'
    systemProperty 'from.build', 'yes'
    environment 'FROM_BUILD', 'yes'
    environment.remove('HOME')
    workingDir = file('place')
    enableAssertions = false
    forkEvery = 1
    maxParallelForks = 2
    if (GradleVersion.current() >= GradleVersion.version('5.0')) {
        jvmArgumentProviders.add({ ['-Dfrom.provider=yes'] } as org.gradle.process.CommandLineArgumentProvider)
    }
}
"""
_PLATFORM = """
dependencies {
    testImplementation 'org.junit.jupiter:junit-jupiter:5.9.3'
    testRuntimeOnly 'org.junit.vintage:junit-vintage-engine:5.9.3'
}
test { useJUnitPlatform(); forkEvery = 1 }
"""
_ZOO_TESTS = {"ZooTest": _ZOO, "OldTest": _OLD}
_FACTS_TESTS = {"Facts": _FACTS, "OneTest": _facts_test("OneTest"), "TwoTest": _facts_test("TwoTest")}
_MODULES = {
    "zoo": ("", _ZOO_TESTS),
    "unscanned": (_UNSCANNED, _ZOO_TESTS),
    "plain": ("", _FACTS_TESTS),
    "set": (_LIMITS, _FACTS_TESTS),
    "platform": (_PLATFORM, {"NewTest": _PLATFORM_TEST, "OldTest": _VINTAGE_TEST}),
}
"""The lines of each module's build file, and its test classes."""
_LIMITED = (":plain", ":set")
# Later versions have no module of their own here.
_each_gradle = pytest.mark.parametrize("gradle", gradle_params("path", "7.6.4"), indirect=True)


@dataclass(frozen=True)
class Ran:
    """The tests of one build, run by Gradle and then by Navitas, and the facts that the JVMs of both wrote."""

    project: Path
    by_gradle: dict[str, set[tuple[str, str]]]
    gradles_facts: list[dict[str, str]]
    lab: Lab
    profiled: Profiled
    facts: list[dict[str, str]]


@pytest.fixture(scope="module")
def ran(gradle: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("tasks")
    files = {"settings.gradle": _SETTINGS, "set/place/keep.txt": ""}
    for module, (build, tests) in _MODULES.items():
        files |= {f"{module}/build.gradle": _BUILD + build, f"{module}/src/main/java/p/A.java": main_class("A")}
        files |= {f"{module}/src/test/java/p/{name}.java": text for name, text in tests.items()}
    project = write(folder / "project", files)
    done = subprocess.run([gradle, "--console=plain", "test"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    by_gradle, gradles_facts = ran_by_gradle(project), facts(project)
    with virtual_phone() as phone:
        lab = Lab(phone, Build(project, gradle).bundles, folder)
        yield Ran(project, by_gradle, gradles_facts, lab, lab.profile(name="all"), facts(project))


def ran_by_gradle(project: Path) -> dict[str, set[tuple[str, str]]]:
    """Class and method of each test in Gradle's reports, by module."""
    found: dict[str, set[tuple[str, str]]] = {}
    for file in sorted(project.glob("*/build/test-results/test/*.xml")):
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            name, method = case.attrib["classname"], case.attrib["name"].partition("(")[0]
            # Without scanning, Gradle 4 runs anonymous classes as tests.
            if not name.rpartition("$")[2].isdigit() or method == "warning":
                found.setdefault(f":{file.relative_to(project).parts[0]}", set()).add((name, method))
    return found


def facts(project: Path) -> list[dict[str, str]]:
    """Read and remove the files of the tests with and without limits: the facts of each class, and the number of processes."""
    found = []
    for folder in (project / "plain", project / "set" / "place"):
        processes = folder / "processes.txt"
        of_folder = {file.name: file.read_text() for file in sorted(folder.glob("facts-*.txt"))}
        found.append({**of_folder, "processes": str(len(set(processes.read_text().split())))})
        for file in (*folder.glob("facts-*.txt"), processes):
            file.unlink()
    return found


@_each_gradle
def test_the_same_classes_run_as_with_gradle(ran: Ran) -> None:
    assert ("p.ZooTest", "a") in ran.by_gradle[":zoo"]
    found: dict[str, set[tuple[str, str]]] = {}
    for test in ran.profiled.profile.tests:
        found.setdefault(test.module, set()).add((test.class_name, test.method.partition("~")[0]))
    assert found == ran.by_gradle
    failures = ran.profiled.outcome.failures
    assert not any(("$1#" in name and "warning" not in name) or name.startswith(":platform") for name in failures)


@_each_gradle
def test_the_jvm_is_limited_as_gradle_limits_it(ran: Ran) -> None:
    assert [each["processes"] for each in ran.gradles_facts] == ["1", "2"]
    assert "\n-Xmx48m\n" in ran.gradles_facts[1]["facts-OneTest.txt"]
    assert ran.facts == ran.gradles_facts
    limited = {name for name in ran.profiled.outcome.failures if name.startswith(_LIMITED)}
    assert limited == {f"{module} p.{name}#fails" for module in _LIMITED for name in ("OneTest", "TwoTest")}
    assert len([test for test in ran.profiled.profile.tests if test.module in _LIMITED]) == 8
    said = "\n".join(warning.message for warning in ran.profiled.profile.warnings)
    assert "`maxParallelForks`" in said
    assert "forkEvery" not in said
    assert not ran.profiled.outcome.troubles


@pytest.mark.extended
@pytest.mark.parametrize("gradle", gradle_params("7.6.4"), indirect=True)
def test_the_jvms_are_limited_in_each_run(ran: Ran) -> None:
    bundles = [bundle for bundle in ran.lab.bundles if bundle.manifest.module in _LIMITED]
    ticks = Lab(ran.lab.phone, bundles, ran.lab.folder).profile(name="ticks", mode="tick", repeat=2)
    assert len(ticks.profile.tests) == 8 * 2
    assert not ticks.outcome.troubles
    assert [each["processes"] for each in facts(ran.project)] == ["2", "4"]
