package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.runtime.ChunkReader.Chunk;

/** Threads without a kernel thread of their own: on this JVM, or on another one that supports them. */
public class VirtualThreadTest {
    private static final String OPEN = "--add-opens=java.base/java.lang=ALL-UNNAMED";

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** The code of the recorded process. Uses reflection, since it is compiled for older JVMs. */
    public static final class App {
        public static void main(String[] arguments) throws Exception {
            int threads = Integer.parseInt(arguments[0]);
            CountDownLatch all = new CountDownLatch(arguments[2].isEmpty() ? 0 : threads);
            Probe.enter(1);
            Runnable task = () -> {
                Probe.enter(2);
                all.countDown();
                await(all);
                for (int i = 0; i < 2; i++) {
                    Probe.enter(3);
                    spin(Long.parseLong(arguments[1]));
                    Probe.exit(3);
                    sleep();
                }
                Probe.exit(2);
            };
            Thread[] started = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                started[i] = (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, task);
            }
            for (Thread thread : started) {
                thread.join();
            }
            Probe.exit(1);
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void sleep() {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void spin(long millis) {
            long end = System.nanoTime() + 1_000_000 * millis;
            while (System.nanoTime() < end) {
                // uses CPU time
            }
        }
    }

    @Test
    public void carrierIsUnknownWhereTheJvmIsClosed() throws Exception {
        byte[] written = record("1", "0", "");
        assertEquals(6, ChunkReader.events(written, 2).size());
        assertEquals(
                "it has no kernel thread of its own",
                0,
                ChunkReader.of(written, Format.CALLS, 2).get(0).tid);
        assertEquals("nor a CPU clock", 0, ChunkReader.anchors(written, 2).size());
        boolean isKnown = ChunkReader.of(written, Format.CALLS, 1).get(0).tid != 0;
        assertEquals(new File("/proc/thread-self").exists(), isKnown);
        assertEquals(0, mounts(written).size());
    }

    @Test
    public void carriersHaveTheMountsAndTheClock() throws Exception {
        byte[] written = record("20", "1", "", OPEN);
        Set<Long> carriers = new HashSet<>();
        Map<Long, Integer> mountsOfThread = new HashMap<>();
        for (Chunk chunk : mounts(written)) {
            carriers.add(chunk.serial);
            assertTrue(!new File("/proc/thread-self").exists() || chunk.tid != 0);
            long time = 0;
            long cpu = 0;
            for (int i = 0; i < chunk.count; i++) {
                long nextTime = chunk.payload.getLong();
                long nextCpu = chunk.payload.getLong();
                assertTrue("times of a carrier are in order", nextTime >= time && nextCpu >= cpu);
                time = nextTime;
                cpu = nextCpu;
                mountsOfThread.merge(chunk.payload.getLong(), 1, Integer::sum);
            }
        }
        int ends = mountsOfThread.remove(0L);
        assertEquals(20, mountsOfThread.size());
        for (Map.Entry<Long, Integer> mounts : mountsOfThread.entrySet()) {
            assertTrue("it sleeps twice: " + mounts.getValue(), mounts.getValue() >= 3);
            assertEquals(
                    "it reads its carriers' clocks",
                    0,
                    ChunkReader.anchors(written, mounts.getKey()).size());
            assertEquals(6, ChunkReader.events(written, mounts.getKey()).size());
        }
        int all = mountsOfThread.values().stream().mapToInt(Integer::intValue).sum();
        assertEquals("only the end of the first mount is not seen", all - 20, ends);
        int anchors = 0;
        for (long carrier : carriers) {
            anchors += ChunkReader.anchors(written, carrier).size();
        }
        assertTrue("outermost calls begin and end with an anchor: " + anchors, anchors >= 40);
    }

    @Test
    public void tenThousandThreadsNeedBoundedMemory() throws Exception {
        byte[] written = record("10000", "0", "together", OPEN, "-Xmx128m", "-Dnavitas.mode=folded");
        long calls = ChunkReader.rows(written, 0).stream()
                .mapToLong(row -> row.calls)
                .sum();
        assertEquals(1 + 3 * 10_000, calls);
    }

    /** Records that many threads; if they are {@code together}, all live at once. */
    private byte[] record(String threads, String spinMillis, String together, String... options) throws Exception {
        File java = javaWithVirtualThreads();
        assumeTrue("no JVM from 21 on is here", java != null);
        String classes = path(App.class) + File.pathSeparator + path(Probe.class);
        List<String> command = new ArrayList<>();
        command.add(java.getPath());
        command.addAll(Arrays.asList(options));
        String out = "-Dnavitas.out=" + folder.getRoot();
        command.addAll(Arrays.asList(out, "-cp", classes, App.class.getName(), threads, spinMillis, together));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertEquals(0, process.waitFor());
        return Files.readAllBytes(folder.getRoot().listFiles()[0].toPath());
    }

    private static List<Chunk> mounts(byte[] written) {
        List<Chunk> mounts = ChunkReader.read(written);
        mounts.removeIf(chunk -> chunk.type != Format.MOUNTS);
        return mounts;
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
