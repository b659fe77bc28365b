package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Records a whole process. */
public class ProcessTest {
    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** The code of the recorded process. */
    public static final class App {
        public static void main(String[] arguments) throws Exception {
            Probe.enter(1);
            Thread thread = new Thread("helper") {
                @Override
                public void run() {
                    Probe.enter(2);
                    Probe.thrown(2);
                    Probe.enter(3, 0);
                    Probe.exit(3);
                    Probe.enter(3, -1);
                    Probe.exit(3);
                }
            };
            thread.start();
            thread.join();
            Recorder.mark(Recorder.TEST_START, Recorder.PASSED, "a.B#c");
            Probe.exit(1);
            if (arguments.length > 0) {
                Recorder.flush();
                Runtime.getRuntime().halt(1);
            }
        }
    }

    /** The code of a recorded process that counts executions of blocks. */
    public static final class Counting {
        public static void main(String[] arguments) throws Exception {
            long[] counters = BlockProbe.find(5, 2);
            counters[0]++;
            Recorder.mark(Recorder.TEST_START, Recorder.PASSED, "a.B#c");
            counters[1] += 2;
            Thread helper = new Thread(() -> BlockProbe.find(5, 2)[1]++, "helper");
            helper.start();
            helper.join();
            Recorder.mark(Recorder.TEST_FINISH, Recorder.PASSED, "a.B#c");
            counters[0] += 4;
        }
    }

    @Test
    public void executionsOfATestHaveTimesWithinIt() throws Exception {
        byte[] written = run(Counting.class, "-Dnavitas.blocks=true", "-Dnavitas.mode=none");
        List<Long> marks = new ArrayList<>();
        ByteBuffer markers = ChunkReader.of(written, Format.MARKERS, 0).get(0).payload;
        for (int i = 0; i < 2; i++) {
            marks.add(markers.getLong());
            markers.position(markers.position() + 4);
            markers.position(markers.position() + 2 + markers.getShort(markers.position()));
        }
        long[] within = new long[2];
        long[] all = new long[2];
        int collections = 0;
        for (ChunkReader.Chunk chunk : ChunkReader.read(written)) {
            for (int i = 0; i < chunk.count && chunk.type == Format.BLOCKS; i++) {
                long time = chunk.payload.getLong();
                int method = chunk.payload.getInt();
                int counters = chunk.payload.getInt();
                assertEquals(method == 5 ? 2 : 1, counters);
                for (int n = 0; n < counters; n++) {
                    long count = chunk.payload.getLong();
                    if (method == 5) {
                        all[n] += count;
                        within[n] += time > marks.get(0) && time <= marks.get(1) ? count : 0;
                    }
                }
                collections += method == Format.COLLECTIONS ? 1 : 0;
            }
        }
        assertEquals("[0, 3]", Arrays.toString(within));
        assertEquals("[5, 3]", Arrays.toString(all));
        assertTrue("one for each mark", collections >= 2);
    }

    private byte[] run(String... arguments) throws Exception {
        return run(App.class, "-Dnavitas.hooks=false", arguments);
    }

    private byte[] run(Class<?> app, String setting, String... arguments) throws Exception {
        File classes = new File(
                App.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        File runtime = new File(
                Probe.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        File resources = folder.newFolder();
        File map = new File(resources, "META-INF/navitas/map.properties");
        map.getParentFile().mkdirs();
        Files.write(map.toPath(), "map_id=fedcba9876543210\n".getBytes(StandardCharsets.UTF_8));
        File out = new File(resources, "out");
        ProcessBuilder java = new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Dnavitas.out=" + out,
                "-Dnavitas.source.1=threads",
                "-cp",
                classes + File.pathSeparator + runtime + File.pathSeparator + resources,
                setting);
        for (String argument : arguments) {
            if (argument.startsWith("-D")) {
                java.command().add(argument);
            }
        }
        java.command().add(app.getName());
        for (String argument : arguments) {
            if (!argument.startsWith("-D")) {
                java.command().add(argument);
            }
        }
        Process process = java.inheritIO().start();
        process.waitFor();
        File[] files = out.listFiles();
        assertEquals(1, files.length);
        assertTrue(files[0].getName().matches("events-\\d+\\.nvch"));
        return Files.readAllBytes(files[0].toPath());
    }

    private static String kindsAndIds(List<ChunkReader.Event> events) {
        return events.stream().map(event -> event.toString().split("@")[0]).collect(Collectors.joining(" "));
    }

    private static void check(byte[] written) {
        assertEquals("E1 X1", kindsAndIds(ChunkReader.events(written, 1)));
        assertEquals("E2 T2 E3 X3 R3 X3", kindsAndIds(ChunkReader.events(written, 2)));
        assertEquals(6, ChunkReader.anchors(written, 2).size());
        assertEquals("[1 0 a.B#c]", ChunkReader.markers(written).toString());
        ChunkReader.Chunk calls = ChunkReader.of(written, 1, 2).get(0);
        assertEquals("helper", calls.name);
        assertEquals(0xfedcba9876543210L, calls.mapId);
        assertTrue(calls.tid != 0 || !new File("/proc/thread-self").exists());
    }

    @Test
    public void endedProcessHasWrittenEverything() throws Exception {
        byte[] written = run();
        check(written);
        assertTrue("start and end", ChunkReader.of(written, 8, 0).size() >= 1);
    }

    @Test
    public void killedProcessHasWrittenFlushedRecords() throws Exception {
        check(run("halt"));
    }

    @Test
    public void jarIsSmall() throws Exception {
        File classes = new File(
                Probe.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!classes.isDirectory()) {
            assertTrue(classes.length() <= 54 << 10);
            return;
        }
        List<String> leftOut =
                Arrays.asList("Format.class", "JvmOnly.class", "Limits.class", "Node.class", "package-info.class");
        ByteArrayOutputStream jar = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(jar)) {
            for (File file : new File(classes, "org/navitas/runtime").listFiles()) {
                if (!leftOut.contains(file.getName()) && !file.getName().startsWith("Block")) {
                    zip.putNextEntry(new ZipEntry("org/navitas/runtime/" + file.getName()));
                    zip.write(Files.readAllBytes(file.toPath()));
                }
            }
        }
        int manifestAndFolders = 130; // 105 in the jar that Maven makes
        assertTrue("the classes alone: " + jar.size(), jar.size() + manifestAndFolders <= 54 << 10);
    }
}
