package org.navitas.sample.experiments;

/** A {@link Runnable} as a class of its own (Listing 1 of the Navitas paper). */
public class TaskClass implements Runnable {
  @Override
  public void run() {
    Payload.run();
  }
}
