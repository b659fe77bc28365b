package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class InstrumentMainTest {
    private static final String F = Fixtures.class.getName() + "$";

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @After
    public void reset() {
        System.clearProperty("navitas.testRoots");
        System.clearProperty(JUnit4Classes.SCAN_PROPERTY);
        System.clearProperty(JUnit4Selection.SDK_PROPERTY);
    }

    private static String run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InstrumentMain.run(new StatusPrinter(out), Fixtures.class.getClassLoader(), arguments);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    /** Returns {@code Class#test code} of each bundle. */
    private static List<String> codes(String stream) {
        List<String> codes = new ArrayList<>();
        String className = "";
        String test = "";
        for (String line : stream.split("\n")) {
            if (line.startsWith("INSTRUMENTATION_STATUS: class=")) {
                className = line.substring(30).replace(F, "");
            } else if (line.startsWith("INSTRUMENTATION_STATUS: test=")) {
                test = line.substring(29);
            } else if (line.startsWith("INSTRUMENTATION_STATUS_CODE: ")) {
                codes.add(className + "#" + test + " " + line.substring(29));
            }
        }
        return codes;
    }

    @Test
    public void printsPassedTestByteForByte() {
        String common = "INSTRUMENTATION_STATUS: class=" + F + "Mixed\nINSTRUMENTATION_STATUS: current=1\n"
                + "INSTRUMENTATION_STATUS: id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests=1\n";
        String stream = run("class", F + "Mixed#passes");
        String expected = common + "INSTRUMENTATION_STATUS: stream=\n" + F + "Mixed:\n"
                + "INSTRUMENTATION_STATUS: test=passes\nINSTRUMENTATION_STATUS_CODE: 1\n"
                + common + "INSTRUMENTATION_STATUS: stream=.\n"
                + "INSTRUMENTATION_STATUS: test=passes\nINSTRUMENTATION_STATUS_CODE: 0\n";
        assertEquals(expected, stream.substring(0, expected.length()));
        String rest = stream.substring(expected.length());
        assertTrue(
                rest,
                rest.matches("INSTRUMENTATION_RESULT: stream=\n"
                        + "Time: [0-9.,]+\n\n"
                        + "OK \\(1 test\\)\n\n\n"
                        + "INSTRUMENTATION_CODE: -1\n"));
    }

    @Test
    public void printsCodeOfEachResult() {
        String stream = run("class", F + "Mixed");
        assertEquals(
                Arrays.asList(
                        "Mixed#assumes 1",
                        "Mixed#assumes -4",
                        "Mixed#fails 1",
                        "Mixed#fails -2",
                        "Mixed#ignored 1",
                        "Mixed#ignored -3",
                        "Mixed#passes 1",
                        "Mixed#passes 0"),
                codes(stream));
        assertTrue(stream.contains(
                "INSTRUMENTATION_STATUS: stack=java.lang.AssertionError: expected\nby two lines\n\tat "));
        assertTrue(stream.contains("FAILURES!!!\nTests run: 3,  Failures: 1\n"));
        assertTrue(stream.endsWith("\nINSTRUMENTATION_CODE: -1\n"));
    }

    @Test
    public void logModeListsWithoutRunning() {
        Fixtures.Counting.started = 0;
        String stream = run("log", "true", "class", F + "Mixed," + F + "Two#m", "listener", F + "Counting");
        assertEquals(
                Arrays.asList(
                        "Mixed#assumes 1",
                        "Mixed#assumes 0",
                        "Mixed#fails 1",
                        "Mixed#fails 0",
                        "Mixed#ignored 1",
                        "Mixed#ignored 0",
                        "Mixed#passes 1",
                        "Mixed#passes 0",
                        "Two#m[0] 1",
                        "Two#m[0] 0",
                        "Two#m[1] 1",
                        "Two#m[1] 0"),
                codes(stream));
        assertTrue(stream.contains("INSTRUMENTATION_STATUS: numtests=6\n") && stream.contains("\nOK (6 tests)\n"));
        assertEquals(0, Fixtures.Counting.started);
    }

    @Test
    public void selectsMethodsAndParameters() {
        assertEquals(
                Arrays.asList("Two#m[1] 1", "Two#m[1] 0", "Mixed#passes 1", "Mixed#passes 0"),
                codes(run("class", F + "Two#m[1]," + F + "Mixed#passes," + F + "Mixed#nonesuch")));
        assertEquals(
                Arrays.asList("Two#n[0] 1", "Two#n[0] 0", "Two#n[1] 1", "Two#n[1] 0"),
                codes(run("class", F + "Two", "notClass", F + "Two#m")));
        String none = run("class", F + "Mixed#nonesuch");
        assertTrue(none, codes(none).isEmpty() && none.contains("OK (0 tests)"));
    }

    @Test
    public void callsListeners() {
        Fixtures.Counting.started = 0;
        run("class", F + "Two", "listener", F + "Counting," + F + "Counting");
        assertEquals(8, Fixtures.Counting.started);
    }

    @Test
    public void unloadableClassIsFailedTest() {
        assertEquals(
                Arrays.asList(
                        "Broken#null 1",
                        "Broken#null -2",
                        "no.Such#initializationError 1",
                        "no.Such#initializationError -2"),
                codes(run("class", F + "Broken,no.Such")));
    }

    /**
     * Makes the roots contain the classes of this package with one of these prefixes, and a file that is not a class.
     */
    private void search(String... classNames) throws Exception {
        File classes = new File(Fixtures.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        File to = new File(folder.getRoot(), "org/navitas/phone");
        assertTrue(to.mkdirs());
        for (File file : new File(classes, "org/navitas/phone").listFiles()) {
            for (String name : classNames) {
                if (file.getName().startsWith(name)) {
                    Files.copy(file.toPath(), new File(to, file.getName()).toPath());
                }
            }
        }
        Files.write(new File(to, "Stray.class").toPath(), new byte[] {1, 2, 3});
        System.setProperty("navitas.testRoots", folder.getRoot() + File.pathSeparator + folder.getRoot() + "/missing");
    }

    @Test
    public void searchesRootsIfNoClassIsNamed() throws Exception {
        search("Fixtures");
        List<String> found = codes(run("log", "true"));
        found.removeIf(line -> line.endsWith(" 1"));
        assertEquals(
                Arrays.asList(
                        "Broken#never 0",
                        "Derived#inherited 0",
                        "Mixed#assumes 0",
                        "Mixed#fails 0",
                        "Mixed#ignored 0",
                        "Mixed#passes 0",
                        "Old#testOld 0",
                        "Outer$Inner#inside 0",
                        "Scanned#a 0",
                        "Scanned$NotPublic#initializationError 0",
                        "Scanned$NotPublicMethod#initializationError 0",
                        "junit.framework.TestSuite$1#warning 0",
                        "Two#m[0] 0",
                        "Two#n[0] 0",
                        "Two#m[1] 0",
                        "Two#n[1] 0"),
                found);
        assertEquals(
                16, codes(run("log", "true", "package", "org.navitas.phone")).size() / 2);
        assertEquals(0, codes(run("log", "true", "package", "org.navitas.pho")).size());
        System.setProperty(JUnit4Classes.SCAN_PROPERTY, "false");
        String everything = String.join(" ", codes(run("log", "true")));
        assertTrue(everything, everything.contains("Scanned$Inner#") && everything.contains("Scanned$AbstractNested#"));
        assertFalse(everything, everything.contains("Scanned$1#"));
    }

    @Test
    public void usesAndroidRunnersRulesOnPhone() throws Exception {
        search("Fixtures", "LogStreamTest");
        System.setProperty(JUnit4Selection.SDK_PROPERTY, "33");
        assertEquals(
                "AndroidJUnitRunner's rule: no name with a dollar",
                3,
                codes(run("log", "true")).size() / 2);
        assertEquals(
                "one that is named is run",
                4,
                codes(run("log", "true", "class", F + "Mixed")).size() / 2);
    }

    @Test
    public void reasonIsRootCause() {
        Throwable cause = new ClassCastException("a.B cannot be cast to a.C");
        assertEquals(
                "java.lang.ClassCastException: a.B cannot be cast to a.C, at " + cause.getStackTrace()[0]
                        + " (the log contains the stack trace)",
                InstrumentMain.reason(new IllegalStateException("no start", new Exception(cause))));
        assertEquals("java.lang.Error: x", InstrumentMain.reason(new Error("x")));
    }

    @Test
    public void resultContainsReasonWhyTestsCannotRun() {
        String stream = run("class", F + "Two", "listener", "no.Such");
        assertTrue(stream, stream.contains("INSTRUMENTATION_RESULT: longMsg=") && stream.contains("no.Such"));
        assertTrue(stream.endsWith("\nINSTRUMENTATION_CODE: 0\n"));
        assertTrue(run("class").contains("no value for the argument 'class'"));
    }

    @Test
    public void processEndsDespiteThreadsAndPrintsOnlyStream() throws Exception {
        File classes = new File(InstrumentMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        InstrumentMain.class.getName(),
                        "class",
                        F + "Mixed#passes")
                .redirectError(new File(folder.getRoot(), "err"))
                .start();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int one = process.getInputStream().read();
                one >= 0;
                one = process.getInputStream().read()) {
            out.write(one);
        }
        assertEquals(0, process.waitFor());
        assertTrue(classes.exists() && out.toString("UTF-8").startsWith("INSTRUMENTATION_STATUS: class="));
        assertFalse(out.toString("UTF-8").contains("printed by a test"));
        String log = new String(Files.readAllBytes(new File(folder.getRoot(), "err").toPath()), StandardCharsets.UTF_8);
        assertTrue(log, log.contains("I/System.out(") && log.contains("printed by a test"));
    }

    @Test
    public void reportsMissingJUnit() throws Exception {
        File classes = new File(InstrumentMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        classes.getPath(),
                        InstrumentMain.class.getName(),
                        "class",
                        "a.B")
                .redirectErrorStream(true)
                .start();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int one = process.getInputStream().read();
                one >= 0;
                one = process.getInputStream().read()) {
            out.write(one);
        }
        assertTrue(out.toString("UTF-8").contains("INSTRUMENTATION_RESULT: shortMsg=JUnit 4 is not on the class path"));
        assertTrue(out.toString("UTF-8").contains("INSTRUMENTATION_CODE: 0\n"));
    }
}
