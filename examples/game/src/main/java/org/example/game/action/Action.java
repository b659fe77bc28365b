package org.example.game.action;

/** A change of an actor that takes time. */
public interface Action {
  /** Advances by {@code seconds}, which is more than 0. Returns whether the action has ended. */
  boolean advance(Actor actor, float seconds);
}
