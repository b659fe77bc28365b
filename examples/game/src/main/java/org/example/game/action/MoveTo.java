package org.example.game.action;

import org.example.game.math.Vec2;

/** Moves an actor to a target. */
public final class MoveTo extends TimedAction {
  private final Vec2 start = new Vec2(0f, 0f);
  private final Vec2 target;

  public MoveTo(Vec2 target, float duration, Easing easing) {
    super(duration, easing);
    this.target = target;
  }

  @Override
  protected void begin(Actor actor) {
    start.set(actor.position);
  }

  @Override
  protected void apply(Actor actor, float position) {
    actor.position.interpolate(start, target, position);
  }
}
