package org.navitas.runtime;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of a process's threads. A few threads find their counters of a method at once, by the method's id and the
 * last bits of their own. Plain stores suffice there: what is found is immutable, and only its own thread uses it.
 */
final class BlockThreads {
    private final Recorder recorder;
    private final BlockLog log;
    private final BlockCounts ignoring;
    /** Counters by {@link #place}; nowhere null. */
    final MethodCounts[] found = new MethodCounts[Limits.FOUND_METHODS * Limits.FOUND_THREADS];
    /** Bytes that counters can still use. */
    final AtomicLong spareBytes;
    private final AtomicBoolean isFull = new AtomicBoolean();

    BlockThreads(Recorder recorder, BlockCollections collections, long bytes) {
        this.recorder = recorder;
        spareBytes = new AtomicLong(bytes);
        ignoring = new BlockCounts(this, null);
        Arrays.fill(found, MethodCounts.SPARE);
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

    /** Returns where counters may be. Threads with successive ids do not compete for a place. */
    static int place(int method, Thread thread) {
        return method * Limits.FOUND_THREADS + ((int) thread.getId() & Limits.FOUND_THREADS - 1);
    }

    /** Returns the calling thread's counters of a method. */
    MethodCounts find(int method, int counters) {
        BlockCounts thread = current();
        MethodCounts known = method < thread.byMethod.length ? thread.byMethod[method] : null;
        if (known == null) {
            known = thread == ignoring ? MethodCounts.SPARE : thread.add(method, counters);
            if (known == MethodCounts.SPARE && thread != ignoring) {
                full();
            }
        }
        if (known != MethodCounts.SPARE) {
            prefer(thread, known);
        }
        return known;
    }

    /** Lets a thread find counters at once. Threads that compete for a place take turns, but not at each call. */
    private void prefer(BlockCounts thread, MethodCounts known) {
        int place = known.method < Limits.FOUND_METHODS ? place(known.method, known.thread) : -1;
        if (place >= 0 && (found[place] == MethodCounts.SPARE || ++thread.lookups % Limits.LOOKUPS == 0)) {
            found[place] = known;
        }
    }

    /** Returns the counters of the calling thread. */
    BlockCounts current() {
        ThreadRecorder own = recorder.current();
        BlockCounts found = (BlockCounts) own.blocks;
        return found != null ? found : own.thread == null || recorder.writer.stopping ? ignoring : register(own);
    }

    private BlockCounts register(ThreadRecorder own) {
        try {
            BlockCounts made = new BlockCounts(this, own);
            log.add(made); // first: after a stack overflow here, the writer knows all counters
            own.blocks = made;
            return made;
        } catch (OutOfMemoryError e) {
            full();
            return ignoring;
        }
    }

    /** Called by the writer only: removes a dead thread's counters from those that are found at once. */
    void forget(MethodCounts dead) {
        int place = dead.method < Limits.FOUND_METHODS ? place(dead.method, dead.thread) : -1;
        if (place >= 0 && found[place] == dead) {
            found[place] = MethodCounts.SPARE;
        }
    }

    private void full() {
        if (isFull.compareAndSet(false, true)) {
            Platform.note("blocks_uncounted", "no memory is left to count executions: ", "some are missing");
        }
    }
}
