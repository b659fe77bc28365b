package org.example.game.play;

import org.example.game.math.Vec2;

/** Chases the hero whenever it sees him and is not tired. */
final class Hunter implements Brain {
  private static final float SIGHT = 120f;

  @Override
  public Mood decide(Monster monster, Vec2 hero) {
    boolean sees = monster.position.distance(hero) < SIGHT;
    boolean tired = monster.stamina <= 0 || (monster.mood == Mood.REST && monster.stamina < 20);
    if (tired) {
      return Mood.REST;
    }
    return sees ? Mood.CHASE : Mood.PATROL;
  }
}
