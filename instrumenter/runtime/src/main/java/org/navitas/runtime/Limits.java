package org.navitas.runtime;

/**
 * Limits for memory and time of a recording. Contains only constants, which the compiler inlines, so the jar does not
 * contain this class.
 *
 * <p>With 512 event buffers (16 MiB), all pools and call trees together use at most 37 MiB. In addition, each thread,
 * also a virtual one, uses about 4 KB while it lives, plus four bytes for each level of its stack. A carrier of virtual
 * threads uses up to 4 MiB.
 */
final class Limits {
    static final int MOST_EVENT_BUFFERS = 512;
    static final int LEAST_EVENT_BUFFERS = 32;
    /** For logcat, which is slow, so that folding begins in time. */
    static final int LOGCAT_EVENT_BUFFERS = 64;

    static final int EVENT_WORDS = 4096;
    static final int ANCHOR_WORDS = 256;
    static final int FOLD_WORDS = 512;
    static final int HOOK_WORDS = 640;
    /** Anchor buffers and folded-call buffers for each event buffer. */
    static final int ANCHOR_BUFFERS = 4;

    static final int FOLD_BUFFERS = 2;
    static final int HOOK_BUFFERS = 1;
    /** For each event buffer: nodes of all call trees, and rows in large buffers. */
    static final int NODES = 256;

    /**
     * Minimum for each thread: as many anchors as most threads need, so that any number of short threads has anchors.
     */
    static final int OWN_ANCHOR_WORDS = 16;

    static final int OWN_NODES = 64;
    /** Maximum for each thread. */
    static final int THREAD_NODES = 1 << 14;

    static final int STACK = 1 << 16;

    /** The most counters of a method. */
    static final int COUNTERS = 8192;
    /** Bytes of all threads' counters: this share of the memory, and this at most. */
    static final int COUNTER_SHARE = 16;

    static final long COUNTER_BYTES = 64 << 20;
    /** Threads whose counters are found at once; a power of two. */
    static final int FOUND_THREADS = 1 << 10;
    /** Methods whose counters new threads get before they call them. */
    static final int METHODS_IN_ADVANCE = 1 << 11;
    /** Lookups of other threads' counters after which one of these threads is found at once. */
    static final int LOOKUPS = 64;

    /** Active threads that are found without a table lookup, besides the first one. */
    static final int PLACES = 8;
    /** Number of new threads that wakes the writer: it recycles buffers of many short threads before the next flush. */
    static final int WAKE_EVERY = 64;

    /** Time between two readings of all clocks. */
    static final long TRIPLE_INTERVAL_NS = 1_000_000_000;
    /** A thread's calls are timed exactly for this long, even in tick mode: many threads live no longer. */
    static final long YOUNG_NS = 2_000_000;
    /** Maximum number of times that the anchor interval of folded calls doubles. */
    static final int MAX_WIDENING = 6;
    /** The runtime's own threads, by number. */
    static final int START_THREAD = 0,
            WRITER_THREAD = 1,
            TICKER_THREAD = 2,
            SAMPLER_THREAD = 3,
            END_THREAD = 4,
            THREADS = 5;
    /** How long probes wait for the start. Android calls an app unresponsive if its main thread takes 5 s for an input. */
    static final long START_LIMIT_MS = 3_000;
    /** Time between two looks whether the start must be tried again. */
    static final long START_STEP_MS = 50;

    static final long FLUSH_LIMIT_MS = 5_000;
    static final long LAST_READING_LIMIT_NS = 500_000_000;
    static final long LAST_READING_STEP_NS = 1_000_000;
    static final long STOP_LIMIT_MS = 10_000;
    /** Bytes of process-wide records that wait for the writer. */
    static final int RECORD_BYTES = 4 << 20;
    /** Those of the mounts on one carrier. */
    static final int MOUNT_BYTES = 1 << 20;
    /** Anchors that a thread can record before they are due. */
    static final int CREDITS = 256;

    /** The sampler and the ticker each use at most 1 / 50 of a core: two percent. */
    static final int CORE_SHARE = 50;
    /** A counter that fails this many times in a row is no longer read. */
    static final int MOST_FAILURES = 5;
    /** Time after which the system has counted the packets of calls that have returned. */
    static final long LATE_PACKETS_NS = 50_000_000;
    /**
     * Time between two requests for power monitors. With a permission of Android 17, Android has new readings after 250
     * ms, otherwise after 20 s.
     */
    static final long FINE_MONITORS_NS = 260_000_000;

    static final long MONITORS_NS = 1_000_000_000;
    /**
     * How long the sampler waits for the last reading of power monitors, and until it looks for the first one again; and
     * after how long a request without an answer is repeated.
     */
    static final long LAST_MONITORS_NS = 100_000_000;

    static final long ANSWER_NS = 10_000_000_000L;
    /** Power monitors that are read, and characters of their names. */
    static final int MOST_MONITORS = 256;

    static final int MONITOR_NAME = 64;
    /**
     * Threads whose schedstat stays open. Others are opened each time, since a process can open a limited number of
     * files.
     */
    static final int MOST_OPEN = 100;
    /**
     * Readings between two readings of a thread's name: threads are renamed soon after their start, and rarely later.
     */
    static final int NAME_EVERY = 16;
    /** Replaces a tick's time if there was no tick yet. */
    static final long NO_TICK = Long.MIN_VALUE;
    /** Ticks between two measurements of the ticker's cost. */
    static final int COST_EVERY = 64;
    /**
     * Length of a log line in characters, characters between two pauses, the length of a pause, and tries for a line.
     */
    static final int PART_CHARS = 3000;

    static final int PACE_CHARS = 32 << 10;
    static final int PACE_MS = 5;
    static final int TRIES = 20;

    private Limits() {}
}
