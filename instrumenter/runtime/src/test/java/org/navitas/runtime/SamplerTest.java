package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SamplerTest {
    @Rule
    public TemporaryFolder root = new TemporaryFolder();

    private final RecordLog counters = new RecordLog(Format.COUNTERS);
    private final Properties settings = new Properties();
    private final ChunkWriter out = new ChunkWriter(new MemorySink(), 0);

    @Before
    public void configure() {
        settings.setProperty("out", "out");
    }

    private void file(String path, String text) throws IOException {
        File file = new File(root.getRoot(), path);
        file.getParentFile().mkdirs();
        Files.write(file.toPath(), text.getBytes(StandardCharsets.UTF_8));
    }

    private Sampler sampler() {
        return new Sampler(new FakePlatform(), new Settings(root.getRoot().getPath(), settings), counters, out, null);
    }

    private List<String> recorded() {
        MemorySink sink = new MemorySink();
        counters.drain(null, new ChunkWriter(sink, 0));
        return ChunkReader.counters(sink.bytes());
    }

    @Test
    public void readsWholeFiles() throws IOException {
        StringBuilder large = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            large.append(300_000 + i).append(" 17\n");
        }
        file("sys/stats", large.toString());
        file("sys/empty", "");
        settings.setProperty("source.3", "/sys/stats");
        settings.setProperty("source.4", "/sys/empty");
        sampler().sample(true);
        assertEquals(Collections.singletonList("3 " + large), recorded());
    }

    @Test
    public void listsThreadsThatRan() throws IOException {
        file("proc/self/task/11/schedstat", "100 20 3\n");
        file("proc/self/task/11/comm", "main\n");
        settings.setProperty("source.1", "threads");
        Sampler sampler = sampler();
        sampler.sample(true);
        sampler.sample(true);
        assertEquals("nothing ran in between", Arrays.asList("1 11 100 20 3 main\n"), recorded());
        file("proc/self/task/12/schedstat", "7 0 1\n");
        file("proc/self/task/12/comm", "a worker\n");
        sampler.sample(true);
        file("proc/self/task/11/schedstat", "150 20 4\n");
        new File(root.getRoot(), "proc/self/task/12/schedstat").delete(); // as if the thread ended during the reading
        sampler.sample(true);
        assertEquals(Arrays.asList("1 12 7 0 1 a worker\n", "1 11 150 20 4 main\n"), recorded());
    }

    @Test
    public void readsRealProc() {
        settings.setProperty("source.1", "threads");
        settings.setProperty("source.2", "/proc/self/stat");
        if (!new File("/proc/self/task").isDirectory()) {
            return; // not on Linux: there is nothing to read
        }
        Sampler sampler = new Sampler(new JvmPlatform(), new Settings("/", settings), counters, out, null);
        sampler.sample(true);
        sampler.sample(true);
        List<String> recorded = recorded();
        int process = new JvmPlatform().processId();
        assertFalse(recorded.isEmpty());
        assertEquals(
                "1 " + process,
                recorded.get(0).split(" ")[0] + " " + recorded.get(0).split(" ")[1]);
        assertEquals(
                "2 " + process,
                recorded.get(1).split(" ")[0] + " " + recorded.get(1).split(" ")[1]);
    }

    @Test
    public void readsStorageOfThisProcessWithoutItsOwnFile() throws IOException {
        settings.setProperty("source.4", "/proc/self/io");
        file("proc/4242/io", "write_bytes: 9000\n");
        out.records(null, Format.COUNTERS, 0, 0, 0, new Bytes());
        long own = out.storedBytes();
        assertTrue(own > 0);
        sampler().sample(true);
        assertEquals(Collections.singletonList("4 write_bytes: 9000\nruntime_write_bytes: " + own + "\n"), recorded());
    }

    @Test
    public void readsTrafficAtItsOwnInterval() throws IOException {
        settings.setProperty("source.3", "/sys/other");
        settings.setProperty("source.5", "/proc/net/dev");
        file("sys/other", "1");
        file("proc/net/dev", "2");
        Sampler sampler = sampler();
        sampler.sample(false);
        assertEquals(Collections.singletonList("3 1"), recorded());
        sampler.sample(true);
        assertEquals(Arrays.asList("3 1", "5 2"), recorded());
    }

    @Test
    public void readsAllSourcesOnRequest() throws Exception {
        settings.setProperty("source.3", "/sys/other");
        settings.setProperty("sampleIntervalMs", "1000000");
        file("sys/other", "1");
        Sampler sampler = sampler();
        Thread thread = new Thread(sampler);
        thread.start();
        sampler.readLast(60_000_000_000L);
        file("sys/other", "2");
        sampler.readLast(60_000_000_000L);
        List<String> recorded = recorded();
        assertEquals("3 2", recorded.get(recorded.size() - 1));
        sampler.stop();
        thread.join();
        assertEquals("a reading at the end", Collections.singletonList("3 2"), recorded());
        sampler.readLast(Long.MAX_VALUE); // does not wait: nothing would answer
    }

    @Test
    public void recordsNoTrafficThatTheSystemDoesNotCount() {
        settings.setProperty("source.6", "traffic");
        Sampler sampler = sampler();
        for (int i = 0; i < 5; i++) {
            sampler.sample(true);
        }
        assertFalse("a JVM without a phone", sampler.hasSources());
        assertEquals(Collections.emptyList(), recorded());
    }

    @Test
    public void dropsSourceThatKeepsFailing() throws IOException {
        settings.setProperty("source.3", "/sys/absent");
        Sampler sampler = sampler();
        for (int i = 0; i < 4; i++) {
            sampler.sample(true);
        }
        file("sys/absent", "1");
        sampler.sample(true);
        assertEquals("it has come after all", 1, recorded().size());
        new File(root.getRoot(), "sys/absent").delete();
        for (int i = 0; i < 5; i++) {
            sampler.sample(true);
        }
        assertFalse(sampler.hasSources());
    }

    @Test
    public void listsNoThreadsWithoutProcFolder() {
        settings.setProperty("source.1", "threads");
        assertFalse(sampler().hasSources());
    }

    @Test
    public void widensIntervalToTwoPercentOfACore() {
        assertEquals(20, Sampler.widened(20, 0));
        assertEquals(5_000, Sampler.widened(20, 100));
    }
}
