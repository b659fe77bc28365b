package org.navitas.runtime;

/**
 * What bounds the memory of a recording, and the time it takes. Only constants, which the compiler copies to where they are used:
 * the class itself is left out of the jar.
 *
 * <p>With 512 buffers of events (16 MiB), all pools and call trees together have at most 34 MiB. Beside them a thread has some
 * 4 KB, and four bytes a call of its own stack's depth.
 */
final class Limits {
    static final int MOST_EVENT_BUFFERS = 512;
    static final int LEAST_EVENT_BUFFERS = 32;
    /** Over logcat, which is slow: folding then begins in time. */
    static final int LOGCAT_EVENT_BUFFERS = 64;

    static final int EVENT_WORDS = 4096;
    static final int ANCHOR_WORDS = 256;
    static final int FOLD_WORDS = 512;
    /** For each buffer of events there are so many of anchors and of folded calls. */
    static final int ANCHOR_BUFFERS = 4;
    static final int FOLD_BUFFERS = 2;
    /** For each buffer of events: so many nodes of all call trees, and as many rows in buffers that are larger than usual. */
    static final int NODES = 256;

    /** What each thread may have in any case: as many anchors as most ever need, so that any number of short ones is anchored. */
    static final int OWN_ANCHOR_WORDS = 16;
    static final int OWN_NODES = 64;
    /** What each thread may have at most. */
    static final int THREAD_NODES = 1 << 14;
    static final int STACK = 1 << 16;

    /** Threads at work that are found without a look into a table, beside the first. */
    static final int PLACES = 8;
    /** So many new threads wake the writer: many short ones' buffers are wanted back before the next flush. */
    static final int WAKE_EVERY = 64;

    /** Time between two readings of all clocks. */
    static final long TRIPLE_INTERVAL_NS = 1_000_000_000;
    /** Many threads live no longer: so long their calls are timed exactly even where ticks time them. */
    static final long YOUNG_NS = 2_000_000;
    /** How often the anchor interval of folded calls doubles at most. */
    static final int MAX_WIDENING = 6;
    static final long FLUSH_LIMIT_MS = 5_000;
    static final long STOP_LIMIT_MS = 10_000;
    /** Records of the process as a whole that wait for the writer. */
    static final int RECORD_BYTES = 4 << 20;
    /** Anchors that a thread may have ahead of its time. */
    static final int CREDITS = 256;

    /** The sampler and the ticker each take at most one of so many parts of a core: two percent. */
    static final int CORE_SHARE = 50;
    /** A counter that fails so often in a row is read no more. */
    static final int MOST_FAILURES = 5;
    /** Threads whose schedstat stays open; further ones are opened each time (files that a process may open are limited). */
    static final int MOST_OPEN = 100;
    /** A name is read anew so often: threads are renamed soon after their start, later hardly ever. */
    static final int NAME_EVERY = 16;
    /** In place of a tick's time: none has been seen. */
    static final long NO_TICK = Long.MIN_VALUE;
    /** The ticker measures its cost once in so many ticks. */
    static final int COST_EVERY = 64;
    /** A line of the log, how much goes to it without a rest of so long, and how often it may refuse a line. */
    static final int PART_CHARS = 3000;
    static final int PACE_CHARS = 32 << 10;
    static final int PACE_MS = 5;
    static final int TRIES = 20;

    private Limits() {}
}
