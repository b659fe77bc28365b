package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.Test;

/** Real threads and a running writer. */
public class ThreadsTest {
    private final Recording recording = new Recording(64);
    private final Thread writer = new Thread(recording.recorder.writer);

    private byte[] end() throws InterruptedException {
        recording.recorder.writer.stop();
        writer.join();
        return recording.sink.bytes();
    }

    @Test
    public void recyclesBuffersOfDeadThreads() throws Exception {
        writer.start();
        for (int i = 0; i < 5_000; i++) {
            Thread oneShot = new Thread() {
                @Override
                public void run() {
                    recording.recorder.current().enter(1, recording.platform);
                    recording.recorder.current().enter(2, recording.platform);
                    recording.recorder.current().exit(2, Format.EXIT, recording.platform);
                    recording.recorder.current().exit(1, Format.EXIT, recording.platform);
                }
            };
            oneShot.start();
            oneShot.join();
        }
        byte[] written = end();
        assertTrue(Recording.made(recording.recorder.eventBuffers) <= 64);
        assertTrue(Recording.made(recording.recorder.anchorBuffers) <= 256);
        Map<Long, Integer> calls = new HashMap<>();
        Map<Long, Integer> anchors = new HashMap<>(); // summed: a flush can split a thread's anchors over two chunks
        for (ChunkReader.Chunk chunk : ChunkReader.read(written)) {
            if (chunk.type == Format.CALLS) {
                calls.put(chunk.serial, calls.getOrDefault(chunk.serial, 0) + chunk.count);
            } else if (chunk.type == Format.FOLDED) {
                calls.put(chunk.serial, 4);
            } else if (chunk.type == Format.ANCHORS) {
                anchors.merge(chunk.serial, chunk.count, Integer::sum);
            }
        }
        assertEquals("each thread has its own number", 5_000, calls.size());
        assertEquals(Collections.singleton(4), new HashSet<>(calls.values()));
        assertEquals(5_000, anchors.size());
        assertEquals(Collections.singleton(2), new HashSet<>(anchors.values()));
    }

    @Test
    public void threadsWithoutBufferKeepTheirCpuTime() throws Exception {
        final Recording scarce = new Recording(1);
        scarce.recorder.eventBuffers.take(0);
        for (int i = 0; i < Limits.ANCHOR_BUFFERS; i++) {
            scarce.recorder.anchorBuffers.take(0);
        }
        Thread thread = new Thread("starved") {
            @Override
            public void run() {
                for (int i = 1; i <= 20; i++) {
                    scarce.platform.cpu = i * 1_000;
                    scarce.enter(i * 10_000_000, 1);
                    scarce.exit(i * 10_000_000 + 500, 1);
                }
            }
        };
        thread.start();
        thread.join();
        List<long[]> anchors = ChunkReader.anchors(scarce.written(), 0);
        assertEquals("those of its own, and the last", 9, anchors.size());
        assertEquals(20_000, anchors.get(8)[1]);
        assertEquals(200_000_500, anchors.get(8)[0]);
    }

    @Test(timeout = 60_000)
    public void writeErrorEndsOnlyTheRecording() throws Exception {
        recording.sink.error = new NoClassDefFoundError("android/util/Log");
        Throwable[] escaped = new Throwable[1];
        writer.setUncaughtExceptionHandler((thread, error) -> escaped[0] = error);
        recording.enter(1, 1);
        recording.exit(2, 1);
        writer.start();
        recording.recorder.writer.flush(3_600_000);
        writer.join();
        recording.recorder.writer.flush(3_600_000);
        recording.enter(3, 1);
        recording.exit(4, 1);
        assertNull(escaped[0]);
    }

    @Test
    public void eventsOfConcurrentThreadsStayInOrder() throws Exception {
        writer.start();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread("same name") {
                @Override
                public void run() {
                    recording.recorder.current().enter(0, recording.platform);
                    for (int n = 1; n <= 30_000; n++) {
                        recording.recorder.current().enter(n, recording.platform);
                        recording.recorder.current().exit(n, Format.EXIT, recording.platform);
                    }
                    recording.recorder.current().exit(0, Format.EXIT, recording.platform);
                }
            };
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        byte[] written = end();
        for (long serial = 1; serial <= threads.length; serial++) {
            List<ChunkReader.Event> events = ChunkReader.events(written, serial);
            for (int i = 1; i < events.size() && events.get(i).method != 0; i++) {
                assertEquals("thread " + serial, (i + 1) / 2, events.get(i).method);
                assertEquals((i + 1) % 2, events.get(i).kind);
            }
            Set<Integer> numbers = new HashSet<>();
            for (ChunkReader.Chunk chunk : ChunkReader.of(written, Format.CALLS, serial)) {
                assertTrue(numbers.add(chunk.seq));
            }
            long folded = 0;
            for (ChunkReader.Row row : ChunkReader.rows(written, serial)) {
                folded += row.calls;
            }
            long entries = 0;
            for (ChunkReader.Event event : events) {
                entries += event.kind == 0 ? 1 : 0;
            }
            for (ChunkReader.Chunk chunk : ChunkReader.of(written, Format.FOLDED, serial)) {
                folded += chunk.lost / 2;
            }
            assertEquals("as an event, folded, or counted as lost", 30_001, entries + folded, 1);
        }
    }

