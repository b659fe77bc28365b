package org.navitas.runtime;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;

/** Counters of executions of basic blocks, and their chunks. */
public class BlockCountsTest {
    private static final long ROOM = 64 << 20;

    private final Recording recording = new Recording(4, "blocks", "true", "mode", "none");
    private volatile long collected = 5;

    private BlockThreads threads(long bytes) {
        return new BlockThreads(
                recording.recorder,
                new BlockCollections() {
                    @Override
                    long count() {
                        return collected;
                    }
                },
                bytes);
    }

    private static long[] count(BlockThreads threads, int method, int counters) {
        BlockCounts guess = threads.found[BlockThreads.place(Thread.currentThread())];
        long[] found = guess.thread == Thread.currentThread() ? guess.of(method) : null;
        return found != null ? found : threads.find(method, counters);
    }

    private void publish(long time) {
        recording.platform.now = time;
        recording.recorder.writer.publish();
    }

    /** Returns the records of a thread, or of the process (0), as {@code time method counts}. */
    private static List<String> records(byte[] written, long serial) {
        List<String> records = new ArrayList<>();
        for (ChunkReader.Chunk chunk : ChunkReader.read(written)) {
            if (chunk.type != Format.BLOCKS || chunk.serial != serial) {
                continue;
            }
            for (int i = 0; i < chunk.count; i++) {
                long time = chunk.payload.getLong();
                int method = chunk.payload.getInt();
                long[] counts = new long[chunk.payload.getInt()];
                for (int j = 0; j < counts.length; j++) {
                    counts[j] = chunk.payload.getLong();
                }
                records.add(time + " " + method + " " + Arrays.toString(counts));
            }
            assertEquals(0, chunk.payload.remaining());
        }
        return records;
    }

    private static void run(String name, Runnable task) throws InterruptedException {
        Thread thread = new Thread(task, name);
        thread.start();
        thread.join();
    }

    @Test
    public void writesRecordsByteForByte() throws Exception {
        BlockThreads threads = threads(ROOM);
        run("wörker", () -> {
            count(threads, 300_000, 3)[1] += 7;
            count(threads, 2, 1)[0]++;
        });
        publish(2_000);
        byte[] written = recording.written();
        ChunkReader.Chunk chunk = ChunkReader.of(written, Format.BLOCKS, 1).get(0);
        assertEquals("wörker", chunk.name);
        assertEquals(0x0123456789abcdefL, chunk.mapId);
        assertEquals(2, chunk.count);
        ByteBuffer expected = ByteBuffer.allocate(40 + 24).order(ByteOrder.LITTLE_ENDIAN);
        expected.putLong(2_000).putInt(300_000).putInt(3).putLong(0).putLong(7).putLong(0);
        expected.putLong(2_000).putInt(2).putInt(1).putLong(1);
        byte[] payload = new byte[chunk.payload.remaining()];
        chunk.payload.get(payload);
        assertArrayEquals(expected.array(), payload);
    }

    @Test
    public void snapshotsHoldWhatWasAddedSinceTheLast() {
        BlockThreads threads = threads(ROOM);
        long[] one = count(threads, 1, 2);
        assertSame(one, count(threads, 1, 2));
        one[0] += 3;
        publish(1_000);
        one[1]++;
        count(threads, 4, 1)[0]++;
        publish(2_000);
        publish(3_000);
        one[0]++;
        collected += 2;
        publish(4_000);
        byte[] written = recording.written();
        assertEquals(
                "[1000 1 [3, 0], 2000 1 [0, 1], 2000 4 [1], 4000 1 [1, 0]]",
                records(written, 1).toString());
        assertEquals(
                "[1000 -1 [0], 2000 -1 [0], 3000 -1 [0], 4000 -1 [2]]",
                records(written, 0).toString());
    }

