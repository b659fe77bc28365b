package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.Test;

/** Calls timed by ticks. */
public class TickTest {
    private static final long MS = 1_000_000;

    private final Recording recording = new Recording(64, "mode", "tick");

    /** Advances the thread to the age at which ticks time its calls. */
    private long grown() {
        recording.enter(MS, 1);
        recording.exit(5 * MS, 1);
        recording.recorder.ticker.tick(5 * MS);
        return 5 * MS;
    }

    private Map<String, List<Long>> totals() {
        return FoldingTest.totals(recording.written());
    }

    @Test
    public void tickTimeBelongsToInnermostCall() {
        long t = grown();
        recording.enter(t, 2);
        recording.enter(t + 100, 3);
        recording.exit(t + 200, 3);
        recording.enter(t + 300, 4);
        recording.recorder.ticker.tick(t + 1_000);
        recording.exit(t + 1_100, 4);
        recording.enter(t + 1_200, 3);
        recording.recorder.ticker.tick(t + 3_000);
        recording.thrown(t + 3_100, 3);
        recording.exit(t + 3_500, 2);
        assertEquals(Arrays.asList(1L, 0L, 1_000L), totals().get("/2/4"));
        assertEquals("and what is left at the end", Arrays.asList(2L, 1L, 2_500L), totals().get("/2/3"));
        assertEquals(Arrays.asList(1L, 0L, 0L), totals().get("/2"));
    }

    @Test
    public void timeOutsideCallsIsNotCounted() {
        long t = grown();
        recording.enter(t, 2);
        recording.recorder.ticker.tick(t + 1_000);
        recording.exit(t + 1_500, 2);
        recording.recorder.ticker.tick(t + 2_000);
        recording.enter(t + 2_500, 3);
        recording.enter(t + 2_600, 4);
        recording.exit(t + 2_700, 4);
        recording.exit(t + 2_800, 3);
        assertEquals("the last tick found it", Arrays.asList(1L, 0L, 1_500L), totals().get("/2"));
        assertEquals("no tick was within it", Arrays.asList(1L, 0L, 300L), totals().get("/3"));
        assertEquals(Arrays.asList(1L, 0L, 0L), totals().get("/3/4"));
    }

    @Test
    public void restBelongsToWhatTicksFoundInTheSameMethodAndTest() {
        long t = grown();
        recording.enter(t, 2);
        recording.enter(t, 3);
        recording.recorder.ticker.tick(t + 1_000);
        recording.exit(t + 1_100, 3);
        recording.exit(t + 1_200, 2);
        recording.enter(t + 2_000, 4);
        recording.exit(t + 2_010, 4);
        recording.enter(t + 3_000, 2);
        recording.exit(t + 3_300, 2);
        recording.recorder.marker(Recorder.TEST_START, 0, "a.B#c");
        recording.enter(t + 4_000, 2);
        recording.exit(t + 4_500, 2);
        assertEquals(Arrays.asList(1L, 0L, 1_500L), totals().get("/2/3"));
        assertEquals("another method", Arrays.asList(1L, 0L, 10L), totals().get("/4"));
        assertEquals("another test, in which nothing calls 3", Arrays.asList(3L, 0L, 500L), totals().get("/2"));
    }

    /** Two outermost methods in turns, whose calls are far shorter than a tick. */
    @Test
    public void shortOutermostCallsAreSplitByTheirOwnTicks() {
        Random random = new Random(5);
        long time = grown();
        for (int outer = 0; outer < 200_000; outer++) {
            int method = 2 + 2 * (outer % 2);
            time += 1_000;
            recording.enter(time, method);
            recording.enter(time, 6);
            time += 8_000;
            if (random.nextInt(100) == 0) {
                recording.recorder.ticker.tick(time - random.nextInt(8_000));
            }
            recording.exit(time, 6);
            time += 2_000;
            recording.exit(time, method);
            if (outer % 1_000 == 0) {
                recording.write();
            }
        }
        for (int method : new int[] {2, 4}) {
            double inner = totals().get("/" + method + "/6").get(2);
            double whole = inner + totals().get("/" + method).get(2);
            assertEquals("the time of outermost calls is exact", 100_000 * 10_000.0, whole, 0.01 * whole);
            assertEquals(whole, inner, 0.05 * whole);
        }
    }

    @Test
    public void timesCallsOfYoungThreadExactly() {
        recording.enter(MS, 1);
        recording.enter(MS + 10, 2);
        recording.exit(MS + 30, 2);
        recording.recorder.ticker.tick(MS + 50);
        recording.exit(MS + 100, 1);
        assertEquals(Arrays.asList(1L, 0L, 20L), totals().get("/1/2"));
        assertEquals(Arrays.asList(1L, 0L, 80L), totals().get("/1"));
    }

