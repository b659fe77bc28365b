package org.navitas.runtime;

/**
 * The probes that instrumented methods call. Thread-safe. Throws nothing except a stack overflow that the application
 * is about to cause. Blocks only for {@link Start}. Without a configuration, each call costs one test of a static field.
 *
 * <p>A method id is 0 … 4,194,303 (22 bits). Every {@link #enter} or {@link #resume} is followed, on the same thread,
 * by exactly one {@link #exit} or {@link #thrown} with the same id, unless it throws: then the call does not begin. If
 * an exit is missed (by a stack overflow inside a probe), it is recorded with the next exit of an enclosing method.
 */
public final class Probe {
    /**
     * Whether {@link Running} can be used. Neither final nor volatile: this class must have no initializer, and a thread that
     * sees it late asks {@link Start}.
     */
    static boolean ready;

    private Probe() {}

    /**
     * Records that a method was entered.
     *
     * @param method the method's id
     */
    public static void enter(int method) {
        if (!ready && !Start.isReady()) {
            return;
        }
        if (Running.TICKER != null) {
            Running.THREADS.current().tickedEnter(method, Running.TICKER.time);
        } else if (Running.THREADS != null) {
            Running.THREADS.current().enter(method, Running.CLOCK);
        }
    }

    /**
     * Records that a suspended call resumes; it ends like an {@link #enter entered} call.
     *
     * @param method the method's id
     */
    public static void resume(int method) {
        if ((ready || Start.isReady()) && Running.THREADS != null) {
            Running.THREADS.current().resume(method);
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
        if (!ready) {
            return; // the entry, too, was not recorded
        }
        if (Running.TICKER != null) {
            Running.THREADS.current().tickedExit(method, kind, Running.TICKER.time);
        } else if (Running.THREADS != null) {
            Running.THREADS.current().exit(method, kind, Running.CLOCK);
        }
    }
}
