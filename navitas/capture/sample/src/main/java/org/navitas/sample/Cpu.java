package org.navitas.sample;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Uses the CPU for a known time. The thread's CPU clock measures the time, so other threads and processes only increase
 * the wall time.
 */
public final class Cpu {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ROUNDS_BETWEEN_READINGS = 50_000;

  /** Prevents the compiler from removing the arithmetic. */
  private static volatile long sink;

  private Cpu() {}

  /**
   * Keeps the calling thread busy until it has used the given CPU time.
   *
   * @param millis the CPU time in milliseconds
   */
  public static void burnMillis(long millis) {
    long end = THREADS.getCurrentThreadCpuTime() + millis * 1_000_000L;
    long value = sink;
    while (THREADS.getCurrentThreadCpuTime() < end) {
      for (int i = 0; i < ROUNDS_BETWEEN_READINGS; i++) {
        value = value * 6364136223846793005L + 1442695040888963407L;
      }
    }
    sink = value;
  }

  /**
   * Sleeps until {@link System#nanoTime()} has reached the deadline.
   *
   * @param deadlineNanos the deadline
   */
  public static void sleepUntil(long deadlineNanos) {
    for (long left = deadlineNanos - System.nanoTime(); left > 0; left = deadlineNanos - System.nanoTime()) {
      sleepNanos(left);
    }
  }

  private static void sleepNanos(long nanos) {
    try {
      Thread.sleep(nanos / 1_000_000L, (int) (nanos % 1_000_000L));
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while sleeping", e);
    }
  }
}
