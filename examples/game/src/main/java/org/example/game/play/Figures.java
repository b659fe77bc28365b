package org.example.game.play;

import java.util.Arrays;

/** A list of floats that grows, and can be filled again without allocation. */
final class Figures {
  private float[] values = new float[64];
  private int size;

  void clear() {
    size = 0;
  }

  void add(float value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  void add(float first, float second, float third) {
    add(first);
    add(second);
    add(third);
  }

  float get(int index) {
    return values[index];
  }

  int size() {
    return size;
  }
}
