package org.navitas.runtime;

/**
 * What methods with counters of executions of basic blocks call. Thread-safe. A thread waits at most for {@link Start},
 * and for the first call of a method in another thread. Throws nothing except what the application is about to cause: a
 * stack overflow, or a lack of memory for a few counters if the runtime has found none.
 *
 * <p>This class and the others named {@code Block…} are in a jar of their own, which only apps with such counters have.
 */
public final class BlockProbe {
    /** What methods add to while there is no recorder. Made when needed: an initializer that fails would end the app. */
    private static long[] spare;

    private BlockProbe() {}

    /**
     * Returns the calling thread's counters of a method if they are found at once. This method calls nothing: a call,
     * even if it is rare, would keep compilers from improving the code of all methods that this one is inlined into.
     *
     * @param method the method's id
     * @return an array that the method adds its executions to, or null to call {@link #find}
     */
    public static long[] found(int method) {
        return !Probe.ready
                ? null
                : BlockRunning.THREADS == null ? BlockCounts.SPARE : found(method, Thread.currentThread());
    }

    private static long[] found(int method, Thread thread) {
        BlockCounts guess = BlockRunning.THREADS.first; // cheaper than what follows, for one thread
        return guess.thread == thread ? guess.of(method) : foundByOther(method, thread);
    }

    private static long[] foundByOther(int method, Thread thread) {
        BlockCounts guess = BlockRunning.FOUND[BlockThreads.place(thread)];
        return guess.thread == thread ? guess.of(method) : null;
    }

    /**
     * Returns the calling thread's counters of a method, to which the method adds its executions.
     *
     * @param method the method's id
     * @param counters the number of its counters, 1 … 8192
     * @return an array with at least this number of elements; threads that count nothing get the same one
     */
    public static long[] find(int method, int counters) {
        if (!Start.isReady()) {
            long[] known = spare;
            if (known == null || known.length < counters) {
                known = new long[counters];
                spare = known;
            }
            return known;
        }
        return BlockRunning.THREADS == null ? BlockCounts.SPARE : BlockRunning.THREADS.find(method, counters);
    }
}
