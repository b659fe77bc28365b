package org.example.game.render;

import java.nio.FloatBuffer;
import org.example.game.math.Matrix;

/** Collects the corners of quads in a buffer, as a graphics library would draw them. */
public final class SpriteBatch {
  private static final int CORNERS = 4;
  private static final int FLOATS = 5;
  private static final int QUAD = CORNERS * FLOATS;

  private final FloatBuffer buffer;
  private long quads;
  private long checksum;
  private int flushes;

  public SpriteBatch(int capacity) {
    buffer = FloatBuffer.allocate(capacity * QUAD);
  }

  /** Adds a quad around the origin of {@code matrix}. {@code shade} is its color. */
  public void add(Matrix matrix, float width, float height, float shade) {
    float x = width / 2;
    float y = height / 2;
    makeRoom();
    corner(matrix.mapX(-x, -y), matrix.mapY(-x, -y), 0f, 0f, shade);
    corner(matrix.mapX(x, -y), matrix.mapY(x, -y), 1f, 0f, shade);
    corner(matrix.mapX(x, y), matrix.mapY(x, y), 1f, 1f, shade);
    corner(matrix.mapX(-x, y), matrix.mapY(-x, y), 0f, 1f, shade);
    quads++;
  }

  /** Adds a quad with sides parallel to the screen's. */
  public void add(float left, float bottom, float width, float height, float shade) {
    makeRoom();
    corner(left, bottom, 0f, 0f, shade);
    corner(left + width, bottom, 1f, 0f, shade);
    corner(left + width, bottom + height, 1f, 1f, shade);
    corner(left, bottom + height, 0f, 1f, shade);
    quads++;
  }

  private void makeRoom() {
    if (buffer.remaining() < QUAD) {
      flush();
    }
  }

  private void corner(float x, float y, float u, float v, float shade) {
    buffer.put(x);
    buffer.put(y);
    buffer.put(u);
    buffer.put(v);
    buffer.put(shade);
  }

  /** Draws what was added: here, adds the first corner of each quad to the checksum. */
  public void flush() {
    int end = buffer.position();
    for (int at = 0; at < end; at += QUAD) {
      buffer.position(at);
      int bits = Float.floatToIntBits(buffer.get()) ^ Float.floatToIntBits(buffer.get());
      checksum = checksum * 31 + bits;
    }
    buffer.clear();
    flushes++;
  }

  public long quads() {
    return quads;
  }

  public int flushes() {
    return flushes;
  }

  /** Returns a number that depends on the place and order of all quads that were flushed. */
  public long checksum() {
    return checksum;
  }
}
