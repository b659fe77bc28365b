package org.navitas.runtime;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Executions of all threads, and garbage collections of the process. */
final class BlockLog extends RecordLog {
    private final Recorder recorder;
    private final BlockCollections collections;
    private final Queue<BlockCounts> threads = new ConcurrentLinkedQueue<>();
    private long collected;

    BlockLog(Recorder recorder, BlockCollections collections) {
        super(Format.BLOCKS);
        this.recorder = recorder;
        this.collections = collections;
        collected = collections.count();
    }

    void add(BlockCounts thread) {
        threads.add(thread);
    }

    /**
     * Adds records of all threads. If the writer is behind, waits for it once. What then finds no room remains for the
     * next time.
     */
    @Override
    void publish() {
        long now = recorder.platform.nanoTime();
        if (!publishThreads(now)) {
            recorder.writer.flush(Limits.FLUSH_LIMIT_MS);
            publishThreads(now);
        }
        long all = collections.count();
        synchronized (this) {
            if (all >= 0 && records.size() <= Limits.RECORD_BYTES) {
                int start = records.size();
                try {
                    records.i64(now).u32(Format.COLLECTIONS).u32(1).i64(Math.max(0, all - collected));
                    collected = Math.max(all, collected);
                    count++;
                } catch (OutOfMemoryError e) {
                    records.cut(start); // they remain for the next time
                }
            }
        }
    }

    private boolean publishThreads(long now) {
        boolean isComplete = true;
        for (BlockCounts each : threads) {
            isComplete &= each.publish(now);
        }
        return isComplete;
    }

    @Override
    void drain(ThreadRecorder owner, ChunkWriter out) {
        for (Iterator<BlockCounts> each = threads.iterator(); each.hasNext(); ) {
            if (!each.next().drain(out, recorder.platform)) {
                each.remove();
            }
        }
        super.drain(owner, out);
    }
}
