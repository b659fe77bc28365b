package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The first probe of a process, with what the app can have in its way; see {@link StartScenarios}. */
public class StartTest {
    private static final String FIRST_CALL = "E1 X1";
    private static final String NOTE = "navitas: [not_recording] nothing is recorded: ";

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** Runs a scenario in a JVM of its own; returns its output. A scenario that throws fails. */
    private String run(String scenario, String... options) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(
                System.getProperty("java.home") + "/bin/java",
                "-Dnavitas.out=" + new File(folder.getRoot(), "out"),
                "-cp",
                path(StartScenarios.class) + File.pathSeparator + path(Probe.class)));
        command.addAll(Arrays.asList(options));
        command.add(StartScenarios.class.getName());
        command.add(scenario);
        File output = folder.newFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        boolean ended = process.waitFor(120, TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = new String(Files.readAllBytes(output.toPath()));
        assertTrue("it hangs: " + text, ended);
        assertEquals(text, 0, process.exitValue());
        return text;
    }

    private static String path(Class<?> type) throws Exception {
        return new File(type.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
    }

    /** Returns the recorded events of a thread. */
    private String recorded(int serial) throws Exception {
        byte[] written = Files.readAllBytes(new File(folder.getRoot(), "out").listFiles()[0].toPath());
        return ChunkReader.events(written, serial).stream()
                .map(event -> event.toString().split("@")[0])
                .collect(Collectors.joining(" "));
    }

    private void assumeSecurityManager() {
        String version = System.getProperty("java.specification.version");
        assumeTrue("this JVM has no security managers", version.startsWith("1.") || Integer.parseInt(version) < 24);
    }

    private static String[] allowed() {
        boolean isOld = System.getProperty("java.specification.version").startsWith("1.");
        return isOld ? new String[0] : new String[] {"-Djava.security.manager=allow"};
    }

    @Test
    public void firstProbeReadsNoFileOnItsThread() throws Exception {
        assumeSecurityManager();
        assertEquals("", run("files", allowed()).replaceAll("(?m)^WARNING: .*\n", ""));
        assertEquals(FIRST_CALL, recorded(1));
    }

    @Test
    public void probesOfASecurityManagerDoNotWait() throws Exception {
        assumeSecurityManager();
        run("manager", allowed());
        assertTrue(recorded(1), recorded(1).contains(FIRST_CALL));
    }

    @Test
    public void securityManagerThatThrowsIsHarmless() throws Exception {
        assumeSecurityManager();
        assertTrue(run("forbidden", allowed()).contains(NOTE + "java.lang.SecurityException"));
    }

    @Test
    public void probesOfInheritedValuesDoNotWait() throws Exception {
        run("inherited");
        assertEquals(FIRST_CALL, recorded(1));
    }

    @Test
    public void probesOfAClassLoaderDoNotWait() throws Exception {
        run("loader");
        assertEquals(FIRST_CALL, recorded(1));
    }

    @Test
    public void firstProbeCanBeWithinTheClassLoader() throws Exception {
        run("loading");
        assertEquals(FIRST_CALL, recorded(1));
    }

    @Test
    public void processWithoutSettingsKeepsNothing() throws Exception {
        assertEquals("", run("unconfigured"));
    }

    @Test
    public void startFindsThatCpuTimesAreUnknown() throws Exception {
        String output = run("unmanaged", "-Dnavitas.mode=tick", "-Dnavitas.source.1=threads");
        assertEquals(NOTE + "java.lang.OutOfMemoryError: injected\n", output);
        assertEquals(null, new File(folder.getRoot(), "out").list());
    }

    @Test
    public void firstCallsOfManyThreadsAreRecorded() throws Exception {
        run("threads");
        for (int serial = 1; serial <= StartScenarios.THREADS; serial++) {
            assertEquals(FIRST_CALL, recorded(serial));
        }
    }

    @Test
    public void interruptedThreadIsRecordedAndStaysInterrupted() throws Exception {
        run("interrupted");
        assertEquals(FIRST_CALL, recorded(1));
    }

    @Test
    public void errorsAtTheStartAreHarmless() throws Exception {
        for (String error : new String[] {"OutOfMemoryError", "StackOverflowError", "RuntimeException"}) {
            for (String property : new String[] {"navitas.sysRoot", "java.vm.name", "navitas.recording"}) {
                String note = NOTE + "java.lang." + error;
                assertTrue(run("error", "-Derror=" + error, "-Dproperty=" + property)
                        .contains(note));
            }
        }
    }

    @Test
    public void lackOfMemoryForAnyClassIsHarmless() throws Exception {
        File classes = new File(path(Probe.class));
        assumeTrue("the classes are in a jar", classes.isDirectory());
        assertTrue(run("classes", "-Dnavitas.mode=tick").contains(NOTE + "java.lang.OutOfMemoryError: injected"));
    }

    /** An error in an initializer on a thread of the app would make each later use of the class throw. */
    @Test
    public void onlyClassesThatTheStartInitializesHaveInitializers() throws Exception {
        File classes = new File(path(Probe.class), "org/navitas/runtime");
        assumeTrue("the classes are in a jar", classes.isDirectory());
        List<String> found = new ArrayList<>();
        for (File each : classes.listFiles()) {
            if (new String(Files.readAllBytes(each.toPath()), StandardCharsets.ISO_8859_1).contains("<clinit>")) {
                found.add(each.getName());
            }
        }
        Collections.sort(found);
        assertEquals("[BlockCounts.class, BlockRunning.class, CallEvents.class, Running.class]", found.toString());
    }

    @Test
    public void startThatDoesNotEndIsGivenUp() throws Exception {
        assertTrue(run("stuck").contains(NOTE + "the start takes too long"));
    }

    @Test
    public void firstProbeCanOverflowTheStack() throws Exception {
        run("overflow", "-Xint");
    }
}