    @Test
    public void probesAllocateNothing() throws Exception {
        writer.start();
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        BufferPool pool = recording.recorder.eventBuffers;
        Buffer[] all = new Buffer[64];
        for (int i = 0; i < all.length; i++) {
            all[i] = pool.take(0);
        }
        for (Buffer made : all) {
            pool.give(made);
        }
        ThreadRecorder recorder = recording.recorder.current();
        recorder.enter(0, recording.platform);
        call(100_000);
        long id = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(id);
        call(1_000_000);
        long allocated = threads.getThreadAllocatedBytes(id) - before;
        recorder.exit(0, Format.EXIT, recording.platform);
        end();
        assertTrue("less than a tenth of a byte a call: " + allocated, allocated < 100_000);
    }

    private void call(int times) {
        for (int i = 0; i < times; i++) {
            recording.recorder.current().enter(1, recording.platform);
            recording.recorder.current().exit(1, Format.EXIT, recording.platform);
        }
    }

    @Test
    public void flushWaitsUntilEverythingIsWritten() throws Exception {
        writer.start();
        recording.enter(10, 1);
        recording.exit(20, 1);
        recording.recorder.writer.flush(60_000);
        assertEquals(2, ChunkReader.events(recording.sink.bytes(), 0).size());
        end();
    }

    @Test
    public void stackOverflowReachesApplicationUnchanged() {
        recording.enter(1_000, 1);
        try {
            recurse();
        } catch (StackOverflowError expected) {
            recording.enter(2_000_000_000, 3);
            recording.exit(2_000_000_010, 3);
        }
        recording.exit(2_000_000_020, 1);
        recording.enter(2_000_000_030, 4);
        recording.exit(2_000_000_040, 4);
        recording.written();
        int depth = 0;
        ThreadRecorder recorder = recording.recorder.current();
        recorder.enter(5, recording.platform);
        recorder.exit(5, Format.EXIT, recording.platform);
        for (ChunkReader.Event event : ChunkReader.events(recording.written(), 0)) {
            depth += event.kind == 0 ? 1 : -1;
            if (event.method == 4) {
                assertEquals("outermost again", event.kind == 0 ? 1 : 0, depth);
            }
        }
    }

    private void recurse() {
        recording.recorder.current().enter(2, recording.platform);
        try {
            recurse();
        } catch (StackOverflowError e) {
            recording.recorder.current().exit(2, Format.THROW, recording.platform);
            throw e;
        }
    }

    @Test
    public void stackOverflowsLoseNoEvents() throws Exception {
        writer.start();
        for (int i = 0; i < 400; i++) {
            Thread thread = new Thread(
                    null,
                    () -> {
                        recording.recorder.current().enter(1, recording.platform);
                        try {
                            recurse();
                        } catch (StackOverflowError expected) {
                            // later calls are recorded as usual
                        }
                        recording.recorder.current().enter(3, recording.platform);
                        recording.recorder.current().exit(3, Format.EXIT, recording.platform);
                        recording.recorder.current().exit(1, Format.EXIT, recording.platform);
                    },
                    "deep",
                    200_000 + 16 * i);
            thread.start();
            thread.join();
            recording.recorder.writer.flush(60_000); // so that every thread has a buffer and none folds
        }
        byte[] written = end();
        assertEquals(0, lost(written));
        for (long serial = 1; serial <= 400; serial++) {
            int depth = 0;
            int after = 0;
            for (ChunkReader.Event event : ChunkReader.events(written, serial)) {
                depth += event.kind == 0 ? 1 : -1;
                after += event.method == 3 ? 1 : 0;
                assertTrue(depth >= 0);
            }
            assertEquals("all calls have ended", 0, depth);
            assertEquals("the thread is recorded on", 2, after);
        }
    }

    private static int lost(byte[] written) {
        int lost = 0;
        for (ChunkReader.Chunk chunk : ChunkReader.read(written)) {
            lost += chunk.lost;
        }
        return lost;
    }

    @Test(timeout = 60_000)
    public void keepsRecorderIfPoolClearsThreadLocals() throws Exception {
        writer.start();
        Map<Thread, Set<Long>> serials = new IdentityHashMap<>();
        for (int i = 0; i < 300; i++) {
            CountDownLatch done = new CountDownLatch(1);
            ForkJoinPool.commonPool().execute(() -> {
                ThreadRecorder recorder = recording.recorder.current();
                recorder.enter(1, recording.platform);
                recorder.exit(1, Format.EXIT, recording.platform);
                synchronized (serials) {
                    serials.computeIfAbsent(Thread.currentThread(), thread -> new HashSet<>())
                            .add(recorder.serial);
                }
                done.countDown();
            });
            done.await();
        }
        end();
        for (Set<Long> ofOne : serials.values()) {
            assertEquals("of one thread", 1, ofOne.size());
        }
    }

    @Test
    public void writesLossAtEndOfThread() throws Exception {
        writer.start();
        Thread thread = new Thread(
                () -> recording.recorder.current().exit(1, Format.EXIT, recording.platform), "one exit too many");
        thread.start();
        thread.join();
        List<String> names = new ArrayList<>();
        for (ChunkReader.Chunk chunk : ChunkReader.read(end())) {
            if (chunk.lost > 0) {
                names.add(chunk.name + ": " + chunk.lost);
            }
        }
        assertEquals(Collections.singletonList("one exit too many: 1"), names);
    }
}
