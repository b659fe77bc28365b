package org.example.game.play;

import org.example.game.math.Vec2;

/** Stays near its home, and flees if the hero comes too near. */
final class Guard implements Brain {
  private static final float SIGHT = 80f;
  private static final float FEAR = 25f;
  private static final float RANGE = 100f;

  @Override
  public Mood decide(Monster monster, Vec2 hero) {
    float distance = monster.position.distance(hero);
    boolean isFar = monster.position.distance(monster.home) > RANGE;
    if (distance < FEAR && monster.stamina > 0) {
      return Mood.FLEE;
    }
    if (distance < SIGHT && !isFar && monster.stamina > 10) {
      return Mood.CHASE;
    }
    return isFar || monster.stamina > 30 ? Mood.PATROL : Mood.REST;
  }
}
