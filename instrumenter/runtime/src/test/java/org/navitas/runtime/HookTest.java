package org.navitas.runtime;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Records of hooks and handoffs. */
public class HookTest {
    private static final int READ = Format.FIRST_API + 3;

    private static List<long[]> records(byte[] written, int type, int words) {
        List<long[]> records = new ArrayList<>();
        for (ChunkReader.Chunk chunk : ChunkReader.of(written, type, 0)) {
            ByteBuffer payload = chunk.payload;
            assertEquals(8 * words * chunk.count, payload.remaining());
            for (int i = 0; i < chunk.count; i++) {
                long[] record = new long[words];
                for (int w = 0; w < words; w++) {
                    record[w] = payload.getLong();
                }
                records.add(record);
            }
        }
        return records;
    }

    private static void read(Recording recording, long time, int bytes) {
        recording.enter(time, READ);
        recording.recorder.current().hook(time, time + 10, bytes, Hook.NET_READ, 42);
        recording.exit(time + 20, READ);
    }

    @Test
    public void recordsHaveNoNodeWhileCallsAreEvents() {
        Recording recording = new Recording(64);
        recording.enter(1_000_000, 1);
        read(recording, 1_000_100, 700);
        recording.exit(1_000_200, 1);
        List<long[]> found = records(recording.written(), 6, 5);
        assertEquals(1, found.size());
        long[] record = found.get(0);
        assertEquals(1_000_100, record[0]);
        assertEquals(1_000_110, record[1]);
        assertEquals(700, record[2]);
        assertEquals(Hook.NET_READ, record[3] & 0xffff);
        assertEquals(Format.NO_NODE, (int) (record[3] >>> 32));
        assertEquals(42, record[4]);
    }

    @Test
    public void recordsOfFoldedCallsHaveTheCallsNode() {
        for (String mode : new String[] {"folded", "tick"}) {
            Recording recording = new Recording(64, "mode", mode);
            recording.enter(1_000_000, 1);
            read(recording, 1_000_100, 5);
            recording.enter(1_000_200, 2);
            read(recording, 1_000_300, 6);
            recording.exit(1_000_400, 2);
            recording.exit(1_000_500, 1);
            byte[] written = recording.written();
            List<long[]> found = records(written, 6, 5);
            int[] nodes = new int[2];
            for (int i = 0; i < 2; i++) {
                nodes[i] = (int) (found.get(i)[3] >>> 32);
                int node = nodes[i];
                int parent = i == 0 ? 1 : 2;
                ChunkReader.Row row = ChunkReader.rows(written, 0).stream()
                        .filter(each -> each.node == node)
                        .findFirst()
                        .get();
                ChunkReader.Row above = ChunkReader.rows(written, 0).stream()
                        .filter(each -> each.node == row.parent)
                        .findFirst()
                        .get();
                assertEquals(mode, READ, row.method);
                assertEquals(mode, parent, above.method);
            }
            assertNotEquals(nodes[0], nodes[1]);
        }
    }

    @Test
    public void recordsWithoutABufferAreCountedAsLost() {
        Recording recording = new Recording(2);
        recording.enter(1_000_000, 1);
        int records = 4 * Limits.HOOK_WORDS / Format.HOOK_WORDS;
        for (int i = 0; i < records; i++) {
            recording.recorder.current().hook(i, i + 1, 1, Hook.FILE_WRITE, 1);
        }
        recording.exit(2_000_000, 1);
        byte[] written = recording.written();
        int kept = records(written, 6, 5).size();
        int lost = ChunkReader.of(written, 6, 0).stream()
                .mapToInt(chunk -> chunk.lost)
                .sum();
        assertTrue(kept > 0 && lost > 0);
        assertEquals(records, kept + lost);
    }

    @Test
    public void handoffsNameTheirOrigin() {
        Recording recording = new Recording(64);
        recording.recorder.current().handoff(2_000, 3_000, new long[] {9, 1_500, Format.NO_NODE});
        List<long[]> found = records(recording.written(), 9, 5);
        assertEquals(1, found.size());
        assertArrayEquals(new long[] {2_000, 3_000, 9, 1_500, -1}, found.get(0));
    }

    @Test
    public void originHasTheNodeOfItsCallIfCallsAreFolded() {
        for (String mode : new String[] {"events", "folded", "tick"}) {
            Recording recording = new Recording(64, "mode", mode);
            recording.enter(1_000_000, 1);
            recording.enter(1_000_100, 2);
            int node = recording.recorder.current().node();
            recording.exit(1_000_200, 2);
            recording.exit(1_000_300, 1);
            byte[] written = recording.written();
            if (mode.equals("events")) {
                assertEquals(Format.NO_NODE, node);
            } else {
                assertEquals(
                        mode,
                        2,
                        ChunkReader.rows(written, 0).stream()
                                .filter(each -> each.node == node)
                                .findFirst()
                                .get()
                                .method);
            }
        }
    }
}
