package org.navitas.runtime;

/**
 * What instrumented methods call. Never blocks, and throws nothing but the stack overflow that the application is about to
 * meet; without a configuration each call costs the test of a static final field.
 *
 * <p>A method id is 0 … 4 194 303 (22 bits). Every {@link #enter} is followed, on the same thread, by exactly one
 * {@link #exit} or {@link #thrown} with the same id, unless it throws: then the call does not begin. An exit that is missed
 * (by a stack overflow inside a probe) is recorded with the next exit of an enclosing method.
 */
public final class Probe {
    static final Recorder RECORDER = Recorder.start();
    /** Null unless calls are recorded. A constant of its own: each load on the way to a thread's recorder costs time. */
    private static final Threads THREADS = RECORDER == null || RECORDER.settings.unprobed ? null : RECORDER.threads;
    private static final Ticker TICKER = RECORDER == null ? null : RECORDER.ticker;
    private static final Platform CLOCK = RECORDER == null ? null : RECORDER.platform;

    private Probe() {}

    /** The method has been entered. */
    public static void enter(int method) {
        if (TICKER != null) {
            THREADS.current().tickedEnter(method, TICKER.time);
        } else if (THREADS != null) {
            THREADS.current().enter(method, CLOCK);
        }
    }

    /** A suspended call of the method goes on; ends like an {@link #enter}ed one. */
    public static void resume(int method) {
        if (THREADS != null) {
            THREADS.current().resume(method);
        }
    }

    /** The method of a state machine has been entered: its first state begins a call, the others continue one. */
    public static void enter(int method, int state) {
        if (state == 0) {
            enter(method);
        } else {
            resume(method);
        }
    }

    /** The method returns. */
    public static void exit(int method) {
        leave(method, Format.EXIT);
    }

    /** The method ends by an exception. */
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
