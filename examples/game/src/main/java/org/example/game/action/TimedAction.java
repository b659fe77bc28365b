package org.example.game.action;

/** An action with a fixed duration and an easing. */
abstract class TimedAction implements Action {
  private final float duration;
  private final Easing easing;
  private float elapsed;

  TimedAction(float duration, Easing easing) {
    this.duration = duration;
    this.easing = easing;
  }

  @Override
  public final boolean advance(Actor actor, float seconds) {
    if (elapsed == 0f) {
      begin(actor);
    }
    elapsed += seconds;
    boolean ended = elapsed >= duration;
    apply(actor, ended ? 1f : easing.at(elapsed / duration));
    return ended;
  }

  /** Reads where the actor is at the start. */
  protected abstract void begin(Actor actor);

  /** Sets the actor to a position between start (0) and end (1). */
  protected abstract void apply(Actor actor, float position);
}
