package org.navitas.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** A second, strict reader of event files, written only from docs/dev/formats.md. */
public final class ChunkReader {
    /** One chunk. */
    public static final class Chunk {
        public int type;
        public long mapId;
        public long serial;
        public int tid;
        public int seq;
        public int lost;
        public long base;
        public int count;
        public String name;
        public ByteBuffer payload;
    }

    /** One call event. */
    public static final class Event {
        public final int kind;
        public final int method;
        public final long time;

        Event(int kind, int method, long time) {
            this.kind = kind;
            this.method = method;
            this.time = time;
        }

        @Override
        public String toString() {
            return "EXTR".charAt(kind) + "" + method + "@" + time;
        }
    }

    /** One row of an epoch. */
    public static final class Row {
        public long start;
        public long end;
        public int node;
        public int parent;
        public int method;
        public int calls;
        public int thrown;
        public long self;
    }

    /** One marker. */
    public static final class Marker {
        public long time;
        public int kind;
        public int status;
        public int repeat;
        public String test;

        @Override
        public String toString() {
            return kind + " " + status + " " + test;
        }
    }

    private ChunkReader() {}

    /** Returns all chunks; throws an AssertionError if a byte violates the format. */
    public static List<Chunk> read(byte[] file) {
        List<Chunk> chunks = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int start = in.position();
            byte[] magic = new byte[4];
            in.get(magic);
            check(new String(magic, StandardCharsets.US_ASCII).equals("NVCH"), "magic");
            check(in.getShort() == 1, "version");
            Chunk chunk = new Chunk();
            chunk.type = in.getShort();
            chunk.mapId = in.getLong();
            chunk.serial = in.getLong();
            chunk.tid = in.getInt();
            chunk.seq = in.getInt();
            chunk.lost = in.getInt();
            chunk.base = in.getLong();
            chunk.count = in.getInt();
            int length = in.getInt();
            byte[] name = new byte[in.getShort() & 0xffff];
            in.get(name);
            chunk.name = new String(name, StandardCharsets.UTF_8);
            int crcAt = in.position();
            int crc = in.getInt();
            byte[] payload = new byte[length];
            in.get(payload);
            CRC32 expected = new CRC32();
            expected.update(file, start, crcAt - start);
            expected.update(new byte[4], 0, 4);
            expected.update(payload, 0, length);
            check((int) expected.getValue() == crc, "crc");
            chunk.payload = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
            chunks.add(chunk);
        }
        return chunks;
    }

    /** Returns chunks of one type and thread (0: any); their numbers must have no gap for each thread. */
    public static List<Chunk> of(byte[] file, int type, long serial) {
        List<Chunk> found = new ArrayList<>();
        for (Chunk chunk : read(file)) {
            if (chunk.type == type && (serial == 0 || chunk.serial == serial)) {
                found.add(chunk);
            }
        }
        return found;
    }

    public static List<Event> events(byte[] file, long serial) {
        List<Event> events = new ArrayList<>();
        for (Chunk chunk : of(file, 1, serial)) {
            check(chunk.payload.remaining() == 8 * chunk.count, "length of calls");
            for (int i = 0; i < chunk.count; i++) {
                long word = chunk.payload.getLong();
                int kind = (int) (word >>> 62);
                int method = (int) (word >>> 40) & (1 << 22) - 1;
                events.add(new Event(kind, method, chunk.base + (word & (1L << 40) - 1)));
            }
        }
        return events;
    }

    /** Returns the time and CPU time of each anchor. */
    public static List<long[]> anchors(byte[] file, long serial) {
        List<long[]> anchors = new ArrayList<>();
        for (Chunk chunk : of(file, 2, serial)) {
            check(chunk.payload.remaining() == 16 * chunk.count, "length of anchors");
            for (int i = 0; i < chunk.count; i++) {
                anchors.add(new long[] {chunk.payload.getLong(), chunk.payload.getLong()});
            }
        }
        return anchors;
    }

    public static List<Row> rows(byte[] file, long serial) {
        List<Row> rows = new ArrayList<>();
        for (Chunk chunk : of(file, 5, serial)) {
            for (int i = 0; i < chunk.count; i++) {
                long start = chunk.payload.getLong();
                long end = chunk.payload.getLong();
                for (int left = chunk.payload.getInt(); left > 0; left--) {
                    Row row = new Row();
                    row.start = start;
                    row.end = end;
                    row.node = chunk.payload.getInt();
                    row.parent = chunk.payload.getInt();
                    row.method = chunk.payload.getInt();
                    row.calls = chunk.payload.getInt();
                    row.thrown = chunk.payload.getInt();
                    row.self = chunk.payload.getLong();
                    rows.add(row);
                }
            }
            check(!chunk.payload.hasRemaining(), "length of epochs");
        }
        return rows;
    }

    public static List<Marker> markers(byte[] file) {
        List<Marker> markers = new ArrayList<>();
        for (Chunk chunk : of(file, 4, 0)) {
            for (int i = 0; i < chunk.count; i++) {
                Marker marker = new Marker();
                marker.time = chunk.payload.getLong();
                marker.kind = chunk.payload.get();
                marker.status = chunk.payload.get();
                marker.repeat = chunk.payload.getShort();
                byte[] test = new byte[chunk.payload.getShort()];
                chunk.payload.get(test);
                marker.test = new String(test, StandardCharsets.UTF_8);
                markers.add(marker);
            }
            check(!chunk.payload.hasRemaining(), "length of markers");
        }
        return markers;
    }

    /** Returns the source id, a space and the text of each reading. */
    public static List<String> counters(byte[] file) {
        List<String> readings = new ArrayList<>();
        for (Chunk chunk : of(file, 3, 0)) {
            for (int i = 0; i < chunk.count; i++) {
                check(chunk.payload.getLong() <= chunk.payload.getLong(), "times of a reading");
                int source = chunk.payload.getShort();
                byte[] text = new byte[chunk.payload.getInt()];
                chunk.payload.get(text);
                readings.add(source + " " + new String(text, StandardCharsets.UTF_8));
            }
        }
        return readings;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
