package org.example.game.math;

/** A mutable vector in the plane. Methods that change it return it, so that calls can be chained. */
public final class Vec2 {
  public float x;
  public float y;

  public Vec2(float x, float y) {
    this.x = x;
    this.y = y;
  }

  public Vec2 set(float newX, float newY) {
    x = newX;
    y = newY;
    return this;
  }

  public Vec2 set(Vec2 other) {
    return set(other.x, other.y);
  }

  public Vec2 add(float dx, float dy) {
    x += dx;
    y += dy;
    return this;
  }

  public Vec2 scale(float factor) {
    x *= factor;
    y *= factor;
    return this;
  }

  /** Moves this vector onto the line from {@code from} to {@code to}: 0 is {@code from}, 1 is {@code to}. */
  public Vec2 interpolate(Vec2 from, Vec2 to, float position) {
    x = from.x + (to.x - from.x) * position;
    y = from.y + (to.y - from.y) * position;
    return this;
  }

  public float length() {
    return (float) Math.sqrt(x * x + y * y);
  }

  public float distance(Vec2 other) {
    float dx = x - other.x;
    float dy = y - other.y;
    return (float) Math.sqrt(dx * dx + dy * dy);
  }

  /** Keeps both coordinates within {@code field}. */
  public Vec2 clamp(Rect field) {
    x = Math.max(field.left, Math.min(field.right, x));
    y = Math.max(field.bottom, Math.min(field.top, y));
    return this;
  }
}
