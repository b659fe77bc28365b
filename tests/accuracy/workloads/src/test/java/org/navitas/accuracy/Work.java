package org.navitas.accuracy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The operations of the workloads. */
final class Work {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static volatile long sink;

    private Work() {}

    /** Uses this CPU time on the calling thread. */
    static void burn(long cpuMillis) {
        long end = THREADS.getCurrentThreadCpuTime() + cpuMillis * 1_000_000;
        long x = 1;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 20_000; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
        }
        sink = x;
    }

    static void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /** Runs all in parallel and waits for their end. */
    static void together(Runnable... parts) throws InterruptedException {
        Thread[] threads = new Thread[parts.length];
        for (int i = 0; i < parts.length; i++) {
            threads[i] = new Thread(parts[i], "worker-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
