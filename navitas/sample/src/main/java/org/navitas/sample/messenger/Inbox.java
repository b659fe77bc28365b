package org.navitas.sample.messenger;

import java.util.concurrent.atomic.AtomicReference;

/** Where messages arrive. There are two ways to wait for one; a stopwatch shows no difference, a battery does. */
public final class Inbox {
  private final AtomicReference<String> message = new AtomicReference<>();

  /** Puts a message in and wakes all threads that wait for one. */
  public synchronized void deliver(String text) {
    message.set(text);
    notifyAll();
  }

  /** Polls until there is a message. */
  public String pollForMessage() {
    String text = message.getAndSet(null);
    while (text == null) {
      text = message.getAndSet(null);
    }
    return text;
  }

  /** Sleeps until a message is there. */
  public synchronized String waitForMessage() throws InterruptedException {
    String text = message.getAndSet(null);
    while (text == null) {
      wait();
      text = message.getAndSet(null);
    }
    return text;
  }
}
