package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Threads without a kernel thread of their own: on this JVM, or on another one that supports them. */
public class VirtualThreadTest {
    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** The code of the recorded process. Uses reflection, since it is compiled for older JVMs. */
    public static final class App {
        public static void main(String[] arguments) throws Exception {
            Probe.enter(1);
            Runnable task = () -> {
                Probe.enter(2);
                Probe.exit(2);
            };
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task)).join();
            Probe.exit(1);
        }
    }

    @Test
    public void virtualThreadHasNoKernelId() throws Exception {
        File java = javaWithVirtualThreads();
        assumeTrue("no JVM from 21 on is here", java != null);
        String classes = path(App.class) + File.pathSeparator + path(Probe.class);
        String out = "-Dnavitas.out=" + folder.getRoot();
        Process process = new ProcessBuilder(java.getPath(), out, "-cp", classes, App.class.getName()).inheritIO().start();
        assertEquals(0, process.waitFor());
        byte[] written = Files.readAllBytes(folder.getRoot().listFiles()[0].toPath());
        assertEquals(2, ChunkReader.events(written, 2).size());
        assertEquals(0, ChunkReader.of(written, Format.CALLS, 2).get(0).tid);
        assertEquals("nor a CPU clock", 0, ChunkReader.anchors(written, 2).size());
        boolean isKnown = ChunkReader.of(written, Format.CALLS, 1).get(0).tid != 0;
        assertEquals(new File("/proc/thread-self").exists(), isKnown);
    }

    private static File javaWithVirtualThreads() throws IOException {
        File own = new File(System.getProperty("java.home"));
        File[] siblings = own.getCanonicalFile().getParentFile().listFiles();
        for (File home : siblings == null ? new File[] {own} : siblings) {
            File release = new File(home, "release");
            List<String> lines = release.isFile() ? Files.readAllLines(release.toPath()) : Collections.emptyList();
            for (String line : lines) {
                if (line.matches("JAVA_VERSION=\"(2[1-9]|[3-9]\\d).*") && new File(home, "bin/java").canExecute()) {
                    return new File(home, "bin/java");
                }
            }
        }
        return null;
    }

    private static String path(Class<?> type) throws Exception {
        return new File(type.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
    }
}
