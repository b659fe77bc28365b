package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

public class FoldingTest {
    /** Returns calls, throws and self time by call path. */
    static Map<String, List<Long>> totals(byte[] file) {
        Map<String, List<Long>> totals = new TreeMap<>();
        Map<Integer, ChunkReader.Row> nodes = new HashMap<>();
        for (ChunkReader.Row row : ChunkReader.rows(file, 0)) {
            nodes.put(row.node, row);
        }
        for (ChunkReader.Row row : ChunkReader.rows(file, 0)) {
            StringBuilder path = new StringBuilder();
            for (ChunkReader.Row at = row; at != null; at = nodes.get(at.parent)) {
                path.insert(0, "/" + at.method);
            }
            add(totals, path.toString(), row.calls, row.thrown, row.self);
        }
        for (ChunkReader.Row row : ChunkReader.rows(file, 0)) {
            assertTrue("self time fits in its epoch", row.self >= 0 && row.self <= row.end - row.start);
        }
        return totals;
    }

    private static Map<String, List<Long>> totals(List<ChunkReader.Event> events) {
        Map<String, List<Long>> totals = new TreeMap<>();
        Deque<Integer> open = new ArrayDeque<>();
        long last = 0;
        for (ChunkReader.Event event : events) {
            StringBuilder path = new StringBuilder();
            for (Integer method : open) {
                path.insert(0, "/" + method);
            }
            if (!open.isEmpty()) {
                add(totals, path.toString(), 0, event.kind == 2 ? 1 : 0, event.time - last);
            }
            if (event.kind == 0 || event.kind == 3) {
                open.push(event.method);
                add(totals, path + "/" + event.method, event.kind == 0 ? 1 : 0, 0, 0);
            } else {
                assertEquals((int) open.pop(), event.method);
            }
            last = event.time;
        }
        return totals;
    }

    private static void add(Map<String, List<Long>> totals, String path, long calls, long thrown, long self) {
        List<Long> sum = totals.get(path);
        if (sum == null) {
            sum = new ArrayList<>();
            totals.put(path, sum);
        }
        long[] more = {calls, thrown, self};
        for (int i = 0; i < 3; i++) {
            if (sum.size() == i) {
                sum.add(0L);
            }
            sum.set(i, sum.get(i) + more[i]);
        }
    }

    /** Makes random calls, the same ones for the same seed. */
    private static void calls(Recording recording, long seed, int events) {
        Random random = new Random(seed);
        Deque<Integer> open = new ArrayDeque<>();
        long time = 1_000;
        for (int i = 0; i < events; i++) {
            time += random.nextInt(random.nextInt(20) == 0 ? 2_000_000 : 3_000);
            if (open.isEmpty() || open.size() < 12 && random.nextBoolean()) {
                open.push(random.nextInt(6));
                if (random.nextInt(4) == 0) {
                    recording.resume(time, open.peek());
                } else {
                    recording.enter(time, open.peek());
                }
            } else if (random.nextInt(10) == 0) {
                recording.thrown(time, open.pop());
            } else {
                recording.exit(time, open.pop());
            }
            if (i % 1_000 == 0) {
                recording.written();
            }
        }
        while (!open.isEmpty()) {
            recording.exit(time += 10, open.pop());
        }
        recording.written();
        recording.enter(time += 1_000_000, 6); // records another anchor, so the last epoch ends
        recording.exit(time += 10, 6);
    }

    @Test
    public void foldedTotalsEqualEventTotals() {
        for (long seed = 1; seed <= 5; seed++) {
            Recording events = new Recording(1024);
            calls(events, seed, 20_000);
            Recording folded = new Recording(64, "mode", "folded");
            calls(folded, seed, 20_000);
            assertTrue(ChunkReader.events(folded.written(), 0).isEmpty());
            Map<String, List<Long>> expected = totals(ChunkReader.events(events.written(), 0));
            Map<String, List<Long>> actual = totals(folded.written());
            assertEquals(expected.keySet().size(), actual.keySet().size());
            for (String path : expected.keySet()) {
                assertEquals(path, expected.get(path), actual.get(path));
            }
        }
    }

    @Test
    public void epochsEndAtAnchors() {
        Recording recording = new Recording(64, "mode", "folded");
        calls(recording, 7, 10_000);
        byte[] written = recording.written();
        List<Long> anchors = new ArrayList<>();
        for (long[] anchor : ChunkReader.anchors(written, 0)) {
            anchors.add(anchor[0]);
        }
        for (ChunkReader.Row row : ChunkReader.rows(written, 0)) {
            assertTrue(anchors.contains(row.end));
        }
    }

