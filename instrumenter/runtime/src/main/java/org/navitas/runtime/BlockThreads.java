package org.navitas.runtime;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of a process's threads. Each lookup first compares the thread with a few that count, as {@link Threads}
 * does. Plain stores suffice there, too: only its own thread uses the counters that it finds.
 */
final class BlockThreads {
    private final Recorder recorder;
    private final BlockLog log;
    private final BlockCounts ignoring;
    private BlockCounts first;
    private final BlockCounts[] more = new BlockCounts[Limits.PLACES];
    private int turn = Limits.PLACES;
    /** Bytes that counters can still use. */
    final AtomicLong spareBytes;
    private final AtomicBoolean isFull = new AtomicBoolean();

    BlockThreads(Recorder recorder, BlockCollections collections, long bytes) {
        this.recorder = recorder;
        spareBytes = new AtomicLong(bytes);
        ignoring = new BlockCounts(this, null);
        first = ignoring;
        Arrays.fill(more, ignoring);
        log = new BlockLog(recorder, collections);
        recorder.writer.blocks = log;
    }

    /** Returns null if this process counts no executions. */
    static BlockThreads start() {
        Recorder recorder = Probe.RECORDER;
        if (recorder == null || !recorder.settings.blocks) {
            return null;
        }
        long bytes = Runtime.getRuntime().maxMemory() / Limits.COUNTER_SHARE;
        return new BlockThreads(recorder, BlockCollections.detect(), Math.min(Limits.COUNTER_BYTES, bytes));
    }

    /** Returns the calling thread's counters. */
    BlockCounts current() {
        Thread thread = Thread.currentThread();
        BlockCounts guess = first;
        if (guess.thread == thread) {
            return guess;
        }
        for (BlockCounts next : more) {
            if (next.thread == thread) {
                return next;
            }
        }
        return lookUp();
    }

    private BlockCounts lookUp() {
        ThreadRecorder own = recorder.current();
        BlockCounts found = (BlockCounts) own.blocks;
        if (found == null) {
            return own.thread == null || recorder.writer.stopping ? ignoring : register(own);
        }
        if (++found.lookups % Limits.LOOKUPS == 0) {
            prefer(found);
        }
        return found;
    }

    private BlockCounts register(ThreadRecorder own) {
        try {
            BlockCounts made = new BlockCounts(this, own);
            log.add(made); // first: after a stack overflow here, the writer knows all counters
            own.blocks = made;
            prefer(made);
            return made;
        } catch (OutOfMemoryError e) {
            full();
            return ignoring;
        }
    }

    /** Called by the writer only: removes a dead thread from those that are found first. */
    void forget(BlockCounts dead) {
        if (first == dead) {
            first = ignoring;
        }
        for (int i = 0; i < Limits.PLACES; i++) {
            if (more[i] == dead) {
                more[i] = ignoring;
            }
        }
    }

    /** Adds a thread to those that are found first, unless it is there. */
    private void prefer(BlockCounts busy) {
        if (first == busy || Arrays.asList(more).contains(busy)) {
            return;
        }
        int place = (turn++ & Integer.MAX_VALUE) % (Limits.PLACES + 1);
        if (place == Limits.PLACES) {
            first = busy;
        } else {
            more[place] = busy;
        }
    }

    /** Adds a method's counters to those of the calling thread and returns them, or the spare ones without memory. */
    long[] add(BlockCounts thread, int method, int counters) {
        if (thread == ignoring) {
            return BlockCounts.SPARE;
        }
        long[] added = thread.add(method, counters);
        if (added == BlockCounts.SPARE) {
            full();
        }
        return added;
    }

    private void full() {
        if (isFull.compareAndSet(false, true)) {
            Platform.note("blocks_uncounted", "no memory is left to count executions: ", "some are missing");
        }
    }
}
