package org.example.game.math;

/** A rectangle with its sides parallel to the axes. */
public final class Rect {
  public final float left;
  public final float bottom;
  public final float right;
  public final float top;

  public Rect(float left, float bottom, float right, float top) {
    this.left = left;
    this.bottom = bottom;
    this.right = right;
    this.top = top;
  }

  public float width() {
    return right - left;
  }

  public float height() {
    return top - bottom;
  }

  public boolean contains(Vec2 point) {
    return point.x >= left && point.x <= right && point.y >= bottom && point.y <= top;
  }
}
