package org.navitas.runtime;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.Test;

public class ChunkFormatTest {
    @Test
    public void writesCallsByteForByte() throws Exception {
        final Recording recording = new Recording(4);
        Thread thread = new Thread("wörker") {
            @Override
            public void run() {
                recording.enter(1_000, 5);
                recording.enter(1_010, 4_194_303);
                recording.thrown(1_030, 4_194_303);
                recording.exit(1_060, 5);
            }
        };
        thread.start();
        thread.join();

        byte[] name = "wörker".getBytes("UTF-8");
        ByteBuffer expected = ByteBuffer.allocate(58 + name.length + 32).order(ByteOrder.LITTLE_ENDIAN);
        expected.put("NVCH".getBytes("US-ASCII"))
                .putShort((short) 1)
                .putShort((short) 1)
                .putLong(0x0123456789abcdefL);
        expected.putLong(1)
                .putInt(77)
                .putInt(0)
                .putInt(0)
                .putLong(1_000)
                .putInt(4)
                .putInt(32);
        expected.putShort((short) name.length).put(name);
        int crcAt = expected.position();
        expected.putInt(0);
        expected.putLong(5L << 40).putLong(4_194_303L << 40 | 10);
        expected.putLong(2L << 62 | 4_194_303L << 40 | 30).putLong(1L << 62 | 5L << 40 | 60);
        CRC32 crc = new CRC32();
        crc.update(expected.array());
        expected.putInt(crcAt, (int) crc.getValue());

        byte[] written = recording.written();
        assertArrayEquals(expected.array(), Arrays.copyOf(written, expected.capacity()));
    }

    @Test
    public void startsChunkAfterLongGap() {
        Recording recording = new Recording(4, "anchorIntervalUs", "1000000000");
        long far = 1L << 41;
        recording.enter(1_000, 1);
        recording.enter(1_000 + far, 2);
        recording.exit(1_001 + far, 2);
        recording.exit(1_002 + 2 * far, 1);
        byte[] written = recording.written();
        assertEquals(
                Arrays.asList("E1@1000", "E2@" + (1_000 + far), "X2@" + (1_001 + far), "X1@" + (1_002 + 2 * far))
                        .toString(),
                ChunkReader.events(written, 0).toString());
        List<ChunkReader.Chunk> chunks = ChunkReader.of(written, 1, 0);
        assertEquals(3, chunks.size());
        for (int i = 0; i < 3; i++) {
            assertEquals(i, chunks.get(i).seq);
        }
    }

    @Test
    public void keepsRecordsWrittenInParts() {
        Recording recording = new Recording(4);
        recording.enter(1_000, 1);
        recording.enter(2_000, 2);
        recording.written();
        recording.exit(3_000, 2);
        recording.written();
        recording.exit(4_000, 1);
        assertEquals(
                "[E1@1000, E2@2000, X2@3000, X1@4000]",
                ChunkReader.events(recording.written(), 0).toString());
    }

    @Test
    public void chunksRespectSinkLimit() {
        Recording recording = new Recording(4);
        recording.sink.payloadLimit = 160;
        recording.enter(10, 0);
        for (int i = 0; i < 50; i++) {
            recording.enter(20 + 2 * i, 1);
            recording.exit(21 + 2 * i, 1);
        }
        recording.exit(200, 0);
        byte[] written = recording.written();
        assertEquals(102, ChunkReader.events(written, 0).size());
        for (ChunkReader.Chunk chunk : ChunkReader.of(written, 1, 0)) {
            assertTrue(chunk.payload.capacity() <= 160);
        }
    }

    @Test
    public void writesMarkersAndClockTriples() {
        Recording recording = new Recording(4, "repeat", "3");
        recording.recorder.marker(Recorder.RUN_START, Recorder.PASSED, "");
        recording.recorder.marker(Recorder.TEST_FINISH, Recorder.ASSUMPTION, "a.B#grün[0]");
        byte[] written = recording.written();
        assertEquals("[0 0 , 2 3 a.B#grün[0]]", ChunkReader.markers(written).toString());
        assertEquals(3, ChunkReader.markers(written).get(1).repeat);
        ChunkReader.Chunk triple = ChunkReader.of(written, 8, 0).get(0);
        assertEquals(0, triple.serial);
        assertEquals(1_000_000, triple.payload.getLong());
        assertEquals(1_000_007, triple.payload.getLong());
        assertEquals(1_700_000_000_001_000_000L, triple.payload.getLong());
    }

