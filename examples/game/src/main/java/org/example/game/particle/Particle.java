package org.example.game.particle;

/** A spark that flies, falls and fades. */
public final class Particle {
  public float x;
  public float y;
  public float velocityX;
  public float velocityY;
  public float size;
  float life;
  float fading;
  float spin;

  /** Returns whether it is still visible. */
  boolean fly(float seconds, float gravity, float drag) {
    life -= seconds;
    if (life <= 0f) {
      return false;
    }
    velocityY += gravity * seconds;
    float swirl = spin * seconds;
    float turned = velocityX - velocityY * swirl;
    velocityY = (velocityY + velocityX * swirl) * drag;
    velocityX = turned * drag;
    x += velocityX * seconds;
    y += velocityY * seconds;
    size = Math.max(0f, size - fading * seconds);
    return true;
  }
}