    @Test
    public void epochsHaveCallsOfOneTest() {
        Recording recording = new Recording(64, "mode", "folded");
        long time = 1_000;
        for (int i = 0; i < 1_000; i++) { // more than have an anchor of their own
            recording.enter(time += 10, 1);
            recording.exit(time += 10, 1);
        }
        long last = time;
        recording.recorder.marker(Recorder.TEST_START, 0, "a.B#c");
        recording.enter(time += 100, 1);
        recording.exit(time += 10, 1);
        int before = 0;
        for (ChunkReader.Row row : ChunkReader.rows(recording.written(), 0)) {
            assertTrue(row.end <= last || row.start >= last + 100);
            before += row.end <= last ? row.calls : 0;
        }
        assertEquals(1_000, before);
    }

    @Test
    public void foldsWithinOpenCallsWhenBudgetIsSpent() {
        Recording recording = new Recording(64, "eventBudgetBytes", "32768"); // one buffer of 4096 events
        recording.enter(1_000, 1);
        recording.enter(1_500, 2);
        long time = 2_000;
        for (int i = 0; i < 4_000; i++) {
            recording.enter(time += 10, 3);
            recording.exit(time += 10, 3);
        }
        recording.exit(time += 10, 2);
        recording.thrown(time += 10, 1);
        recording.enter(time += 10, 4);
        recording.exit(time += 5, 4);
        byte[] written = recording.written();

        List<ChunkReader.Event> events = ChunkReader.events(written, 0);
        assertEquals(4_096, events.size());
        long last = events.get(4_095).time;
        List<ChunkReader.Row> rows = ChunkReader.rows(written, 0);
        assertEquals("no time is missed", last, rows.get(0).start);
        Map<String, List<Long>> totals = totals(written);
        assertEquals(Arrays.asList(0L, 1L, 10L), totals.get("/1"));
        assertEquals("[E1, E2] were events", (Long) 0L, totals.get("/1/2").get(0));
        assertEquals((Long) (4_000L - 2_047), totals.get("/1/2/3").get(0));
        assertEquals(Arrays.asList(1L, 0L, 5L), totals.get("/4"));
        long self = 0;
        for (ChunkReader.Row row : rows) {
            self += row.self;
        }
        assertEquals(time - 10 - 5 - last + 5, self);
    }

    @Test
    public void foldsUntilOutermostCallReturnsIfNoBufferIsFree() {
        Recording recording = new Recording(1);
        long time = 1_000;
        recording.enter(time, 1);
        for (int i = 0; i < 3_000; i++) {
            recording.enter(time += 10, 2);
            recording.exit(time += 10, 2);
        }
        recording.written(); // the buffer is free again
        recording.enter(time += 10, 2);
        recording.exit(time += 10, 2);
        recording.exit(time += 10, 1);
        long resumed = time += 10;
        recording.enter(time, 3);
        recording.exit(time += 10, 3);
        byte[] written = recording.written();
        List<ChunkReader.Event> events = ChunkReader.events(written, 0);
        assertEquals(4_098, events.size());
        assertEquals("E3@" + resumed, events.get(4_096).toString());
        assertEquals((Long) (3_001L - 2_047 - 1), totals(written).get("/1/2").get(0), 1);
    }

    @Test
    public void mergesAndCountsCallsBeyondNodeLimit() {
        BufferPool pool = new BufferPool(64, 2, 0);
        Recording recording = new Recording(4);
        Track track = new Track(Format.FOLDED, 0, pool, recording.recorder.writer);
        CallTree tree = new CallTree(track, 4, new AtomicInteger()); // the root and three
        tree.resume(0);
        long time = 0;
        for (int id = 1; id <= 5; id++, time += 10) {
            tree.advance(time);
            assertEquals(id <= 3, tree.open(id, 1));
            tree.hide(id <= 3 ? 0 : 1);
        }
        for (int id = 5; id >= 1; id--, time += 10) {
            tree.advance(time);
            assertTrue(tree.close(id, id == 3));
        }
        assertEquals("calls 4 and 5", 2, track.takeLost());
        assertTrue(tree.endEpoch());
        long[] words = track.head().words;
        assertEquals(3, words[2]);
        assertEquals(50, words[3 + 2 * 4 + 3]);
    }

