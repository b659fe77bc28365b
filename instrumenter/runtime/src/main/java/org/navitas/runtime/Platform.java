package org.navitas.runtime;

/**
 * What the runtime asks of the machine below: clocks, identities, the log. A class rather than an interface because the
 * virtual machine resolves {@link #nanoTime} at compile time when only one implementation is loaded.
 */
abstract class Platform {
    /** CLOCK_MONOTONIC, ns. */
    long nanoTime() {
        return System.nanoTime();
    }

    /** CPU time of the calling thread, ns; -1 when this thread has none (a virtual thread). */
    abstract long threadCpuNanos();

    /** Kernel id of the calling thread, 0 when unknown. */
    abstract int threadId();

    /** Id of this process, 0 when unknown. */
    abstract int processId();

    /** CLOCK_BOOTTIME, ns; -1 when unknown. */
    abstract long bootNanos();

    /** CLOCK_REALTIME, ns. */
    abstract long realNanos();

    /**
     * Writes a line to the system log: a phone's, or on a JVM the virtual phone's, which brings its own
     * {@code android.util.Log}. False when the line was not taken and may be tried again; a LinkageError when there is no log.
     */
    boolean log(String line) {
        return android.util.Log.println(android.util.Log.INFO, "navitas", line) >= 0;
    }

    /**
     * Writes a line for the user to standard error, which is the log on Android. Programs read {@code code}, people
     * {@code text} and {@code cause} (docs/formats.md, Notes of the runtime).
     */
    static void note(String code, String text, Object cause) {
        System.err.println("navitas: [" + code + "] " + text + cause);
    }

    static Platform detect() {
        return "Dalvik".equals(System.getProperty("java.vm.name")) ? new AndroidPlatform() : new JvmPlatform();
    }
}
