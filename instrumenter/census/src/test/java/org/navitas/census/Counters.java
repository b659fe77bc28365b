package org.navitas.census;

/** Counts executions of blocks of instrumented programs. */
public final class Counters {
    /** Executions by number of block. */
    public static final int[] COUNTS = new int[1000];

    private Counters() {}

    /** Counts an execution. */
    public static void hit(int block) {
        COUNTS[block]++;
    }
}
