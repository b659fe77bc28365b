package org.navitas.runtime;

/**
 * What the runtime needs from the operating system: clocks, ids and the log. A class rather than an interface: the
 * virtual machine resolves {@link #nanoTime} at compile time if only one implementation is loaded.
 */
abstract class Platform {
    /** Returns CLOCK_MONOTONIC in ns. */
    long nanoTime() {
        return System.nanoTime();
    }

    /** Returns the CPU time of the calling thread in ns, or -1 if it has no CPU clock (a virtual thread). */
    abstract long threadCpuNanos();

    /** Returns the CPU time of a live thread in ns, or -1 if unknown. */
    long cpuNanosOf(Thread thread) {
        return -1;
    }

    /** Returns the id of the kernel thread that runs this code, or 0 if unknown. For a virtual thread, that is its carrier's. */
    abstract int threadId();

    /** Returns the id of this process, or 0 if unknown. */
    abstract int processId();

    /** Returns the uid under which the system counts this process's traffic, or -1 if there is none. */
    abstract int userId();

    /** Returns CLOCK_BOOTTIME in ns, or -1 if unknown. */
    abstract long bootNanos();

    /** Returns whether a TCP connection to an address of this device stays on it. */
    boolean staysOnDevice(int localPort, int remotePort) {
        return true;
    }

    /** Returns CLOCK_REALTIME in ns. */
    abstract long realNanos();

    /**
     * Writes a line to the system log. On a JVM, that is the log of the virtual phone, which provides its own {@code
     * android.util.Log}. Returns false if the line was refused and can be tried again. Throws a LinkageError if there
     * is no log.
     */
    boolean log(String line) {
        return android.util.Log.println(android.util.Log.INFO, "navitas", line) >= 0;
    }

    /**
     * Writes a line for the user to standard error, which is the log on Android. {@code code} is for programs; {@code
     * text} and {@code cause} are for people (docs/dev/formats.md, Notes of the runtime).
     */
    static void note(String code, String text, Object cause) {
        System.err.println("navitas: [" + code + "] " + text + cause);
    }

    static Platform detect() {
        return "Dalvik".equals(System.getProperty("java.vm.name")) ? new AndroidPlatform() : new JvmPlatform();
    }
}
