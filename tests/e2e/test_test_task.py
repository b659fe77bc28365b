"""Profiling runs the same classes in the same JVM as `gradle test`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.gradle_builds import Build
from support.gradle_projects import JUNIT, gradle_params, main_class, write
from support.lab import Lab

from navitas.virtual_phone.start import virtual_phone

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

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


def gradle_test(gradle: str, project: Path) -> None:
    command = [gradle, "--console=plain", "cleanTest", "test"]
    done = subprocess.run(command, cwd=project, env=os.environ, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr


def ran_by_gradle(module: Path) -> set[tuple[str, str]]:
    """Class and method of each test in Gradle's reports."""
    files = sorted((module / "build" / "test-results" / "test").glob("*.xml"))
    cases = [case for file in files for case in ElementTree.parse(file).getroot().iter("testcase")]
    return {(case.attrib["classname"], case.attrib["name"]) for case in cases}


UNSCANNED = "scanForTestClasses = false; include 'p/Z*', 'p/O*'"


@pytest.mark.parametrize(
    ("gradle", "settings"),
    [
        *(pytest.param(*each.values, "", id=str(each.id), marks=each.marks) for each in gradle_params()),
        *(pytest.param(*each.values, UNSCANNED, id=f"{each.id}-unscanned", marks=each.marks) for each in gradle_params("path")),
    ],
    indirect=["gradle"],
)
def test_the_same_classes_run_as_with_gradle(tmp_path: Path, gradle: str, settings: str) -> None:
    project = write(
        tmp_path / "zoo",
        {
            "settings.gradle": "",
            "build.gradle": f"apply plugin: 'java'\n{JUNIT}test {{ ignoreFailures = true; {settings} }}\n",
            "src/main/java/p/A.java": main_class("A"),
            "src/test/java/p/ZooTest.java": _ZOO,
            "src/test/java/p/OldTest.java": _OLD,
        },
    )
    gradle_test(gradle, project)
    expected = ran_by_gradle(project)
    assert ("p.ZooTest", "a") in expected
    # Without scanning, Gradle 4 runs anonymous classes as tests.
    expected = {(name, method) for name, method in expected if not name.rpartition("$")[2].isdigit() or method == "warning"}
    bundles = Build(project, gradle).bundles
    with virtual_phone() as phone:
        done = Lab(phone, bundles, tmp_path).profile(name="all")
    ran = {(test.class_name, test.method.partition("~")[0]) for test in done.profile.tests}
    assert ran == expected
    assert not any("$1#" in name and "warning" not in name for name in done.outcome.failures)


def limits(gradle: str) -> str:
    """A test task with limits for its JVM. Argument providers came with Gradle 4.6."""
    provider = "{ ['-Dfrom.provider=yes'] } as org.gradle.process.CommandLineArgumentProvider"
    more = "" if Path(gradle).parent.name == "bin" and "gradle-" not in gradle else f"jvmArgumentProviders.add({provider})\n"
    return f"""test {{
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
        {more}
    }}
    """


def facts(folder: Path) -> dict[str, str]:
    """Read and remove the files of the tests: the facts of each class, and the number of processes."""
    found = {file.name: file.read_text() for file in sorted(folder.glob("facts-*.txt"))}
    processes = folder / "processes.txt"
    found["processes"] = str(len(set(processes.read_text().split())))
    for file in (*folder.glob("facts-*.txt"), processes):
        file.unlink()
    return found


def test_the_jvm_is_limited_as_gradle_limits_it(tmp_path: Path, gradle: str) -> None:
    common = f"apply plugin: 'java'\n{JUNIT}test {{ ignoreFailures = true }}\n"
    files = {
        "src/main/java/p/A.java": main_class("A"),
        "src/test/java/p/Facts.java": _FACTS,
        **{f"src/test/java/p/{name}.java": _facts_test(name) for name in ("OneTest", "TwoTest")},
    }
    project = write(
        tmp_path / "limited",
        {
            "settings.gradle": "include 'plain', 'set'\n",
            "plain/build.gradle": f"group = 'plain'\n{common}",
            "set/build.gradle": f"group = 'set'\n{common}{limits(gradle)}",
            "set/place/keep.txt": "",
            **{f"{module}/{name}": text for module in ("plain", "set") for name, text in files.items()},
        },
    )
    folders = [project / "plain", project / "set" / "place"]
    gradle_test(gradle, project)
    expected = [facts(folder) for folder in folders]
    assert [each["processes"] for each in expected] == ["1", "2"]
    assert "\n-Xmx48m\n" in expected[1]["facts-OneTest.txt"]
    bundles = Build(project, gradle).bundles
    with virtual_phone() as phone:
        lab = Lab(phone, bundles, tmp_path)
        done = lab.profile(name="events")
        assert [facts(folder) for folder in folders] == expected
        ticks = lab.profile(name="tick", mode="tick", repeat=2)
    assert set(done.outcome.failures) == {
        f"{module} p.{name}#fails" for module in (":plain", ":set") for name in ("OneTest", "TwoTest")
    }
    said = "\n".join(warning.message for warning in done.profile.warnings)
    assert "`maxParallelForks`" in said
    assert "forkEvery" not in said
    for profiled, times in ((done, 1), (ticks, 2)):
        assert len(profiled.profile.tests) == 8 * times
        assert not profiled.outcome.troubles
    again = [facts(folder) for folder in folders]
    assert [each["processes"] for each in again] == ["2", "4"]


@pytest.mark.parametrize("gradle", gradle_params("7.6.4"), indirect=True)
def test_nested_classes_are_run_by_the_junit_platform(tmp_path: Path, gradle: str) -> None:
    source = """
        package p;
        import org.junit.jupiter.api.*;
        class NewTest {
          @Test void a() { new NewTest() { }; new Object() { @Test void inAnonymous() { } }; new A().f(); }
          @Nested class Inner { @Test void inside() { } }
          static class Stands { @Test void alone() { } }
        }
    """
    dependencies = (
        "dependencies { testImplementation 'junit:junit:4.13.2', 'org.junit.jupiter:junit-jupiter:5.9.3'\n"
        "testRuntimeOnly 'org.junit.vintage:junit-vintage-engine:5.9.3' }\n"
    )
    project = write(
        tmp_path / "platform",
        {
            "settings.gradle": "",
            "build.gradle": f"apply plugin: 'java'\nrepositories {{ mavenCentral() }}\n{dependencies}"
            "test { useJUnitPlatform(); ignoreFailures = true; forkEvery = 1 }\n",
            "src/main/java/p/A.java": main_class("A"),
            "src/test/java/p/NewTest.java": source,
            "src/test/java/p/OldTest.java": "package p; public class OldTest { @org.junit.Test public void t()"
            " { new OldTest() { }; new A().f(); } }\n",
        },
    )
    gradle_test(gradle, project)
    expected = {(name, method.partition("(")[0]) for name, method in ran_by_gradle(project)}
    bundles = Build(project, gradle).bundles
    with virtual_phone() as phone:
        done = Lab(phone, bundles, tmp_path).profile(name="all")
    assert {(test.class_name, test.method) for test in done.profile.tests} == expected
    assert not done.outcome.failures
