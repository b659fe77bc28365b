package org.example.game.action;

import org.example.game.math.Vec2;
import org.example.game.physics.Collider;

/** A character of the game. Actions move it; the screen shows it as a sprite. */
public final class Actor implements Collider {
  private static final float RADIUS = 6f;

  public final String name;
  public final Vec2 position;
  public float angle;
  public float scale = 1f;

  public Actor(String name, Vec2 position) {
    this.name = name;
    this.position = position;
  }

  @Override
  public float centerX() {
    return position.x;
  }

  @Override
  public float centerY() {
    return position.y;
  }

  @Override
  public float radius() {
    return RADIUS * scale;
  }
}
