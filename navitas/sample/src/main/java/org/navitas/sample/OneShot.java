package org.navitas.sample;

/** A task so short that its thread lives less long than any sampling interval. */
public final class OneShot implements Runnable {
  private static final int ROUNDS = 20_000;

  private long result;

  @Override
  public void run() {
    long value = 1;
    for (int i = 0; i < ROUNDS; i++) {
      value = value * 31 + i;
    }
    result = value;
  }

  /** What the task computed; 0 before it ran. */
  public long result() {
    return result;
  }
}
