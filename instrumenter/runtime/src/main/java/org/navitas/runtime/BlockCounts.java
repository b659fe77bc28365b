package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's counters of executions of basic blocks: an array for each method that it has entered. The thread adds to
 * them without a fence, and any thread publishes what was added since the last time.
 *
 * <p>Another thread's counters are read as they are in memory. A thread in a loop can keep counts in registers, and a
 * new method can be seen late: such executions belong to a later record. Seen are the reader's own executions, and
 * those before the counting thread has ended, or has released a lock that the reader takes later.
 */
final class BlockCounts extends RecordLog {
    /** For threads that do not count. Its values mean nothing. */
    static final long[] SPARE = new long[Limits.COUNTERS];

    private static final int ARRAY_BYTES = 64; // of the headers of two arrays, and of their places in lists

    /** Null for threads that are ignored. */
    final Thread thread;

    final ThreadRecorder owner;
    /** In {@link BlockThreads#found}. */
    final int place;
    /** Counters by method id. Other threads add to the table, one at a time, but only this one uses counters. */
    long[][] byMethod = {};
    /** Lookups that did not find counters at once. */
    int lookups;

    private final BlockThreads threads;
    /** Methods and their counters in the order of their first calls. Volatile: larger copies are seen with their content. */
    private volatile int[] methods = new int[4];

    private volatile long[][] arrays = new long[4][];
    /** How many of them are complete; the store after them makes them visible. */
    private volatile int used;

    private long bytes;
    /** Whether there is no memory for methods with larger ids. */
    private boolean isFull;
    /** The published values of {@link #arrays}; guarded by this. */
    private long[][] published = new long[4][];

    BlockCounts(BlockThreads threads, ThreadRecorder owner) {
        super(Format.BLOCKS);
        this.threads = threads;
        this.owner = owner;
        thread = owner == null ? null : owner.thread;
        place = thread == null ? 0 : BlockThreads.place(thread);
    }

    /** Returns a method's counters, or null. */
    long[] of(int method) {
        long[][] known = byMethod; // once: other threads replace it
        return method < known.length ? known[method] : null;
    }

    /** Adds a method's counters and returns them, or {@link #SPARE} if there is no memory. */
    long[] add(int method, int size) {
        long[] made = SPARE;
        if (isFull && method >= byMethod.length) {
            return made; // it is lost already
        }
        try {
            if (method >= byMethod.length) {
                growTo(tableSize(method));
            }
            if (method < byMethod.length) {
                made = make(method, size);
            }
        } catch (OutOfMemoryError e) {
            made = SPARE;
        }
        if (made == SPARE) {
            lose();
        }
        if (method < byMethod.length) {
            byMethod[method] = made;
        } else {
            isFull = true;
        }
        return made;
    }

    /** Adds counters of a method that this thread has not called. Without memory, it tries again when it calls the method. */
    void addInAdvance(int method, int size) {
        try {
            if (method >= byMethod.length) {
                growTo(tableSize(method));
            }
            long[] made = method < byMethod.length ? make(method, size) : SPARE;
            if (made != SPARE) {
                byMethod[method] = made;
            }
        } catch (OutOfMemoryError e) {
            return; // as if nothing was tried
        }
    }

    private static int tableSize(int method) {
        return Integer.highestOneBit(Math.max(method, 15)) << 1;
    }

    private void growTo(int size) {
        if (reserve(8L * (size - byMethod.length))) {
            byMethod = Arrays.copyOf(byMethod, size);
        }
    }

    private long[] make(int method, int size) {
        if (!reserve(16L * size + ARRAY_BYTES)) {
            return SPARE;
        }
        int count = used;
        if (count == arrays.length) {
            long[][] more = Arrays.copyOf(arrays, 2 * count);
            methods = Arrays.copyOf(methods, 2 * count);
            arrays = more;
        }
        long[] made = new long[size];
        methods[count] = method; // from here on, neither a stack overflow nor a lack of memory is possible
        arrays[count] = made;
        used = count + 1;
        return made;
    }

    private boolean reserve(long more) {
        if (threads.spareBytes.addAndGet(-more) < 0) {
            threads.spareBytes.addAndGet(more);
            return false;
        }
        bytes += more;
        return true;
    }

    private synchronized void lose() {
        lost++;
    }

    /** Publishes executions since the last time; returns false if the log was full, and the rest remains. */
    synchronized boolean publish(long now) {
        int count = used; // first
        try {
            if (published.length < count) {
                published = Arrays.copyOf(published, Math.max(count, 2 * published.length));
            }
            for (int i = 0; i < count; i++) {
                if (records.size() > Limits.RECORD_BYTES) {
                    return false;
                }
                if (published[i] == null && isZero(arrays[i])) {
                    continue; // many are added in advance
                }
                if (published[i] == null) {
                    published[i] = new long[arrays[i].length];
                }
                addRecord(now, methods[i], arrays[i], published[i]);
            }
        } catch (OutOfMemoryError e) {
            lost++; // its executions remain for the next time
        }
        return true;
    }

    private static boolean isZero(long[] counters) {
        for (long each : counters) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    /** Adds one method's executions since those that are published. */
    private void addRecord(long now, int method, long[] counters, long[] old) {
        int i = 0;
        while (i < counters.length && counters[i] == old[i]) {
            i++;
        }
        if (i < counters.length) {
            int start = records.size();
            try {
                records.i64(now).u32(method).u32(counters.length).words(old, 0, counters.length); // makes room
            } finally {
                records.cut(start);
            }
            records.i64(now).u32(method).u32(counters.length);
            for (i = 0; i < counters.length; i++) {
                long fresh = counters[i] - old[i];
                records.i64(fresh);
                old[i] += fresh;
            }
            count++;
        }
    }

    /** Called by the writer only: writes what is published, and the rest of a dead thread; returns false for the latter. */
    boolean drain(ChunkWriter out, Platform clock) {
        boolean alive = thread.isAlive();
        drain(owner, out);
        if (!alive) {
            threads.forget(this);
            while (!publish(clock.nanoTime())) {
                drain(owner, out);
            }
            drain(owner, out);
            threads.spareBytes.addAndGet(bytes);
        }
        return alive;
    }
}
