package org.navitas.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of a process's threads.
 *
 * <p>Threads are found by the last bits of their ids. Plain stores suffice there: what is found is complete, and only its
 * own thread uses it.
 *
 * <p>A method that one thread has called gets counters in all threads, as long as there is memory and not too many are
 * known. So others, and new threads, find them even at their first call. Code is then compiled without the calls for
 * counters that are not found.
 */
final class BlockThreads {
    private final Recorder recorder;
    private final BlockLog log;
    private final BlockCounts ignoring;
    /** The oldest thread that is alive, as far as known; not null. */
    BlockCounts first;
    /** Threads by {@link #place}; nowhere null. */
    final BlockCounts[] found = new BlockCounts[Limits.FOUND_THREADS];
    /** Bytes that counters can still use. */
    final AtomicLong spareBytes;

    private final long enoughBytes;
    private final AtomicBoolean isFull = new AtomicBoolean();
    /** The threads that may call methods; guarded by this. */
    private final List<BlockCounts> living = new ArrayList<>();
    /** The numbers of counters of methods that were called; guarded by this. */
    private final Map<Integer, Integer> called = new HashMap<>();

    BlockThreads(Recorder recorder, BlockCollections collections, long bytes) {
        this.recorder = recorder;
        spareBytes = new AtomicLong(bytes);
        enoughBytes = bytes / 2;
        ignoring = new BlockCounts(this, null);
        first = ignoring;
        Arrays.fill(found, ignoring);
        log = new BlockLog(recorder, collections);
        recorder.writer.blocks = log;
    }

    /** Returns null if this process counts no executions. */
    static BlockThreads start() {
        Recorder recorder = Running.RECORDER;
        if (recorder == null || !recorder.settings.blocks) {
            return null;
        }
        long bytes = Runtime.getRuntime().maxMemory() / Limits.COUNTER_SHARE;
        return new BlockThreads(recorder, BlockCollections.detect(), Math.min(Limits.COUNTER_BYTES, bytes));
    }

    /** Returns the calling thread's counters of a method. */
    long[] find(int method, int counters) {
        BlockCounts thread = current();
        if (thread == ignoring) {
            return BlockCounts.SPARE;
        }
        prefer(thread);
        long[] known = thread.of(method);
        return known != null ? known : add(thread, method, counters);
    }

    /** Lets a thread find counters at once. Threads that compete for a place take turns, but not at each call. */
    private void prefer(BlockCounts thread) {
        int place = thread.place;
        if (first == ignoring) {
            first = thread;
        }
        if (found[place] == ignoring || ++thread.lookups % Limits.LOOKUPS == 0) {
            found[place] = thread;
        }
    }

    /** Returns a thread's place in {@link #found}. Its hash would need a call. */
    static int place(Thread thread) {
        return (int) thread.getId() & Limits.FOUND_THREADS - 1;
    }

    /** Returns the counters of the calling thread. */
    BlockCounts current() {
        ThreadRecorder own = recorder.current();
        BlockCounts known = (BlockCounts) own.blocks;
        return known != null ? known : own.thread == null || recorder.writer.stopping ? ignoring : register(own);
    }

    private BlockCounts register(ThreadRecorder own) {
        try {
            BlockCounts made = new BlockCounts(this, own);
            log.add(made); // first: after a stack overflow here, the writer knows all counters
            own.blocks = made;
            synchronized (this) {
                living.add(made);
                for (Map.Entry<Integer, Integer> method : called.entrySet()) {
                    addInAdvance(made, method.getKey(), method.getValue());
                }
            }
            return made;
        } catch (OutOfMemoryError e) {
            full();
            return ignoring;
        }
    }

    /** Called by the writer only: removes a dead thread. */
    void forget(BlockCounts dead) {
        if (found[dead.place] == dead) {
            found[dead.place] = ignoring;
        }
        if (first == dead) {
            first = ignoring;
        }
        synchronized (this) {
            living.remove(dead);
        }
    }

    /** Adds a method's counters to those of all threads; returns the calling thread's, or the spare ones without memory. */
    private long[] add(BlockCounts thread, int method, int counters) {
        long[] added;
        synchronized (this) {
            added = thread.of(method);
            if (added == null) {
                added = thread.add(method, counters);
                if (added != BlockCounts.SPARE) {
                    addToOthers(method, counters);
                }
            }
        }
        if (added == BlockCounts.SPARE) {
            full(); // without the lock: it prints
        }
        return added;
    }

    private void addToOthers(int method, int counters) {
        try {
            if (called.size() < Limits.METHODS_IN_ADVANCE && called.put(method, counters) == null) {
                for (BlockCounts other : living) {
                    addInAdvance(other, method, counters);
                }
            }
        } catch (OutOfMemoryError e) {
            return; // others add it at their first call
        }
    }

    private void addInAdvance(BlockCounts thread, int method, int counters) {
        if (spareBytes.get() > enoughBytes && thread.of(method) == null) {
            thread.addInAdvance(method, counters);
        }
    }

    private void full() {
        if (isFull.compareAndSet(false, true)) {
            Platform.note("blocks_uncounted", "no memory is left to count executions: ", "some are missing");
        }
    }
}
