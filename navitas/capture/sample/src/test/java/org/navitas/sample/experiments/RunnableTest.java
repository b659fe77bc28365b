package org.navitas.sample.experiments;

import org.junit.Test;

/** First experiment of the Navitas paper (section V, Table I): a Runnable as a separate or as an anonymous class. */
public class RunnableTest {
  private static final int ITERATIONS = 100_000;

  @Test
  public void separateClass() throws InterruptedException {
    for (int i = 0; i < ITERATIONS; i++) {
      Thread thread = new Thread(new TaskClass());
      thread.start();
      thread.join();
    }
  }

  @Test
  public void anonymousClass() throws InterruptedException {
    for (int i = 0; i < ITERATIONS; i++) {
      Thread thread =
          new Thread(
              new Runnable() {
                @Override
                public void run() {
                  Payload.run();
                }
              });
      thread.start();
      thread.join();
    }
  }
}
