package org.navitas.runtime;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;

/** A JVM. Kernel thread ids are known on Linux only. */
@JvmOnly
final class JvmPlatform extends Platform {
    /** Made by the start of a recording, since not each JVM has the module, and processes that are not recorded do not need it. */
    private ThreadMXBean threads;

    @Override
    long threadCpuNanos() {
        if (threads == null) {
            threads = ManagementFactory.getThreadMXBean();
        }
        try {
            return threads.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return -1; // a virtual thread, or a JVM without thread clocks
        }
    }

    @Override
    long cpuNanosOf(Thread thread) {
        return threads.getThreadCpuTime(thread.getId());
    }

    /** Reads the first field of the thread's stat file, since older JVMs cache canonical paths. */
    @Override
    int threadId() {
        return leadingNumber(FileSource.text("/proc/thread-self/stat"));
    }

    @Override
    int processId() {
        int id = leadingNumber(FileSource.text("/proc/self/stat"));
        return id != 0 ? id : leadingNumber(ManagementFactory.getRuntimeMXBean().getName());
    }

    /** Only a virtual phone counts the traffic of uids. It sets the property. */
    @Override
    int userId() {
        return Integer.getInteger("navitas.uid", -1);
    }

    @Override
    long bootNanos() {
        return -1; // /proc/uptime has a resolution of 10 ms, too coarse to align clocks
    }

    /**
     * A virtual phone shares the computer's addresses: programs of the computer are other hosts to it. So the other end
     * must be a socket of this process, which the phone's own class finds out.
     */
    @Override
    boolean staysOnDevice(int localPort, int remotePort) {
        if (System.getProperty("navitas.sysRoot", "/").equals("/")) {
            return true;
        }
        try {
            Class<?> sockets = Class.forName("org.navitas.phone.OwnSockets");
            return (Boolean) sockets.getMethod("have", int.class, int.class).invoke(null, localPort, remotePort);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Resolution: microseconds from Java 9 on, milliseconds before. */
    @Override
    long realNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    private static int leadingNumber(String text) {
        int number = 0;
        for (int i = 0; i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9'; i++) {
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }
}
