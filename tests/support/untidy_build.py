"""A Gradle build with the peculiarities of real builds. Each module is unusual in a different way."""

from __future__ import annotations

import zipfile
from pathlib import Path

from support.gradle_projects import write

MANY_JARS = 520

_SETTINGS = """
rootProject.name = 'untidy'
include 'app', 'kit', 'odd', 'processor', 'svc:api', 'web:api', 'helpers', 'off', 'picky'
project(':odd').buildFileName = 'strange.gradle'
"""

_COMMON = """
subprojects {
    apply plugin: 'java'
    group = 'org.example'
    repositories { mavenCentral() }
    if (name != 'helpers') { dependencies { testImplementation 'junit:junit:4.13.2' } }
}
"""

# Sources in unusual folders, tests of another module's main source set, generated tests, a source set and class path entries
# that are added late, a forked compiler, agents, finalizers, and failures that the build ignores.
_APP = """
apply plugin: 'jacoco'
sourceSets {
    main { java.srcDirs = ['source']; resources.srcDirs = ['res', 'res2'] }
    test { java.srcDir '../kit/src/main/java' }
}
dependencies {
    testImplementation project(':kit')
    testImplementation project(':svc:api')
    testImplementation project(':odd').sourceSets.test.output
    testImplementation files('libs/a-twice.jar', 'libs/b-twice.jar', 'libs/empty.jar'), fileTree(dir: 'libs/many')
    testRuntimeOnly files('does-not-exist', 'conf', 'runtime/none.jar', 'runtime/zero.jar')
}
compileJava { options.fork = true }
task generateTests {
    outputs.dir("$buildDir/generated-tests")
    doLast {
        file("$buildDir/generated-tests/GeneratedTest.java").text =
            'public class GeneratedTest { @org.junit.Test public void made() { new Main().f(); } }'
    }
}
sourceSets.test.java.srcDir("$buildDir/generated-tests")
compileTestJava.dependsOn generateTests
task afterTests { doLast { println 'never run' } }
test {
    jvmArgs '-Dfrom.args=yes', '-agentlib:jdwp=transport=dt_socket,server=y,suspend=y'
    systemProperty 'from.property', 'yes'
    ignoreFailures = true
    forkEvery = 1
    finalizedBy afterTests
    doFirst { systemProperty 'from.action', 'unseen' }
}
afterEvaluate {
    sourceSets { late { java.srcDir 'late' } }
    sourceSets.test.compileClasspath += sourceSets.late.output
    sourceSets.test.runtimeClasspath += sourceSets.late.output
}
"""

_ODD = """
apply plugin: 'java-library'
apply plugin: 'application'
def fresh = org.gradle.util.GradleVersion.current() >= org.gradle.util.GradleVersion.version('6.1')
if (fresh) {
    sourceSets.main.java.destinationDirectory.set(file('bin/main'))
    application { mainClass = 'Main' }
    dependencies { annotationProcessor project(':processor') }
} else {
    sourceSets.main.java.outputDir = file('bin/main')
    mainClassName = 'Main'
    dependencies { compileOnly project(':processor') }
}
test { workingDir = rootProject.projectDir; environment 'ODD', 'yes' }
"""

_PROCESSOR = """
import java.io.*;
import java.util.*;
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;
@SupportedAnnotationTypes("*")
public class Maker extends AbstractProcessor {
  private boolean made;
  @Override public javax.lang.model.SourceVersion getSupportedSourceVersion() { return javax.lang.model.SourceVersion.latest(); }
  @Override public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
    if (made) return false;
    made = true;
    try (Writer out = processingEnv.getFiler().createSourceFile("gen.Made").openWriter()) {
      out.write("package gen; public class Made { public int f() { return 3; } }");
    } catch (IOException e) { throw new UncheckedIOException(e); }
    return false;
  }
}
"""

_PICKY = """
def fresh = org.gradle.util.GradleVersion.current() >= org.gradle.util.GradleVersion.version('5.0')
sourceSets { integrationTest { compileClasspath += test.runtimeClasspath; runtimeClasspath += test.runtimeClasspath } }
task integrationTest(type: Test) {
    testClassesDirs = sourceSets.integrationTest.output.classesDirs
    classpath = sourceSets.integrationTest.runtimeClasspath
}
test {
    exclude '**/Slow*'
    filter { includeTestsMatching 'p.*Test'; if (fresh) { excludeTestsMatching '*.never' } }
}
"""

