package org.navitas.runtime;

/**
 * The probes that instrumented methods call. Thread-safe. Never blocks, and throws nothing except a stack overflow that
 * the application is about to cause. Without a configuration, each call costs one test of a static final field.
 *
 * <p>A method id is 0 … 4,194,303 (22 bits). Every {@link #enter} or {@link #resume} is followed, on the same thread,
 * by exactly one {@link #exit} or {@link #thrown} with the same id, unless it throws: then the call does not begin. If
 * an exit is missed (by a stack overflow inside a probe), it is recorded with the next exit of an enclosing method.
 */
public final class Probe {
    static final Recorder RECORDER = Recorder.start();
    /** Null unless calls are recorded. A separate constant, since each load before a thread's recorder costs time. */
    private static final Threads THREADS = RECORDER == null || RECORDER.settings.unprobed ? null : RECORDER.threads;
    private static final Ticker TICKER = RECORDER == null ? null : RECORDER.ticker;
    private static final Platform CLOCK = RECORDER == null ? null : RECORDER.platform;

    private Probe() {}

    /**
     * Records that a method was entered.
     *
     * @param method the method's id
     */
    public static void enter(int method) {
        if (TICKER != null) {
            THREADS.current().tickedEnter(method, TICKER.time);
        } else if (THREADS != null) {
            THREADS.current().enter(method, CLOCK);
        }
    }

    /**
     * Records that a suspended call resumes; it ends like an {@link #enter entered} call.
     *
     * @param method the method's id
     */
    public static void resume(int method) {
        if (THREADS != null) {
            THREADS.current().resume(method);
        }
    }

    /**
     * Records that the method of a state machine was entered. State 0 begins a call; any other state resumes one.
     *
     * @param method the method's id
     * @param state the state machine's label
     */
    public static void enter(int method, int state) {
        if (state == 0) {
            enter(method);
        } else {
            resume(method);
        }
    }

    /**
     * Records that a method returns.
     *
     * @param method the method's id
     */
    public static void exit(int method) {
        leave(method, Format.EXIT);
    }

    /**
     * Records that an exception ends a method.
     *
     * @param method the method's id
     */
    public static void thrown(int method) {
        leave(method, Format.THROW);
    }

    private static void leave(int method, long kind) {
        if (TICKER != null) {
            THREADS.current().tickedExit(method, kind, TICKER.time);
        } else if (THREADS != null) {
            THREADS.current().exit(method, kind, CLOCK);
        }
    }
}
