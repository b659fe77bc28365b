package org.navitas.sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.navitas.sample.messenger.History;
import org.navitas.sample.messenger.Inbox;
import org.navitas.sample.messenger.Photos;

/**
 * Which method drains the battery? A messenger does three tasks, two of them in two ways. Compare the energy: polling
 * takes as long as waiting but uses a whole core. Building an index takes energy once; scanning takes it for each search.
 */
public class DemoTest {
  private static final long MESSAGE_AFTER_MILLIS = 1500;
  private static final int SEARCHES = 400;

  @Test
  public void newMessageByPolling() throws InterruptedException {
    Inbox inbox = new Inbox();
    Thread network = deliverLater(inbox);
    assertEquals("hello", inbox.pollForMessage());
    network.join();
  }

  @Test
  public void newMessageByWaiting() throws InterruptedException {
    Inbox inbox = new Inbox();
    Thread network = deliverLater(inbox);
    assertEquals("hello", inbox.waitForMessage());
    network.join();
  }

  @Test
  public void searchByScanning() {
    History history = new History(2_000);
    for (int i = 0; i < SEARCHES; i++) {
      assertTrue(history.scanFor("coffeetrain").size() > 100);
    }
  }

  @Test
  public void searchByIndex() {
    History history = new History(2_000);
    for (int i = 0; i < SEARCHES; i++) {
      assertTrue(history.lookUp("coffeetrain").size() > 100);
    }
  }

  @Test
  public void photoPreviewsOnTwoThreads() throws InterruptedException {
    assertTrue(Photos.previews(240, 2) > 0);
  }

  private static Thread deliverLater(Inbox inbox) {
    Thread network =
        new Thread(
            () -> {
              Cpu.sleepUntil(System.nanoTime() + MESSAGE_AFTER_MILLIS * 1_000_000L);
              inbox.deliver("hello");
            },
            "network");
    network.start();
    return network;
  }
}
