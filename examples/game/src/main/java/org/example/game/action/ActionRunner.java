package org.example.game.action;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Runs the actions of all actors, in the order in which they were added. */
public final class ActionRunner {
  private static final class Running {
    final Actor actor;
    final Action action;

    Running(Actor actor, Action action) {
      this.actor = actor;
      this.action = action;
    }
  }

  private final List<Running> running = new ArrayList<>();

  public void run(Actor actor, Action action) {
    running.add(new Running(actor, action));
  }

  /** Ends the actions of an actor where they are. */
  public void stop(Actor actor) {
    for (Iterator<Running> all = running.iterator(); all.hasNext(); ) {
      if (all.next().actor == actor) {
        all.remove();
      }
    }
  }

  public void advance(float seconds) {
    for (Iterator<Running> all = running.iterator(); all.hasNext(); ) {
      Running each = all.next();
      if (each.action.advance(each.actor, seconds)) {
        all.remove();
      }
    }
  }

  public int count() {
    return running.size();
  }
}
