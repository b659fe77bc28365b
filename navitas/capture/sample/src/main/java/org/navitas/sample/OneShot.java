package org.navitas.sample;

/** A short task, whose thread ends before the next sample. */
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

  /**
   * Returns the result of the task.
   *
   * @return the result, or 0 before the task has run
   */
  public long result() {
    return result;
  }
}
