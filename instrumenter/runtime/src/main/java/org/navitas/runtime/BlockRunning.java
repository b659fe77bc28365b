package org.navitas.runtime;

/** What counters of executions use, as constants for compilers: as {@link Running}. */
final class BlockRunning {
    /** Null unless executions are counted. */
    static final BlockThreads THREADS = BlockThreads.start();

    static final BlockCounts[] FOUND = THREADS == null ? null : THREADS.found;
    private static final long[] SPARE = BlockCounts.SPARE; // so that it is there

    private BlockRunning() {}
}
