package org.example.game.action;

/** Turns an actor, and lets it grow and shrink once. */
public final class TurnBy extends TimedAction {
  private static final float GROWTH = 0.4f;

  private final float turn;
  private float startAngle;

  public TurnBy(float turn, float duration, Easing easing) {
    super(duration, easing);
    this.turn = turn;
  }

  @Override
  protected void begin(Actor actor) {
    startAngle = actor.angle;
  }

  @Override
  protected void apply(Actor actor, float position) {
    actor.angle = startAngle + turn * position;
    actor.scale = 1f + GROWTH * (float) Math.sin(Math.PI * position);
  }
}
