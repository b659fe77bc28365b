package org.navitas.runtime;

import java.io.IOException;
import java.util.zip.CRC32;

/**
 * Encodes chunks and passes them to the sink; used by the writer thread only. After the sink has failed once, records
 * are only counted: a full disk must not harm the application.
 */
final class ChunkWriter {
    private final FileSink sink;
    private final long mapId;
    private final Bytes chunk = new Bytes();
    private final CRC32 crc = new CRC32();
    private boolean broken;
    private long lostRecords;
    private volatile long foldedBytes;

    ChunkWriter(FileSink sink, long mapId) {
        this.sink = sink;
        this.mapId = mapId;
    }

    /** Writes a thread's words from the writer's position to {@code end}, as one or more chunks. */
    void words(ThreadRecorder owner, Track track, Buffer buffer, int end) {
        if (track.type == Format.FOLDED) {
            epochs(owner, track, buffer, end);
            return;
        }
        boolean calls = track.type == Format.CALLS;
        int record = wordsOf(track.type);
        int most = Math.max(16, sink.payloadLimit() / 8) / record * record;
        for (int at = buffer.written; at < end; ) {
            int length = Math.min(end - at, most);
            int start = begin(owner, track, calls ? mapId : 0, calls ? buffer.base : 0);
            chunk.words(buffer.words, at, length);
            finish(start, length / record);
            at += length;
        }
    }

    private static int wordsOf(int type) {
        int others = type == Format.HOOKS ? Format.HOOK_WORDS : Format.HANDOFF_WORDS;
        return type == Format.CALLS ? 1 : type == Format.ANCHORS ? Format.ANCHOR_WORDS : others;
    }

    private void epochs(ThreadRecorder owner, Track track, Buffer buffer, int end) {
        long[] words = buffer.words;
        for (int at = buffer.written; at < end; ) {
            int start = begin(owner, track, mapId, 0);
            int epochs = 0;
            do {
                int rows = (int) words[at + 2];
                chunk.i64(words[at]).i64(words[at + 1]).u32(rows);
                at += Format.EPOCH_WORDS;
                for (int row = 0; row < rows; row++, at += Format.ROW_WORDS) {
                    chunk.u32((int) words[at]).u32((int) (words[at] >>> 32));
                    chunk.u32((int) words[at + 1]).u32((int) (words[at + 1] >>> 32));
                    chunk.u32((int) words[at + 2]).i64(words[at + 3]);
                }
                epochs++;
            } while (at < end && chunk.size() - start < sink.payloadLimit());
            foldedBytes += chunk.size();
            finish(start, epochs);
        }
    }

    /** Returns the bytes that the recording has written to storage; any thread may call it. */
    long storedBytes() {
        return sink.storedBytes();
    }

    /** Returns the bytes of folded chunks so far; any thread may call it. */
    long foldedBytes() {
        return foldedBytes;
    }

    /** Writes a chunk without records that reports what the thread lost since its last chunk. */
    void loss(ThreadRecorder owner, Track track) {
        finish(begin(owner, track, mapId, 0), 0);
    }

    /** Writes records of a thread, or of the whole process if the owner is null. */
    void records(ThreadRecorder owner, int type, int seq, int lost, int count, Bytes records) {
        int start = begin(owner, type, type == Format.BLOCKS ? mapId : 0, seq, lost, 0);
        chunk.bytes(records.array(), 0, records.size());
        finish(start, count);
    }

    private int begin(ThreadRecorder owner, Track track, long map, long base) {
        return begin(owner, track.type, map, track.nextChunk(), track.takeLost(), base);
    }

    /** Starts a chunk and returns the position of its payload. */
    private int begin(ThreadRecorder owner, int type, long map, int seq, int lost, long base) {
        lostRecords += lost;
        String name = owner == null ? "" : owner.thread.getName();
        chunk.cut(0);
        chunk.u32(Format.MAGIC).u16(Format.VERSION).u16(type).i64(map);
        chunk.i64(owner == null ? 0 : owner.serial)
                .u32(owner == null ? 0 : owner.osTid)
                .u32(seq)
                .u32(lost)
                .i64(base);
        chunk.u32(0)
                .u32(0)
                .text(name.substring(0, Math.min(name.length(), Format.MAX_NAME)))
                .u32(0);
        return chunk.size();
    }

    private void finish(int payloadStart, int count) {
        chunk.putU32(Format.COUNT_AT, count);
        chunk.putU32(Format.PAYLOAD_BYTES_AT, chunk.size() - payloadStart);
        crc.reset();
        crc.update(chunk.array(), 0, chunk.size());
        chunk.putU32(payloadStart - 4, (int) crc.getValue());
        if (!broken) {
            try {
                sink.write(chunk.array(), chunk.size());
                return;
            } catch (IOException e) {
                broken = true;
                Platform.note("recording_stopped", "recording stops here: writing events failed: ", e);
            }
        }
        lostRecords += count;
    }

    void close() {
        try {
            sink.close();
        } catch (IOException e) {
            Platform.note("close_failed", "cannot close the event file: ", e);
        }
        if (lostRecords > 0) {
            Platform.note("records_lost", "records were lost: ", lostRecords);
        }
    }
}
