package org.navitas.sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import org.junit.Test;

/** Tests with known energy ratios; see {@link KnownCases}. */
public class KnownCasesTest {
  private static final int ONE_SHOT_THREADS = 20_000;

  @Test
  public void nestedCalls() {
    KnownCases.outer();
  }

  @Test
  public void recursion() {
    assertEquals(10, KnownCases.recurse(10));
  }

  @Test
  public void exceptionThroughThreeFrames() {
    try {
      KnownCases.top();
      fail("no exception");
    } catch (IllegalStateException e) {
      assertEquals("thrown at the bottom", e.getMessage());
    }
  }

  @Test
  public void twoBusyThreads() throws InterruptedException {
    runAtOnce(new Thread(KnownCases::busy, "busy-1"), new Thread(KnownCases::busy, "busy-2"));
  }

  @Test
  public void sleepingAndBusyThread() throws InterruptedException {
    runAtOnce(new Thread(KnownCases::sleeping, "sleeping"), new Thread(KnownCases::busy, "busy"));
  }

  @Test
  public void equalTimeDifferentCpu() {
    KnownCases.quarterLoad();
    KnownCases.threeQuarterLoad();
  }

  @Test
  public void oneShotThreads() throws InterruptedException {
    long expected = 0;
    for (int i = 0; i < ONE_SHOT_THREADS; i++) {
      OneShot task = new OneShot();
      Thread thread = new Thread(task, "one-shot-" + i);
      thread.start();
      thread.join();
      expected = i == 0 ? task.result() : expected;
      assertEquals(expected, task.result());
    }
  }

  private static void runAtOnce(Thread... threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
