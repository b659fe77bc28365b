package org.navitas.runtime;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class AnchorTest {
    private static String text(List<long[]> anchors) {
        StringBuilder text = new StringBuilder();
        for (long[] anchor : anchors) {
            text.append(anchor[0]).append('/').append(anchor[1]).append(' ');
        }
        return text.toString();
    }

    @Test
    public void anchorsOutermostEntryAndExit() {
        Recording recording = new Recording(4);
        recording.platform.cpu = 100;
        recording.enter(1_000, 1);
        recording.platform.cpu = 150;
        recording.enter(1_100, 2);
        recording.exit(1_200, 2);
        recording.platform.cpu = 300;
        recording.exit(1_300, 1);
        assertEquals("1000/100 1300/300 ", text(ChunkReader.anchors(recording.written(), 0)));
    }

    @Test
    public void anchorsNextProbeAfterIntervalAtItsEventTime() {
        Recording recording = new Recording(4, "anchorIntervalUs", "1");
        recording.enter(1_000, 1);
        recording.enter(1_999, 2);
        recording.exit(2_000, 2);
        recording.enter(2_999, 2);
        recording.enter(3_000, 3);
        byte[] written = recording.written();
        assertEquals("1000/500000 2000/500000 3000/500000 ", text(ChunkReader.anchors(written, 0)));
        assertEquals(
                "[E1@1000, E2@1999, X2@2000, E2@2999, E3@3000]",
                ChunkReader.events(written, 0).toString());
    }

    @Test
    public void anchorsShortOutermostCallsRarelyOnceCreditIsSpent() {
        Recording recording = new Recording(64);
        long time = 0;
        for (int i = 0; i < 100_000; i++) {
            recording.enter(time += 1_000, 1);
            recording.exit(time += 1_000, 1);
        }
        List<long[]> anchors = ChunkReader.anchors(recording.written(), 0);
        assertTrue(
                "one each 100 us and the credit: " + anchors.size(),
                anchors.size() < 2_000 + 600 && anchors.size() > 1_500);
        for (int i = 1; i < anchors.size(); i++) {
            assertTrue(anchors.get(i)[0] - anchors.get(i - 1)[0] <= 102_000);
        }
    }

    @Test
    public void anchorsOfRealThreadNeverDecrease() {
        final Recording recording = new Recording(64);
        JvmPlatform jvm = new JvmPlatform();
        double sink = 0;
        for (int i = 0; i < 2_000; i++) {
            recording.platform.cpu = jvm.threadCpuNanos();
            recording.enter(System.nanoTime(), 1);
            sink += Math.sqrt(i);
            recording.platform.cpu = jvm.threadCpuNanos();
            recording.exit(System.nanoTime(), 1);
        }
        List<long[]> anchors = ChunkReader.anchors(recording.written(), 0);
        assertTrue(sink > 0 && anchors.size() >= 256);
        for (int i = 1; i < anchors.size(); i++) {
            assertTrue(anchors.get(i)[0] >= anchors.get(i - 1)[0] && anchors.get(i)[1] >= anchors.get(i - 1)[1]);
        }
    }

    @Test
    public void threadWithoutCpuClockHasCallsButNoAnchors() {
        Recording recording = new Recording(4);
        recording.platform.cpu = -1;
        recording.enter(1_000, 1);
        recording.exit(5_000_000, 1);
        byte[] written = recording.written();
        assertEquals(0, ChunkReader.anchors(written, 0).size());
        assertArrayEquals(new Object[] {"E1@1000", "X1@5000000"}, new Object[] {
            ChunkReader.events(written, 0).get(0).toString(),
            ChunkReader.events(written, 0).get(1).toString()
        });
    }
}