    @Test
    public void replacesFullTree() {
        Recording recording = new Recording(64, "mode", "folded");
        long time = 1_000;
        recording.enter(time, 1);
        int callers = Limits.THREAD_NODES / 50;
        for (int caller = 0; caller < callers; caller++) {
            recording.enter(time += 10, 1_000 + caller);
            for (int id = 10; id < 110; id++) {
                recording.enter(time += 10, id);
                recording.exit(time += 5, id);
            }
            recording.exit(time += 10, 1_000 + caller);
            recording.write();
        }
        recording.exit(time += 10, 1);
        byte[] written = recording.written();
        Map<String, List<Long>> totals = totals(written);
        assertEquals("twice as many as one tree holds", 1 + callers * 101, totals.size());
        assertEquals(Arrays.asList(1L, 0L, 10L * callers + 10), totals.get("/1"));
        assertEquals(Arrays.asList(1L, 0L, 1_010L), totals.get("/1/1000"));
        assertEquals(Arrays.asList(1L, 0L, 5L), totals.get("/1/1000/10"));
        for (ChunkReader.Chunk chunk : ChunkReader.of(written, Format.FOLDED, 0)) {
            assertEquals(0, chunk.lost);
        }
    }

    @Test
    public void epochContinuesIfNoBufferIsFree() {
        BufferPool pool = new BufferPool(16, 1, 0);
        Recording recording = new Recording(4);
        Track track = new Track(Format.FOLDED, 0, pool, recording.recorder.writer);
        CallTree tree = new CallTree(track, 100, new AtomicInteger());
        tree.resume(0);
        assertTrue(tree.open(1, 1));
        tree.advance(10);
        assertTrue(tree.endEpoch());
        tree.advance(20);
        assertFalse("the only buffer waits for the writer", tree.endEpoch());
        track.drain(recording.recorder.current(), new ChunkWriter(recording.sink, 0), false);
        assertTrue(tree.endEpoch());
    }

