package org.navitas.sample.experiments;

/** A {@link Runnable} as a separate class (Listing 1 of the Navitas paper). */
public class TaskClass implements Runnable {
  @Override
  public void run() {
    Payload.run();
  }
}
