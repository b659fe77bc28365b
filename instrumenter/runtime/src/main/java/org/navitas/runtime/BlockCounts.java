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
    private static final int METHOD_BYTES = 96; // of the headers of two arrays and an object, and of their places in lists

    /** Null for threads that are ignored. */
    final Thread thread;
    final ThreadRecorder owner;
    /** Counters by method id. Only this thread uses the table. */
    MethodCounts[] byMethod = {};
    /** Lookups that did not find counters at once. */
    int lookups;

    private final BlockThreads threads;
    /** Counters in the order of their methods' first calls. Volatile: a larger copy is seen with its content. */
    private volatile MethodCounts[] methods = new MethodCounts[4];
    /** How many of them are complete; the store after them makes them visible. */
    private volatile int used;
    private long bytes;
    /** Whether there is no memory for methods with larger ids. Only this thread uses it. */
    private boolean isFull;
    /** The published values of {@link #methods}; guarded by this. */
    private long[][] published = new long[4][];

    BlockCounts(BlockThreads threads, ThreadRecorder owner) {
        super(Format.BLOCKS);
        this.threads = threads;
        this.owner = owner;
        thread = owner == null ? null : owner.thread;
    }

    /** Adds a method's counters and returns them, or {@link MethodCounts#SPARE} if there is no memory. */
    MethodCounts add(int method, int size) {
        MethodCounts made = MethodCounts.SPARE;
        if (isFull && method >= byMethod.length) {
            return made; // it is lost already
        }
        try {
            if (method >= byMethod.length) {
                growTo(Integer.highestOneBit(Math.max(method, 15)) << 1);
            }
            if (method < byMethod.length) {
                made = make(method, size);
            }
        } catch (OutOfMemoryError e) {
            made = MethodCounts.SPARE;
        }
        if (made == MethodCounts.SPARE) {
            lose();
        }
        if (method < byMethod.length) {
            byMethod[method] = made;
        } else {
            isFull = true;
        }
        return made;
    }

    private void growTo(int size) {
        if (reserve(8L * (size - byMethod.length))) {
            byMethod = Arrays.copyOf(byMethod, size);
        }
    }

    private MethodCounts make(int method, int size) {
        if (!reserve(16L * size + METHOD_BYTES)) {
            return MethodCounts.SPARE;
        }
        int count = used;
        if (count == methods.length) {
            methods = Arrays.copyOf(methods, 2 * count);
        }
        MethodCounts made = new MethodCounts(thread, method, new long[size]);
        methods[count] = made; // from here on, neither a stack overflow nor a lack of memory is possible
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
                MethodCounts each = methods[i];
                if (published[i] == null) {
                    published[i] = new long[each.counters.length];
                }
                addRecord(now, each.method, each.counters, published[i]);
            }
        } catch (OutOfMemoryError e) {
            lost++; // its executions remain for the next time
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
            while (!publish(clock.nanoTime())) {
                drain(owner, out);
            }
            drain(owner, out);
            threads.spareBytes.addAndGet(bytes);
            for (int i = 0; i < used; i++) {
                threads.forget(methods[i]);
            }
        }
        return alive;
    }
}