_APP_TEST = """
import static org.junit.Assert.*;
import java.util.*;
public class AppTest {
  @org.junit.Test public void sees() throws Exception {
    assertEquals("yes", System.getProperty("from.args"));
    assertEquals("yes", System.getProperty("from.property"));
    assertNull(System.getProperty("from.action"));
    assertEquals("1", System.getProperty("org.gradle.test.worker"));
    assertNotNull(AppTest.class.getResource("/words.txt"));
    assertTrue(new java.io.File(AppTest.class.getResource("/settings.properties").toURI()).isFile());
    Set<String> found = new TreeSet<>();
    for (Runnable one : ServiceLoader.load(Runnable.class)) found.add(one.getClass().getName());
    assertEquals(new TreeSet<>(Arrays.asList("First", "Second")), found);
    assertEquals(1, Twice.NUMBER);
    new Main().f();
    new Late().f();
    new Shared().f();
    new OddHelper().f();
  }
  @org.junit.Test public void fails() { fail("as it should"); }
}
"""


def _plain(name: str, body: str = "") -> str:
    """Return a class without a package."""
    return f"public class {name} {{ public int f() {{ return 1; }} {body} }}\n"


def _test(name: str, body: str, *, methods: tuple[str, ...] = ("t",)) -> str:
    """Return a JUnit 4 class without a package."""
    return f"public class {name} {{ {' '.join(f'@org.junit.Test public void {one}() {{ {body} }}' for one in methods)} }}\n"


def _jar(path: Path, entries: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def untidy_build(root: Path, twice: tuple[bytes, bytes]) -> Path:
    """Write the build. `twice` is the class `Twice` with the constant NUMBER 1 and 2, for jars that both contain it."""
    service = "META-INF/services/java.lang.Runnable"
    write(
        root,
        {
            "settings.gradle": _SETTINGS,
            "build.gradle": "apply from: 'gradle/common.gradle'\n",
            "gradle/common.gradle": _COMMON,
            "app/build.gradle": _APP,
            "app/source/Main.java": _plain("Main"),
            "app/source/First.java": "public class First implements Runnable { public void run() {} }",
            "app/source/Second.java": "public class Second implements Runnable { public void run() {} }",
            "app/res/words.txt": "w",
            f"app/res/{service}": "First\n",
            f"app/conf/{service}": "Second\n",
            "app/conf/settings.properties": "a=b\n",
            "app/late/Late.java": _plain("Late"),
            "app/src/test/java/AppTest.java": _APP_TEST,
            "kit/build.gradle": "dependencies { implementation 'junit:junit:4.13.2' }\n",
            "kit/src/main/java/KitTest.java": _test("KitTest", "new KitHelp().f();"),
            "kit/src/main/java/KitHelp.java": _plain("KitHelp"),
            "processor/build.gradle": "",
            "processor/src/main/java/Maker.java": _PROCESSOR,
            "processor/src/main/resources/META-INF/services/javax.annotation.processing.Processor": "Maker\n",
            "odd/strange.gradle": _ODD,
            "odd/src/main/java/Main.java": _plain("Main", "public int g() { return new gen.Made().f(); }"),
            "odd/src/test/java/MainTest.java": _test(
                "MainTest",
                'new Main().g(); org.junit.Assert.assertEquals("yes", System.getenv("ODD"));'
                ' org.junit.Assert.assertTrue(new java.io.File("settings.gradle").isFile());',
            ),
            "odd/src/test/java/OddHelper.java": _plain("OddHelper"),
            "svc/api/build.gradle": "apply plugin: 'java-library'\ntest { useJUnit { excludeCategories 'p.Slow' } }\n",
            "svc/api/src/main/java/Shared.java": _plain("Shared"),
            "svc/api/src/test/java/MainTest.java": _test("MainTest", "new Shared().f();"),
            "web/api/build.gradle": "apply plugin: 'war'\ndependencies { providedCompile project(':kit') }\n",
            "web/api/src/main/java/Web.java": _plain("Web"),
            "web/api/src/test/java/MainTest.java": _test("MainTest", "new Web().f(); new KitHelp().f();"),
            "helpers/build.gradle": "",
            "helpers/src/test/java/OnlyHelp.java": _plain("OnlyHelp"),
            "off/build.gradle": "test { enabled = false }\n",
            "off/src/test/java/OffTest.java": _test("OffTest", ""),
            "picky/build.gradle": _PICKY,
            "picky/src/test/java/p/QuickTest.java": "package p;\n" + _test("QuickTest", "", methods=("t", "never")),
            "picky/src/test/java/p/SlowTest.java": "package p;\n" + _test("SlowTest", ""),
            "picky/src/test/java/p/Checks.java": "package p;\n" + _test("Checks", ""),
            "picky/src/integrationTest/java/p/WholeTest.java": "package p;\n" + _test("WholeTest", "new QuickTest().t();"),
        },
    )
    (root / "app/res2").mkdir()
    for number in range(MANY_JARS):
        _jar(root / f"app/libs/many/{number}/part.jar", {f"part-{number}.txt": b""})
    _jar(root / "app/libs/a-twice.jar", {"Twice.class": twice[0]})
    _jar(root / "app/libs/b-twice.jar", {"Twice.class": twice[1]})
    _jar(root / "app/libs/empty.jar", {})
    (root / "app/runtime").mkdir()
    (root / "app/runtime/zero.jar").write_bytes(b"")
    return root
