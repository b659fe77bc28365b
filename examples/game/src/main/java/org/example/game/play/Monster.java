package org.example.game.play;

import org.example.game.math.Vec2;

/** A creature that moves by its mood. */
final class Monster {
  private static final int FULL_STAMINA = 60;
  private static final float STEP = 2.5f;

  final Vec2 position;
  final Vec2 home;
  Mood mood = Mood.REST;
  int stamina = FULL_STAMINA;
  private final Brain brain;
  private float direction;

  Monster(Vec2 home, Brain brain) {
    this.home = home;
    this.brain = brain;
    position = new Vec2(home.x, home.y);
  }

  /** Lets the monster act for one frame. Returns whether it caught the hero. */
  boolean act(Vec2 hero) {
    mood = brain.decide(this, hero);
    switch (mood) {
      case CHASE:
        stamina -= 2;
        walk(hero, STEP);
        break;
      case FLEE:
        stamina -= 3;
        walk(hero, -STEP);
        break;
      case PATROL:
        stamina--;
        patrol();
        break;
      default:
        stamina = Math.min(FULL_STAMINA, stamina + 3);
        break;
    }
    position.clamp(Field.SCREEN);
    return mood == Mood.CHASE && position.distance(hero) < STEP;
  }

  private void patrol() {
    direction += 0.2f;
    position.add((float) Math.cos(direction), (float) Math.sin(direction));
    walk(home, STEP / 5);
  }

  /** Walks towards a point, or away from it if {@code step} is less than 0. */
  private void walk(Vec2 point, float step) {
    Vec2 way = new Vec2(point.x - position.x, point.y - position.y);
    float length = way.length();
    if (length > Math.abs(step)) {
      way.scale(step / length);
    }
    position.add(way.x, way.y);
  }
}
