package org.navitas.hooks.intents;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.navitas.runtime.ChunkReader;
import org.navitas.runtime.Recorder;

/** Reads what the recorder of this process wrote of communications: chunk type 10, as docs/dev/formats.md describes it. */
final class Communications {
    /** One record. */
    static final class Record {
        long time;
        long token;
        int kind;
        int flags;
        long periodMs;
        int node;
        String module;
        String target;
        String action;

        @Override
        public String toString() {
            return kind + " " + module + ">" + target + " " + action + (flags == 0 ? "" : " f" + flags)
                    + (periodMs == 0 ? "" : " p" + periodMs);
        }
    }

    private static int seen;

    private Communications() {}

    /** Returns the records of all threads since the last call, by time. */
    static List<Record> next() throws Exception {
        List<Record> all = all();
        List<Record> since = new ArrayList<>(all.subList(seen, all.size()));
        seen = all.size();
        since.sort(Comparator.comparingLong(record -> record.time));
        return since;
    }

    /** Returns the only record of a kind since the last call of {@link #next}. */
    static Record only(List<Record> records, int kind) {
        List<Record> found = of(records, kind);
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " records of kind " + kind + " in " + records);
        }
        return found.get(0);
    }

    static List<Record> of(List<Record> records, int kind) {
        List<Record> found = new ArrayList<>(records);
        found.removeIf(record -> record.kind != kind);
        return found;
    }

    private static List<Record> all() throws Exception {
        Recorder.flush();
        File[] files = new File(System.getProperty("navitas.out")).listFiles();
        byte[] written = Files.readAllBytes(Arrays.stream(files)
                .max(Comparator.comparing(File::lastModified))
                .get()
                .toPath());
        List<Record> records = new ArrayList<>();
        for (ChunkReader.Chunk chunk : ChunkReader.of(written, 10, 0)) {
            for (int i = 0; i < chunk.count; i++) {
                Record record = new Record();
                record.time = chunk.payload.getLong();
                record.token = chunk.payload.getLong();
                record.kind = chunk.payload.getShort();
                record.flags = chunk.payload.getShort();
                record.periodMs = chunk.payload.getLong();
                record.node = chunk.payload.getInt();
                record.module = text(chunk);
                record.target = text(chunk);
                record.action = text(chunk);
                records.add(record);
            }
        }
        return records;
    }

    private static String text(ChunkReader.Chunk chunk) {
        byte[] bytes = new byte[chunk.payload.getShort() & 0xffff];
        chunk.payload.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
