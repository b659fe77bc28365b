package org.navitas.runtime;

/**
 * What hooks record: calls of APIs that use a component of the device, and work that one thread hands to another.
 * Thread-safe. Throws nothing. Blocks only for {@link Start}. Without a configuration, each call costs one test of a static
 * field.
 *
 * <p>A hook calls {@link #begin}, then the API, then, in any case, {@link #end} with the same number.
 */
public final class Hook {
    /** Kinds of uses that move bytes, which are the amount. */
    public static final int NET_READ = 1,
            NET_WRITE = 2,
            FILE_READ = 3,
            FILE_WRITE = 4,
            FILE_SYNC = 5,
            DATABASE = 6,
            PREFERENCES = 7,
            LOOPBACK_READ = 8,
            LOOPBACK_WRITE = 9;
    /** Kinds of uses that start, and stop with {@link #STOP}. */
    public static final int GNSS = 16,
            CAMERA = 17,
            FLASHLIGHT = 18,
            BLUETOOTH_SCAN = 19,
            BLUETOOTH_LINK = 20,
            AUDIO = 21,
            VIDEO = 22,
            SENSOR = 23,
            WAKE_LOCK = 24,
            WIFI_LOCK = 25,
            WIFI_SCAN = 26;
    /** The flag of a use that stops. */
    public static final int STOP = 1;
    /** The amount of a call that throws. */
    public static final long FAILED = Long.MIN_VALUE;

    private Hook() {}

    /** Returns whether hooks record. If not, what only a record needs can be left out. */
    public static boolean records() {
        return isStarted() && Running.HOOKS;
    }

    /**
     * Returns whether the runtime has started, and has initialized the tables of hooks. If not, hooks must not use those.
     */
    public static boolean isStarted() {
        return Probe.ready || Start.isReady();
    }

    /**
     * Returns whether a TCP connection to an address of this device stays on it. On a virtual phone, it
     * can take milliseconds, so ask once for each connection.
     *
     * @param localPort the port of this end, or 0 if unknown
     * @param remotePort the port of the other end
     */
    public static boolean staysOnDevice(int localPort, int remotePort) {
        return records() && Running.CLOCK.staysOnDevice(localPort, remotePort);
    }

    /**
     * Begins a call of an API.
     *
     * @param api the number of the API's method (docs/dev/formats.md)
     * @return the time, to be passed to {@link #end}
     */
    public static long begin(int api) {
        Probe.enter(Format.FIRST_API + api);
        return now();
    }

    /**
     * Ends a call. Records what it did; a call that throws used nothing.
     *
     * @param api the number of the API's method
     * @param start what {@link #begin} returned
     * @param kind what was used, such as {@link #NET_READ}
     * @param flags 0 or {@link #STOP}
     * @param amount bytes, or the current of a sensor in microamperes, or 0; {@link #FAILED} if the call throws
     * @param handle identifies the file, connection or device within the process
     */
    public static void end(int api, long start, int kind, int flags, long amount, long handle) {
        if (amount == FAILED) {
            Probe.thrown(Format.FIRST_API + api);
            return;
        }
        also(start, kind, flags, amount, handle);
        leave(api);
    }

    /**
     * Ends a call that used nothing, such as a release of a lock that is still held. Records nothing.
     *
     * @param api the number of the API's method
     */
    public static void leave(int api) {
        Probe.exit(Format.FIRST_API + api);
    }

    /**
     * Records a further use of a call that has not ended.
     *
     * @param start what {@link #begin} returned
     * @param kind what was used
     * @param flags 0 or {@link #STOP}
     * @param amount as for {@link #end}
     * @param handle as for {@link #end}
     */
    public static void also(long start, int kind, int flags, long amount, long handle) {
        if (records()) {
            Running.THREADS.current().hook(start, Running.CLOCK.nanoTime(), amount, flags << 16 | kind, handle);
        }
    }

    /**
     * Returns where the calling thread is: the origin of work that it hands to another thread.
     *
     * @return the thread's serial number, the time, and the node of its call; or null if nothing is recorded
     */
    public static long[] origin() {
        if (!records()) {
            return null;
        }
        ThreadRecorder origin = Running.THREADS.current();
        return new long[] {origin.serial, Running.CLOCK.nanoTime(), origin.node()};
    }

    /**
     * Returns the time at which handed work begins.
     *
     * @return nanoseconds, to be passed to {@link #handedOver}; 0 if nothing is recorded
     */
    public static long now() {
        return records() ? Running.CLOCK.nanoTime() : 0;
    }

    /**
     * Records that a component of the app sends something to a component, or receives it (docs/dev/formats.md).
     *
     * @param time from {@link #now}
     * @param token identifies what is sent; 0 for none
     * @param kindAndFlags the kind, and the flags in the upper 16 bits
     * @param periodMs the period of repetitions, or 0
     * @param module the component's class, or empty
     * @param target the receiving class if the sender names it, or empty
     * @param action the intent's action, or what takes its place, or empty
     */
    public static void communication(
            long time, long token, int kindAndFlags, long periodMs, String module, String target, String action) {
        if (records()) {
            Running.THREADS.current().communication(time, token, kindAndFlags, periodMs, module, target, action);
        }
    }

    /**
     * Records that the calling thread ran work of another thread.
     *
     * @param origin what {@link #origin} returned on the thread that handed it over, or null
     * @param start when it began, from {@link #now}
     */
    public static void handedOver(long[] origin, long start) {
        if (records() && origin != null) {
            Running.THREADS.current().handoff(start, Running.CLOCK.nanoTime(), origin);
        }
    }
}
