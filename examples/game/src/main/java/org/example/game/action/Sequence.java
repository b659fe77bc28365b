package org.example.game.action;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/** Actions one after another. */
public final class Sequence implements Action {
  private final Deque<Action> rest;

  public Sequence(Collection<? extends Action> actions) {
    rest = new ArrayDeque<>(actions);
  }

  @Override
  public boolean advance(Actor actor, float seconds) {
    Action first = rest.peek();
    if (first != null && first.advance(actor, seconds)) {
      rest.remove();
    }
    return rest.isEmpty();
  }
}