    /** 3,000 threads alive at the same time, each with a tree. */
    @Test
    public void manyThreadsShareMemoryAndLoseNothing() throws Exception {
        Recording recording = new Recording(32, "mode", "folded");
        BufferPool pool = recording.recorder.foldBuffers;
        AtomicInteger spare = recording.recorder.spareNodes;
        int least = spare.get();
        CountDownLatch allHaveCalled = new CountDownLatch(1);
        Thread[] threads = new Thread[3_000];
        for (int i = 0; i < threads.length; i++) {
            Thread thread = new Thread() {
                @Override
                public void run() {
                    ThreadRecorder recorder = recording.recorder.current();
                    FakePlatform clock = recording.platform;
                    recorder.enter(1, clock);
                    for (int id = 10; id < 210; id++) {
                        recorder.enter(id, clock);
                        recorder.exit(id, Format.EXIT, clock);
                    }
                    recorder.exit(1, Format.EXIT, clock);
                    try {
                        allHaveCalled.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            };
            threads[i] = thread;
            thread.start();
            while (thread.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
            least = Math.min(least, spare.get());
        }
        assertTrue("the bound was reached, and kept: " + least, least >= 0 && least < 256);
        assertTrue(Recording.made(pool) <= 2 * 32);
        allHaveCalled.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        long calls = 0;
        byte[] written = recording.written();
        for (ChunkReader.Row row : ChunkReader.rows(written, 0)) {
            calls += row.calls;
        }
        for (ChunkReader.Chunk chunk : ChunkReader.read(written)) {
            calls += chunk.lost / 2;
        }
        assertEquals("in a row, or counted as lost", 3_000 * 201, calls);
        assertEquals("the dead give theirs back", Limits.NODES * 32, spare.get());
    }

    @Test
    public void releasesBufferThatOthersNeed() {
        BufferPool pool = new BufferPool(8, 4, 24);
        Recording recording = new Recording(4);
        Track usual = new Track(Format.FOLDED, 0, pool, recording.recorder.writer);
        usual.roll(0, 8);
        usual.share();
        assertEquals("one of four is in use", 8, usual.head().words.length);
        Track large = new Track(Format.FOLDED, 0, pool, recording.recorder.writer);
        assertEquals(32, large.roll(0, 32).words.length);
        assertNull("no room is left", pool.take(9));
        large.share();
        assertEquals(0, large.head().words.length);
        large.drain(null, null, false);
        assertEquals("its room is free again", 32, pool.take(32).words.length);
        usual.roll(0, 8);
        usual.share();
        assertEquals("three are in use", 0, usual.head().words.length);
    }

    @Test
    public void countsCallsAsLostAtLastNodeNumber() {
        BufferPool pool = new BufferPool(64, 8, 0);
        Recording recording = new Recording(4);
        Track track = new Track(Format.FOLDED, 0, pool, recording.recorder.writer);
        CallTree tree = new CallTree(track, 4, new AtomicInteger());
        fill(tree, 1);
        assertFalse("full", tree.open(9, 1));
        assertTrue(tree.endEpoch());
        tree.numbered = Integer.MAX_VALUE - 2 * 4;
        fill(tree, 4);
        assertTrue(tree.endEpoch());
        tree.resume(0);
        assertFalse("no numbers are left", tree.mayRenew() || tree.open(9, 1));
        assertTrue("calls known go on", tree.open(4, 1));
    }

    /** Uses as many callees as fit, in a new tree if it is full. */
    @Test
    public void knownCalleesTakeFastPath() {
        Recording recording = new Recording(16, "mode", "folded");
        Track track = new Track(Format.FOLDED, 0, recording.recorder.foldBuffers, recording.recorder.writer);
        CallTree tree = new CallTree(track, 100, new AtomicInteger(100));
        tree.resume(0);
        assertTrue(tree.open(1, 1));
        assertFalse("not known yet", tree.enter(2));
        for (int callee = 2; callee <= 9; callee++) {
            assertTrue(tree.open(callee, 1));
            assertTrue(tree.close(callee, false));
        }
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            int callee = 2 + random.nextInt(8);
            assertTrue("callee " + callee + ", call " + i, tree.enter(callee));
            assertTrue(tree.exit(callee, false));
        }
        assertFalse(tree.enter(10));
        assertTrue("and no change", tree.close(1, false) && tree.isIdle());
    }

    private static void fill(CallTree tree, int first) {
        tree.resume(0);
        for (int id = first; id < first + 3; id++) {
            assertTrue(tree.open(id, 1));
            assertTrue(tree.close(id, false));
        }
    }

    @Test
    public void callerRepairsMissedExits() {
        for (String mode : new String[] {"events", "folded"}) {
            Recording recording = new Recording(4, "mode", mode);
            recording.enter(10, 1);
            recording.enter(20, 2);
            recording.enter(30, 3);
            recording.exit(40, 9); // never entered
            recording.exit(50, 2); // 3 has not ended
            recording.exit(60, 1);
            recording.exit(70, 1); // never entered
            recording.enter(80, 4);
            recording.exit(90, 4);
            byte[] written = recording.written();
            Map<String, List<Long>> totals =
                    mode.equals("events") ? totals(ChunkReader.events(written, 0)) : totals(written);
            assertEquals(Arrays.asList(1L, 1L, 20L), totals.get("/1/2/3"));
            assertEquals(Arrays.asList(1L, 0L, 10L), totals.get("/1/2"));
            assertEquals(Arrays.asList(1L, 0L, 10L), totals.get("/4"));
        }
    }

    @Test
    public void recordsDeepRecursion() {
        for (String mode : new String[] {"events", "folded"}) {
            Recording recording = new Recording(256, "mode", mode);
            for (int i = 0; i < 100_000; i++) {
                recording.enter(1_000 + i, 1);
            }
            for (int i = 0; i < 100_000; i++) {
                recording.exit(200_000 + i, 1);
            }
            recording.enter(400_000, 2);
            recording.exit(400_010, 2);
            byte[] written = recording.written();
            if (mode.equals("events")) {
                assertEquals(200_002, ChunkReader.events(written, 0).size());
            } else {
                List<ChunkReader.Row> rows = ChunkReader.rows(written, 0);
                ChunkReader.Row last = rows.get(rows.size() - 1);
                assertEquals(
                        "2 at -1: 1 in 10",
                        last.method + " at " + last.parent + ": " + last.calls + " in " + last.self);
                long lost = 0;
                for (ChunkReader.Chunk chunk : ChunkReader.of(written, 5, 0)) {
                    lost += chunk.lost;
                }
                assertEquals("calls beyond the bound", 2 * (100_000 - (Limits.THREAD_NODES - 1)), lost);
            }
        }
    }

    /**
     * Few buffers are as large as a full tree's. One that waits for the next flush would be missing for the next trees.
     */
    @Test
    public void sealedLargeBufferWakesWriterAtOnce() {
        BufferPool pool = new BufferPool(Limits.FOLD_WORDS, 64, 10 * Limits.FOLD_WORDS);
        assertFalse(pool.wakesWriter(pool.take(Limits.FOLD_WORDS)));
        assertTrue(pool.wakesWriter(pool.take(2 * Limits.FOLD_WORDS)));
    }
}
