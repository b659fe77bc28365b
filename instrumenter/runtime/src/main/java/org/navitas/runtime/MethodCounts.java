package org.navitas.runtime;

/** One thread's counters of one method. Only their thread adds to them. */
final class MethodCounts {
    /** For threads that do not count, and without memory. Its values mean nothing. */
    static final MethodCounts SPARE = new MethodCounts(null, -1, new long[Limits.COUNTERS]);

    final Thread thread;
    final int method;
    final long[] counters;

    MethodCounts(Thread thread, int method, long[] counters) {
        this.thread = thread;
        this.method = method;
        this.counters = counters;
    }
}
