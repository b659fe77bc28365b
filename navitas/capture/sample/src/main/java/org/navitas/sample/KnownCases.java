package org.navitas.sample;

/** Methods with known CPU times, and therefore known energy ratios. */
public final class KnownCases {
  /** Wall time of {@link #quarterLoad} and {@link #threeQuarterLoad}. */
  private static final long LOAD_WALL_NANOS = 2_200_000_000L;

  private KnownCases() {}

  /** Uses 1000 ms of CPU time in nested calls: self times of 200 ms (outer), 300 ms (middle) and 500 ms (inner). */
  public static void outer() {
    Cpu.burnMillis(200);
    middle();
  }

  static void middle() {
    Cpu.burnMillis(300);
    inner();
  }

  static void inner() {
    Cpu.burnMillis(500);
  }

  /**
   * Calls itself and uses 100 ms of CPU time in each call. Inclusive energy counts recursive calls once.
   *
   * @param depth the number of nested calls
   * @return the number of nested calls
   */
  public static int recurse(int depth) {
    Cpu.burnMillis(100);
    return depth <= 1 ? 1 : 1 + recurse(depth - 1);
  }

  /**
   * Uses 300 ms of CPU time in each of three nested calls, which end by one exception.
   *
   * @throws IllegalStateException always
   */
  public static void top() {
    Cpu.burnMillis(300);
    between();
  }

  static void between() {
    Cpu.burnMillis(300);
    bottom();
  }

  static void bottom() {
    Cpu.burnMillis(300);
    throw new IllegalStateException("thrown at the bottom");
  }

  /** Uses 1200 ms of CPU time. */
  public static void busy() {
    Cpu.burnMillis(1200);
  }

  /** Takes 1200 ms and uses almost no CPU time. */
  public static void sleeping() {
    Cpu.sleepUntil(System.nanoTime() + 1_200_000_000L);
  }

  /** Uses 500 ms of CPU time within 2.2 s. */
  public static void quarterLoad() {
    long deadline = System.nanoTime() + LOAD_WALL_NANOS;
    Cpu.burnMillis(500);
    Cpu.sleepUntil(deadline);
  }

  /** Uses 1500 ms of CPU time within 2.2 s: three times that of {@link #quarterLoad}. */
  public static void threeQuarterLoad() {
    long deadline = System.nanoTime() + LOAD_WALL_NANOS;
    Cpu.burnMillis(1500);
    Cpu.sleepUntil(deadline);
  }
}
