package org.example.game.physics;

/** A ball with mass. */
public final class Body implements Collider {
  public double x;
  public double y;
  public double velocityX;
  public double velocityY;
  final double radius;
  final double mass;

  public Body(double x, double y, double radius) {
    this.x = x;
    this.y = y;
    this.radius = radius;
    mass = radius * radius;
  }

  public double energy() {
    return 0.5 * mass * (velocityX * velocityX + velocityY * velocityY);
  }

  @Override
  public float centerX() {
    return (float) x;
  }

  @Override
  public float centerY() {
    return (float) y;
  }

  @Override
  public float radius() {
    return (float) radius;
  }
}