    @Test
    public void writesCommunicationsByteForByte() throws Exception {
        for (String mode : new String[] {"events", "folded"}) {
            Recording recording = new Recording(4, "mode", mode);
            recording.enter(1_000, 5);
            recording.recorder.current().communication(1_500, -2, 4 << 16 | 12, 60_000, "a.Sänder", "a.Target", "");
            recording.recorder.current().communication(1_600, 0, 1 << 16 | 8, 0, "", "", "a.ACTION");
            int node = recording.recorder.current().node();
            recording.exit(2_000, 5);
            byte[] written = recording.written();
            List<ChunkReader.Chunk> chunks = ChunkReader.of(written, 10, 0);
            assertEquals(1, chunks.size());
            ChunkReader.Chunk chunk = chunks.get(0);
            assertEquals(1, chunk.serial);
            assertEquals(77, chunk.tid);
            assertEquals(Thread.currentThread().getName(), chunk.name);
            assertEquals(2, chunk.count);
            byte[] module = "a.Sänder".getBytes("UTF-8");
            ByteBuffer expected =
                    ByteBuffer.allocate(2 * 38 + module.length + 8 + 8).order(ByteOrder.LITTLE_ENDIAN);
            expected.putLong(1_500)
                    .putLong(-2)
                    .putShort((short) 12)
                    .putShort((short) 4)
                    .putLong(60_000)
                    .putInt(node);
            expected.putShort((short) module.length)
                    .put(module)
                    .putShort((short) 8)
                    .put("a.Target".getBytes("UTF-8"))
                    .putShort((short) 0);
            expected.putLong(1_600)
                    .putLong(0)
                    .putShort((short) 8)
                    .putShort((short) 1)
                    .putLong(0)
                    .putInt(node);
            expected.putShort((short) 0).putShort((short) 0).putShort((short) 8).put("a.ACTION".getBytes("UTF-8"));
            byte[] payload = new byte[chunk.payload.remaining()];
            chunk.payload.get(payload);
            assertArrayEquals(expected.array(), payload);
            assertEquals(mode.equals("events"), node == Format.NO_NODE);
        }
    }

    @Test
    public void communicationsOfAnEndedThreadAreWritten() throws Exception {
        Recording recording = new Recording(4);
        Thread thread =
                new Thread(() -> recording.recorder.current().communication(1, 7, 32, 0, "a.B", "", ""), "sender");
        thread.start();
        thread.join();
        ChunkReader.Chunk chunk = ChunkReader.of(recording.written(), 10, 0).get(0);
        assertEquals("sender", chunk.name);
        assertEquals(1, chunk.count);
    }

    @Test
    public void textsBeyondTheFormatsLengthAreCut() {
        Recording recording = new Recording(4);
        char[] longer = new char[70_000];
        Arrays.fill(longer, 'x');
        recording.recorder.current().communication(1, 7, 32, 0, "a.B", "", new String(longer));
        ChunkReader.Chunk chunk = ChunkReader.of(recording.written(), 10, 0).get(0);
        assertEquals(38 + 3 + 65535, chunk.payload.remaining());
    }

    @Test
    public void fullDiskEndsOnlyTheRecording() {
        Recording recording = new Recording(4);
        recording.sink.room = 1;
        recording.enter(10, 1);
        recording.exit(20, 1);
        recording.written();
        int attempts = recording.sink.attempts;
        recording.enter(30, 1);
        recording.exit(40, 1);
        assertEquals(1, ChunkReader.read(recording.written()).size());
        assertEquals("a failed sink is not tried again", attempts, recording.sink.attempts);
    }
}
