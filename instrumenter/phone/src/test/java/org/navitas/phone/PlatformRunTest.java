package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;

import java.io.File;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.hamcrest.Matcher;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.navitas.junit.PlatformTests;

/** Tests of the JUnit Platform, with each of its versions. */
@RunWith(Parameterized.class)
public class PlatformRunTest {
    @Parameterized.Parameters(name = "{0}")
    public static List<String> versions() {
        String which = System.getProperty(
                "navitas.inputs", "all"); // `make test` runs the first, `make test-all` also the others
        List<String> all = Arrays.asList("6.1.3", "1.14.4", "1.4.2");
        return all.subList(which.equals("others") ? 1 : 0, which.equals("first") ? 1 : all.size());
    }

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final String version;
    private final File classes;

    /** Sources are compiled once for each version, into the module's build folder. */
    public PlatformRunTest(String version) throws Exception {
        this.version = version;
        classes = new File("target/platform-tests-" + version);
    }

    private List<File> classPath() throws Exception {
        List<File> path = new ArrayList<>();
        for (Class<?> one : Arrays.<Class<?>>asList(InstrumentMain.class, PlatformTests.class, Matcher.class)) {
            path.add(new File(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        boolean isOld = version.equals("1.4.2");
        File junit = new File(
                Test.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        path.add(isOld ? new File("target/platforms/junit-4.12.jar") : junit);
        path.add(new File("target/platforms/junit-platform-console-standalone-" + version + ".jar"));
        return path;
    }

    private File compiled(String... names) throws Exception {
        String path = classPath().stream().map(File::getPath).collect(Collectors.joining(File.pathSeparator));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        File to = new File(classes, String.join("-", names));
        if (!to.exists()) {
            assertTrue(to.mkdirs());
            List<String> arguments =
                    new ArrayList<>(Arrays.asList("-nowarn", "-proc:none", "-cp", path, "-d", to.getPath()));
            for (String name : names) {
                File source = folder.newFile(name + ".java");
                try (InputStream in = getClass().getResourceAsStream("/platform/" + name + ".java.txt")) {
                    Files.copy(in, source.toPath(), StandardCopyOption.REPLACE_EXISTING);
                }
                arguments.add(source.getPath());
            }
            assertEquals(0, compiler.run(null, null, null, arguments.toArray(new String[0])));
        }
        return to;
    }

    /**
     * Returns the raw stream of a run over classes; first system properties ({@code name=value}), then the
     * instrumentation's arguments.
     */
    private String runWith(String[] properties, File tests, String... arguments) throws Exception {
        File stream = folder.newFile();
        List<String> all = new ArrayList<>(Arrays.asList(properties));
        Collections.addAll(all, "navitas.testFramework=junit-platform", "navitas.testRoots=" + tests);
        List<URL> urls = new ArrayList<>(Arrays.asList(tests.toURI().toURL()));
        for (File file : classPath()) {
            urls.add(file.toURI().toURL());
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Each platform has its own class loader: a separate process takes ten times as long.
        try (URLClassLoader loader = new URLClassLoader(
                        urls.toArray(new URL[0]),
                        ClassLoader.getSystemClassLoader().getParent());
                OutputStream out = new FileOutputStream(stream)) {
            for (String property : all) {
                System.setProperty(property.split("=")[0], property.split("=")[1]);
            }
            thread.setContextClassLoader(loader);
            Class<?> printer = loader.loadClass(StatusPrinter.class.getName());
            Constructor<?> make = printer.getDeclaredConstructor(OutputStream.class);
            Class<?> main = loader.loadClass(InstrumentMain.class.getName());
            Method run = main.getDeclaredMethod("run", printer, ClassLoader.class, String[].class);
            make.setAccessible(true);
            run.setAccessible(true);
            run.invoke(null, make.newInstance(out), loader, arguments);
        } finally {
            thread.setContextClassLoader(before);
            for (String property : all) {
                System.clearProperty(property.split("=")[0]);
            }
        }
        return new String(Files.readAllBytes(stream.toPath()), StandardCharsets.UTF_8);
    }

    private String run(File tests, String... arguments) throws Exception {
        return runWith(new String[0], tests, arguments);
    }

    private static String[] set(String... properties) {
        return properties;
    }

    /** Returns {@code Class#test code} of each result, sorted, since JUnit's order of methods is not predictable. */
    private static List<String> ends(String stream) {
        List<String> ends = new ArrayList<>();
        String name = "";
        String more = "";
        for (String line : stream.split("\n")) {
            String value = line.substring(line.indexOf('=') + 1);
            if (line.startsWith("INSTRUMENTATION_STATUS: class=")) {
                name = value.replace("p.", "") + "#";
            } else if (line.startsWith("INSTRUMENTATION_STATUS: test=")) {
                name += value;
            } else if (line.startsWith("INSTRUMENTATION_STATUS: navitas.container=true")) {
                more = " container";
            } else if (line.startsWith("INSTRUMENTATION_STATUS_CODE: ")) {
                String code = line.substring(29);
                if (!code.equals("1") && !code.equals("2")) {
                    ends.add(name + " " + code + more);
                }
                more = "";
            }
        }
        Collections.sort(ends);
        return ends;
    }

    private static List<String> sorted(String... lines) {
        Arrays.sort(lines);
        return Arrays.asList(lines);
    }

    @Test
    public void namesEveryKindOfTestWithItsResult() throws Exception {
        String stream = run(compiled("CalcTest"));
        assertEquals(
                sorted(
                        "CalcTest#adds() 0",
                        "CalcTest#adds(TestInfo) 0",
                        "CalcTest#again[1] 0",
                        "CalcTest#again[2] 0",
                        "CalcTest#assumes -4",
                        "CalcTest#fails -2",
                        "CalcTest#made[1] 0",
                        "CalcTest#made[2][1] 0",
                        "CalcTest#made[2][2] 0",
                        "CalcTest#off -3",
                        "CalcTest#shown[1] 0",
                        "CalcTest#shown[2] 0",
                        "CalcTest#squares[1] 0",
                        "CalcTest#squares[2] 0",
                        "CalcTest#squares[3] 0",
                        "CalcTest$Inner#inside 0",
                        "CalcTest$Inner$Deeper#deep 0"),
                ends(stream));
        assertTrue(
                stream,
                stream.contains(
                        "stack=java.lang.AssertionError: expected\n INSTRUMENTATION_CODE: -1\nby two lines\n\tat "));
        assertTrue(stream, stream.contains("\nFAILURES!!!\nTests run: 16,  Failures: 1\n"));
        assertTrue(stream, stream.endsWith("\nINSTRUMENTATION_CODE: -1\n"));
        assertEquals(1, stream.split("\nINSTRUMENTATION_CODE: ", -1).length - 1);
    }

    @Test
    public void listsContainersOfDynamicTests() throws Exception {
        assertEquals(
                sorted(
                        "CalcTest#adds() 0",
                        "CalcTest#adds(TestInfo) 0",
                        "CalcTest#again 0 container",
                        "CalcTest#assumes 0",
                        "CalcTest#fails 0",
                        "CalcTest#made 0 container",
                        "CalcTest#off 0",
                        "CalcTest#shown 0 container",
                        "CalcTest#squares 0 container",
                        "CalcTest$Inner#inside 0",
                        "CalcTest$Inner$Deeper#deep 0"),
                ends(run(compiled("CalcTest"), "log", "true")));
    }

    @Test
    public void reportsFailuresAboveTests() throws Exception {
        String c = "ContainersTest$";
        String stream = run(compiled("ContainersTest"));
        assertEquals(
                sorted(
                        c + "AfterAllFails#passes 0",
                        c + "AfterAllFails#null -2",
                        c + "BeforeAllFails#null -2",
                        c + "GivesUp#null -4",
                        c + "NoTests#made -2",
                        c + "NoTests#without -2",
                        c + "Off#a -3",
                        c + "Off$Inner#b -3"),
                ends(stream));
        assertTrue(stream, stream.contains("stack=java.lang.IllegalStateException: before all\n\tat "));
    }

    @Test
    public void selectsByName() throws Exception {
        File tests = compiled("CalcTest", "OldTest");
        String chosen =
                "p.CalcTest#adds,p.CalcTest#squares[2],p.CalcTest#made[2][1],p.CalcTest$Inner,p.CalcTest#again[9],p.No";
        assertEquals(
                sorted(
                        "CalcTest#adds() 0",
                        "CalcTest#adds(TestInfo) 0",
                        "CalcTest#squares[2] 0",
                        "CalcTest#made[2][1] 0",
                        "CalcTest$Inner#inside 0",
                        "CalcTest$Inner$Deeper#deep 0",
                        "No#initializationError -2"),
                ends(run(tests, "class", chosen)));
        assertEquals(
                sorted("CalcTest#made[2][1] 0", "CalcTest#made[2][2] 0", "CalcTest#adds() 0"),
                ends(run(tests, "class", "p.CalcTest#made[2],p.CalcTest#adds()")));
        assertEquals(
                sorted("OldTest$Plain#a 0"),
                ends(run(tests, "notClass", "p.CalcTest,p.OldTest$Two,p.OldTest$Plain#b")));
        assertEquals(sorted(), ends(run(tests, "package", "q")));
    }

    @Test
    public void appliesTagsAndEnginesOfBuild() throws Exception {
        File tests = compiled("CalcTest", "OldTest");
        assertEquals(
                sorted("CalcTest#squares 0 container"),
                ends(runWith(set("navitas.includeTags=slow"), tests, "log", "true")));
        List<String> found = ends(
                runWith(set("navitas.excludeTags=slow", "navitas.excludeEngines=junit-vintage"), tests, "log", "true"));
        assertEquals(10, found.size());
        assertFalse(found.toString(), found.toString().contains("squares"));
        assertEquals(
                4,
                ends(runWith(set("navitas.includeEngines=junit-vintage"), tests, "log", "true"))
                        .size());
    }

    @Test
    public void vintageTestsHaveJUnit4Names() throws Exception {
        String shown = version.startsWith("1.") ? "\\n" : "<LF>"; // JUnit 6 escapes it
        assertEquals(
                sorted(
                        "OldTest$Plain#a 0",
                        "OldTest$Plain#b -3",
                        "OldTest$Two#m[0: p" + shown + ",x] 0",
                        "OldTest$Two#m[1: q" + shown + ",x] 0"),
                ends(run(compiled("OldTest"))));
        assertEquals(
                sorted("OldTest$Two#m[1: q" + shown + ",x] 0"),
                ends(run(compiled("OldTest"), "class", "p.OldTest$Two#m[1: q" + shown + "%2Cx]")));
    }

    @Test
    public void runsParameterisedClasses() throws Exception {
        assumeFalse("new in 5.13", version.equals("1.4.2"));
        File tests = compiled("PerClassTest");
        assertEquals(
                sorted(
                        "PerClassTest#one[1] 0",
                        "PerClassTest#one[2] 0",
                        "PerClassTest#many[1][1] 0",
                        "PerClassTest#many[1][2] 0",
                        "PerClassTest#many[2][1] 0",
                        "PerClassTest#many[2][2] 0"),
                ends(run(tests)));
        assertEquals(sorted("PerClassTest#null 0 container"), ends(run(tests, "log", "true")));
        assertEquals(
                sorted("PerClassTest#one[1] 0", "PerClassTest#one[2] 0"),
                ends(run(tests, "class", "p.PerClassTest#one")));
    }

    @Test
    public void disablesParallelExecutionWithWarning() throws Exception {
        String[] on = set(
                "junit.jupiter.execution.parallel.enabled=true",
                "junit.jupiter.execution.parallel.mode.default=concurrent");
        String stream = runWith(on, compiled("CalcTest"));
        String warning = "INSTRUMENTATION_STATUS: navitas.warning=parallel execution of tests is disabled "
                + "(junit.jupiter.execution.parallel.enabled): ";
        assertTrue(stream, stream.startsWith(warning));
        assertFalse(stream, stream.contains("tests overlapped"));
        assertEquals(17, ends(stream).size());
    }

    @Test
    public void testsCannotForgeStream() throws Exception {
        File tests = compiled("ForgingTest");
        File stream = folder.newFile();
        String path = tests
                + File.pathSeparator
                + classPath().stream().map(File::getPath).collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Dnavitas.testFramework=junit-platform",
                        "-Dnavitas.stream=" + stream,
                        "-Dnavitas.testRoots=" + tests,
                        "-cp",
                        path,
                        InstrumentMain.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(folder.newFile())
                .start();
        assertEquals(0, process.waitFor());
        assertEquals(
                sorted("ForgingTest#prints 0"),
                ends(new String(Files.readAllBytes(stream.toPath()), StandardCharsets.UTF_8)));
    }

    @Test
    public void callsPlatformListeners() throws Exception {
        File tests = compiled("OldTest");
        assertEquals(
                4,
                ends(run(tests, "listener", "org.junit.platform.launcher.listeners.SummaryGeneratingListener"))
                        .size());
        String stream = run(tests, "listener", "no.Such");
        assertTrue(
                stream, stream.contains("INSTRUMENTATION_RESULT: longMsg=java.lang.ClassNotFoundException: no.Such"));
    }
}
