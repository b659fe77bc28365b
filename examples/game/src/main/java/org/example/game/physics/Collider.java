package org.example.game.physics;

/** A circle that can touch others. */
public interface Collider {
  float centerX();

  float centerY();

  float radius();
}
