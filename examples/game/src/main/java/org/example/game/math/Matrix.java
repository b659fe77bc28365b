package org.example.game.math;

/** A 4 × 4 matrix in column order, as OpenGL has it. */
public final class Matrix {
  private static final int SIZE = 4;

  private final float[] cells = new float[SIZE * SIZE];

  public Matrix() {
    setIdentity();
  }

  public Matrix setIdentity() {
    for (int i = 0; i < cells.length; i++) {
      cells[i] = i % (SIZE + 1) == 0 ? 1f : 0f;
    }
    return this;
  }

  /** Sets this to: scale, then rotate by {@code angle} radians, then move. */
  public Matrix setTransform(Vec2 position, float angle, float scale) {
    setIdentity();
    float cos = (float) Math.cos(angle) * scale;
    float sin = (float) Math.sin(angle) * scale;
    cells[0] = cos;
    cells[1] = sin;
    cells[4] = -sin;
    cells[5] = cos;
    cells[12] = position.x;
    cells[13] = position.y;
    return this;
  }

  /** Sets this to {@code left} · {@code right}. Neither may be this matrix. */
  public Matrix setProduct(Matrix left, Matrix right) {
    for (int column = 0; column < SIZE; column++) {
      for (int row = 0; row < SIZE; row++) {
        float sum = 0f;
        for (int i = 0; i < SIZE; i++) {
          sum += left.cells[i * SIZE + row] * right.cells[column * SIZE + i];
        }
        cells[column * SIZE + row] = sum;
      }
    }
    return this;
  }

  public float mapX(float x, float y) {
    return cells[0] * x + cells[4] * y + cells[12];
  }

  public float mapY(float x, float y) {
    return cells[1] * x + cells[5] * y + cells[13];
  }
}
