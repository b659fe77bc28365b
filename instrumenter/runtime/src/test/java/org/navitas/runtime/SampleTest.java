package org.navitas.runtime;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SampleTest {
    private static final long MS = 1_000_000;
    private final int[] runs = new int[1];

    private Recording recording(String mode) {
        Recording recording = new Recording(16, "mode", mode);
        recording.enter(0, 1);
        recording.enter(1, 2);
        recording.exit(2 * MS, 2);
        assertEquals("not before there is a sample", 0, runs[0]);
        recording.recorder.sample = () -> {
            runs[0]++;
            recording.enter(recording.platform.now + 10, 3);
            recording.exit(recording.platform.now + 10, 3);
        };
        return recording;
    }

    private static void call(Recording recording, long time) {
        recording.enter(time, 2);
        recording.exit(time + 1, 2);
    }

    @Test
    public void samplesFoldedCallsAtAnchorsWithinCall() {
        Recording recording = recording("folded");
        call(recording, 2 * MS + 100);
        assertEquals("no anchor was due", 0, runs[0]);
        call(recording, 4 * MS);
        recording.exit(6 * MS - 1, 1);
        assertEquals("not at the end of an outermost call", 0, runs[0]);
        recording.enter(8 * MS, 1);
        recording.enter(8 * MS + 1, 2);
        recording.exit(10 * MS, 2);
        recording.enter(10 * MS + 50, 2);
        recording.exit(12 * MS, 2);
        recording.exit(12 * MS + 50, 1);
        assertEquals(2, runs[0]);
        assertEquals(
                "2", FoldingTest.totals(recording.written()).get("/1/3").get(0).toString());
    }

    @Test
    public void samplesEventsOncePerBuffer() {
        Recording recording = recording("events");
        long time = 4 * MS;
        for (int i = 0; i < 3 * Limits.EVENT_WORDS; i++) {
            recording.enter(time, 2);
            time += 2 * MS;
            recording.exit(time, 2);
        }
        recording.exit(time + 1, 1);
        assertEquals(7, runs[0]);
    }
}