    @Test
    public void threadsCountApart() throws Exception {
        BlockThreads threads = threads(ROOM);
        CountDownLatch counted = new CountDownLatch(2);
        CountDownLatch published = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int times = i * 1_000;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < times; n++) {
                    count(threads, 7, 1)[0]++;
                }
                counted.countDown();
                try {
                    published.await();
                } catch (InterruptedException e) {
                    return;
                }
                count(threads, 7, 1)[0]++;
            });
            thread.start();
            all.add(thread);
            Thread.sleep(1); // so that serials are in order
        }
        counted.await();
        publish(9_000);
        published.countDown();
        for (Thread thread : all) {
            thread.join();
        }
        recording.platform.now = 9_500;
        byte[] written = recording.written();
        List<String> both = new ArrayList<>(records(written, 1));
        both.addAll(records(written, 2));
        Collections.sort(both);
        assertEquals("[9000 7 [1000], 9000 7 [2000], 9500 7 [1], 9500 7 [1]]", both.toString());
    }

    @Test
    public void writerPublishesTheRestOfDeadThreads() throws Exception {
        BlockThreads threads = threads(ROOM);
        long before = threads.spareBytes.get();
        for (int i = 0; i < 20; i++) {
            run("short", () -> count(threads, 1, 1)[0]++);
        }
        byte[] written = recording.written();
        for (int serial = 1; serial <= 20; serial++) {
            assertEquals(1, records(written, serial).size());
        }
        assertEquals("their memory is free again", before, threads.spareBytes.get());
    }

    @Test
    public void countsIntoTheSpareArrayWithoutMemory() throws Exception {
        BlockThreads threads = threads(16 * 8 + 16 * 100 + 64);
        long[] kept = count(threads, 1, 100);
        kept[0]++;
        assertSame(BlockCounts.SPARE, count(threads, 2, 1));
        assertSame("remembered", BlockCounts.SPARE, threads.current().byMethod[2]);
        assertSame("the table cannot grow", BlockCounts.SPARE, count(threads, 5_000, 1));
        assertSame(kept, count(threads, 1, 100));
        publish(1_000);
        byte[] written = recording.written();
        assertEquals(1, records(written, 1).size());
        assertEquals(2, ChunkReader.of(written, Format.BLOCKS, 1).get(0).lost);
    }

    @Test
    public void aFullLogKeepsTheRestForTheNextTime() {
        BlockThreads threads = threads(64 << 20);
        int methods = Limits.RECORD_BYTES / (8 * Limits.COUNTERS) + 10;
        for (int method = 0; method < methods; method++) {
            count(threads, method, Limits.COUNTERS)[0]++;
        }
        BlockCounts own = threads.current();
        assertFalse(own.publish(1_000));
        drain(own);
        assertTrue(own.publish(2_000));
        drain(own);
        List<String> records = records(recording.sink.bytes(), 1);
        assertEquals("each method once", methods, records.size());
        assertTrue(records.get(0).startsWith("1000 0 [1,"));
        assertTrue(records.get(methods - 1).startsWith("2000 " + (methods - 1) + " [1,"));
    }

    private void drain(BlockCounts counts) {
        counts.drain(counts.owner, new ChunkWriter(recording.sink, 1));
    }

    @Test
    public void theRuntimesOwnThreadsAreIgnored() throws Exception {
        BlockThreads threads = threads(ROOM);
        boolean[] isSpare = new boolean[1];
        ThreadGroup former = Start.group;
        Start.group = new ThreadGroup("own");
        Thread own = new Thread(Start.group, () -> isSpare[0] = count(threads, 1, 1) == BlockCounts.SPARE);
        own.start();
        own.join();
        Start.group = former;
        assertTrue(isSpare[0]);
        assertNotSame(BlockCounts.SPARE, count(threads, 1, 1));
    }

    @Test
    public void busyThreadsFindCountersAtOnce() throws Exception {
        BlockThreads threads = threads(ROOM);
        Thread self = Thread.currentThread();
        int place = BlockThreads.place(self);
        count(threads, 1, 1);
        assertSame(self, threads.found[place].thread);
        run("other", () -> {
            count(threads, 1, 1);
            threads.found[place] = threads.current();
        });
        for (int i = 0; i < Limits.LOOKUPS; i++) {
            count(threads, 1, 1);
        }
        assertSame(self, threads.found[place].thread);
        recording.written();
        for (BlockCounts each : threads.found) {
            assertTrue("dead threads are forgotten", each.thread == null || each.thread == self);
        }
    }

    @Test
    public void methodsThatAnyThreadHasCalledHaveCountersInAll() throws Exception {
        BlockThreads threads = threads(ROOM);
        count(threads, 1, 2);
        run("new", () -> {
            count(threads, 7, 3);
            assertEquals(2, threads.current().of(1).length);
        });
        assertEquals(3, threads.current().of(7).length);
        BlockThreads scarce = threads(2 * (16 * 8 + 16 + 64));
        count(scarce, 1, 1);
        run("new", () -> assertNull(scarce.current().of(1)));
    }

    @Test
    public void stackOverflowsLoseNoExecutions() throws Exception {
        BlockThreads threads = threads(ROOM);
        int[] overflows = new int[1];
        long[] executed = new long[1];
        for (int i = 0; i < 100; i++) {
            Thread deep = new Thread(
                    null,
                    () -> {
                        try {
                            recurse(threads, executed, 0);
                        } catch (StackOverflowError e) {
                            overflows[0]++;
                        }
                    },
                    "deep",
                    200_000 + 16 * i);
            deep.start();
            deep.join();
        }
        long counted = 0;
        for (ChunkReader.Chunk chunk : ChunkReader.read(recording.written())) {
            for (int i = 0; i < chunk.count && chunk.type == Format.BLOCKS; i++) {
                chunk.payload.getLong();
                chunk.payload.getInt();
                for (int n = chunk.payload.getInt(); n > 0; n--) {
                    counted += chunk.payload.getLong();
                }
            }
        }
        assertEquals(100, overflows[0]);
        assertEquals(executed[0], counted);
    }

    private static void recurse(BlockThreads threads, long[] executed, int depth) {
        long[] counters = count(threads, depth % 1_000, 1);
        counters[0]++;
        executed[0]++;
        recurse(threads, executed, depth + 1);
    }

    @Test
    public void countsNothingWithoutASetting() {
        assertSame(BlockCounts.SPARE, BlockProbe.find(1, 8192));
        assertSame(BlockCounts.SPARE, BlockProbe.found(1));
        assertTrue(BlockCounts.SPARE.length >= 8192);
    }
}
