package org.navitas.runtime;

import java.util.concurrent.locks.LockSupport;

/**
 * The background thread that advances a time that probes can read in a nanosecond. Its periods vary at random from half
 * to one and a half times their mean, so that they never align with a rhythm of the application. They widen so that
 * ticking uses at most two percent of a core. As a counter, it gives the number of ticks, the sum of their periods (ns)
 * and the sum of the squared periods (us²).
 */
final class Ticker extends FileSource implements Runnable {
    /** Time of the last tick. Volatile, so that no loop of the application keeps an old value in a register. */
    volatile long time;

    private final Platform platform;
    private final long periodNs;
    private int random;
    private long ticks;
    private long sum;
    private double squares;
    /** Whether the thread ends soon. */
    volatile boolean stopping;

    Ticker(Platform platform, long periodNs) {
        super(Format.TICKS, null);
        this.platform = platform;
        this.periodNs = periodNs;
        time = platform.nanoTime();
    }

    @Override
    public void run() {
        for (long costNs = 0; !stopping; ) {
            long before = platform.threadCpuNanos();
            for (int i = 0; i < Limits.COST_EVERY; i++) {
                long mean = Sampler.widened(periodNs, costNs);
                Thread.interrupted(); // the application cannot interrupt this thread on purpose
                LockSupport.parkNanos(this, mean / 2 + (random() * mean >>> 32));
                tick(platform.nanoTime());
            }
            costNs = (platform.threadCpuNanos() - before) / Limits.COST_EVERY;
        }
    }

    /** Returns 0 … 2^32 - 1, from a linear congruential generator; its high bits are used. */
    private long random() {
        random = random * 1664525 + 1013904223;
        return random & 0xffffffffL;
    }

    synchronized void tick(long now) {
        long period = now - time;
        ticks++;
        sum += period;
        squares += (double) period * period;
        time = now;
    }

    @Override
    synchronized void read(Bytes into) {
        into.utf8(ticks + " " + sum + " " + (long) (squares / 1e6));
    }
}
