package org.navitas.runtime;

/**
 * What methods with counters of executions of basic blocks call. Thread-safe. Never blocks, and throws nothing except a
 * stack overflow that the application is about to cause.
 *
 * <p>This class and the others named {@code Block…} are in a jar of their own, which only apps with such counters have.
 */
public final class BlockProbe {
    /** Null unless executions are counted. */
    private static final BlockThreads THREADS = BlockThreads.start();

    private BlockProbe() {}

    /**
     * Returns the calling thread's counters of a method, to which the method adds its executions.
     *
     * @param method the method's id
     * @param counters the number of its counters, 1 … 8192
     * @return an array with at least this number of elements; if nothing is counted, all threads get the same one
     */
    public static long[] count(int method, int counters) {
        if (THREADS == null) {
            return BlockCounts.SPARE;
        }
        BlockCounts thread = THREADS.current();
        long[][] known = thread.byMethod;
        if (method < known.length) {
            long[] found = known[method];
            if (found != null) {
                return found;
            }
        }
        return THREADS.add(thread, method, counters);
    }
}
