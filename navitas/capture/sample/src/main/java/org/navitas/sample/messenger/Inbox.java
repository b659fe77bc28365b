package org.navitas.sample.messenger;

import java.util.concurrent.atomic.AtomicReference;

/** An inbox for messages. There are two ways to wait for a message. They take equal time but different energy. */
public final class Inbox {
  private final AtomicReference<String> message = new AtomicReference<>();

  /**
   * Adds a message and wakes all waiting threads.
   *
   * @param text the message
   */
  public synchronized void deliver(String text) {
    message.set(text);
    notifyAll();
  }

  /**
   * Polls until a message arrives.
   *
   * @return the message
   */
  public String pollForMessage() {
    String text = message.getAndSet(null);
    while (text == null) {
      text = message.getAndSet(null);
    }
    return text;
  }

  /**
   * Sleeps until a message arrives.
   *
   * @return the message
   * @throws InterruptedException if the thread is interrupted
   */
  public synchronized String waitForMessage() throws InterruptedException {
    String text = message.getAndSet(null);
    while (text == null) {
      wait();
      text = message.getAndSet(null);
    }
    return text;
  }
}