    @Test
    public void countsCallsExactlyAndConservesTime() {
        Random random = new Random(3);
        int[] open = new int[16];
        Map<Integer, Long> calls = new HashMap<>();
        int depth = 0;
        long time = MS;
        long traced = 0;
        for (int i = 0; i < 200_000; i++) {
            long step = random.nextInt(2_000);
            time += step;
            traced += depth > 0 ? step : 0;
            if (random.nextInt(500) == 0) {
                recording.recorder.ticker.tick(time);
            }
            if (depth == 0 || depth < open.length && random.nextBoolean()) {
                open[depth] = random.nextInt(20);
                calls.put(open[depth], calls.getOrDefault(open[depth], 0L) + 1);
                recording.enter(time, open[depth++]);
            } else {
                recording.exit(time, open[--depth]);
            }
            if (i % 1_000 == 0) {
                recording.written();
            }
        }
        while (depth > 0) {
            recording.exit(time, open[--depth]);
        }
        recording.written();
        recording.enter(time + MS, 20); // records another anchor, so the last epoch ends
        recording.exit(time + MS, 20);
        long self = 0;
        for (ChunkReader.Row row : ChunkReader.rows(recording.written(), 0)) {
            assertTrue(row.self >= 0 && row.self <= row.end - row.start);
            self += row.self;
            calls.put(row.method, calls.getOrDefault(row.method, 0L) - row.calls);
        }
        assertEquals(traced, self);
        calls.put(20, 0L);
        for (Map.Entry<Integer, Long> left : calls.entrySet()) {
            assertEquals("method " + left.getKey(), (Long) 0L, left.getValue());
        }
    }

    /**
     * A simulated thread, and ticks of which some are late. Over many runs, the errors are as large as stated and
     * unbiased.
     */
    @Test
    public void splitIsWithinStatedError() {
        double sum = 0;
        double squares = 0;
        int runs = 40;
        for (int run = 0; run < runs; run++) {
            Recording made = new Recording(64, "mode", "tick");
            Random random = new Random(run);
            made.enter(MS, 1);
            made.exit(5 * MS, 1);
            made.recorder.ticker.tick(5 * MS);
            long time = 5 * MS;
            long nextTick = time;
            long last = time;
            double periods = 0;
            double periodSquares = 0;
            long whole = 0;
            long part = 0;
            for (int outer = 0; outer < 300; outer++) {
                time += random.nextInt(300_000);
                made.enter(time, 2);
                for (int i = random.nextInt(60); i >= 0; i--) {
                    int id = 3 + random.nextInt(2);
                    long length = random.nextInt(id == 3 ? 400_000 : 1_600_000) / (random.nextInt(4) + 1);
                    made.enter(time, id);
                    for (;
                            nextTick <= time + length;
                            nextTick += (MS / 2 + random.nextInt((int) MS)) * (random.nextInt(20) == 0 ? 5 : 1)) {
                        made.recorder.ticker.tick(nextTick);
                        periods += nextTick - last;
                        periodSquares += (double) (nextTick - last) * (nextTick - last);
                        last = nextTick;
                    }
                    made.exit(time += length, id);
                    whole += length;
                    part += id == 3 ? length : 0;
                }
                made.exit(time, 2);
                made.write();
            }
            made.enter(time + MS, 2); // records another anchor, so the last epoch ends
            made.exit(time + MS, 2);
            double tick = periodSquares / periods;
            double stated = tick * Math.sqrt((part / tick + 0.5) * ((whole - part) / tick + 0.5) / (whole / tick + 1));
            double off = (FoldingTest.totals(made.written()).get("/2/3").get(2) - part) / stated;
            sum += off;
            squares += off * off;
        }
        assertTrue("bias " + sum / runs, Math.abs(sum / runs) < 0.5);
        assertTrue("error " + Math.sqrt(squares / runs), squares / runs < 1.3 * 1.3);
    }

    @Test
    public void realTickerTicksAndReportsCounts() throws Exception {
        Ticker ticker = new Ticker(new JvmPlatform(), 200_000);
        Thread thread = new Thread(ticker, "navitas-ticker");
        thread.setDaemon(true);
        thread.start();
        for (long first = ticker.time; ticker.time == first; ) {
            Thread.sleep(1);
        }
        Bytes text = new Bytes();
        ticker.read(text);
        String[] counts = new String(text.array(), 0, text.size(), StandardCharsets.UTF_8).split(" ");
        double ticks = Double.parseDouble(counts[0]);
        double sumNs = Double.parseDouble(counts[1]);
        double squaresNs2 = 1e6 * Double.parseDouble(counts[2]);
        assertTrue(ticks >= 1 && sumNs > 0 && squaresNs2 >= sumNs * sumNs / ticks * 0.99 - 2e6);
    }
}
