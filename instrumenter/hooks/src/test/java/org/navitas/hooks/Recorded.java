package org.navitas.hooks;

import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.navitas.runtime.ChunkReader;
import org.navitas.runtime.Probe;
import org.navitas.runtime.Recorder;

/** Runs code on a thread of its own, and returns what the recorder of this process wrote about it. */
public final class Recorded<T> {
    /** A record of a hook. */
    public static final class Use {
        public long start;
        public long end;
        public long amount;
        public int kind;
        public int flags;
        public long handle;
    }

    private static final int FIRST_API = 0x3FFF00;
    private static final AtomicInteger THREADS = new AtomicInteger();

    public final T result;
    public final List<Use> uses = new ArrayList<>();
    /** The numbers of the API calls that began, in order. */
    public final List<Integer> calls = new ArrayList<>();
    /** The numbers of the API calls that ended, in order. */
    public final List<Integer> ended = new ArrayList<>();

    private long serial = -1;

    private Recorded(T result) {
        this.result = result;
    }

    public static <T> Recorded<T> of(Callable<T> code) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            Probe.enter(0); // so that the thread is among the calls
            try {
                return code.call();
            } finally {
                Probe.exit(0);
            }
        });
        String name = "recorded-" + System.nanoTime() + "-" + THREADS.incrementAndGet();
        Thread thread = new Thread(task, name);
        thread.start();
        thread.join();
        Recorder.flush();
        Recorded<T> recorded = new Recorded<>(task.get());
        recorded.read(written(), name);
        return recorded;
    }

    /** Returns the sum of the amounts of a kind. */
    public long bytes(int kind) {
        return uses.stream()
                .filter(use -> use.kind == kind)
                .mapToLong(use -> use.amount)
                .sum();
    }

    /** Returns how many records have such a kind. */
    public long count(IntPredicate kinds) {
        return uses.stream().filter(use -> kinds.test(use.kind)).count();
    }

    /** Returns the start, end, origin, origin's time and node of all work that the code handed over, including later work. */
    public List<long[]> handed() throws Exception {
        Recorder.flush();
        List<long[]> found = new ArrayList<>();
        for (ChunkReader.Chunk chunk : ChunkReader.of(written(), 9, 0)) {
            for (int i = 0; i < chunk.count; i++) {
                long[] record = new long[5];
                for (int w = 0; w < record.length; w++) {
                    record[w] = chunk.payload.getLong();
                }
                if (record[2] == serial) {
                    found.add(record);
                }
            }
        }
        return found;
    }

    private static byte[] written() throws Exception {
        File[] files = new File(System.getProperty("navitas.out")).listFiles();
        return Files.readAllBytes(Arrays.stream(files)
                .max(Comparator.comparing(File::lastModified))
                .get()
                .toPath());
    }

    private void read(byte[] written, String thread) {
        for (ChunkReader.Chunk chunk : ChunkReader.of(written, 6, 0)) {
            for (int i = 0; i < chunk.count && chunk.name.equals(thread); i++) {
                Use use = new Use();
                use.start = chunk.payload.getLong();
                use.end = chunk.payload.getLong();
                use.amount = chunk.payload.getLong();
                use.kind = chunk.payload.getShort();
                use.flags = chunk.payload.getShort();
                chunk.payload.getInt();
                use.handle = chunk.payload.getLong();
                uses.add(use);
            }
        }
        serial = ChunkReader.of(written, 1, 0).stream()
                .filter(chunk -> chunk.name.equals(thread))
                .findFirst()
                .map(chunk -> chunk.serial)
                .orElse(-1L);
        for (ChunkReader.Event event : ChunkReader.events(written, serial)) {
            if (event.kind <= 1 && event.method >= FIRST_API && event.method < FIRST_API + 0xF0) {
                (event.kind == 0 ? calls : ended).add(event.method - FIRST_API);
            }
        }
    }
}
