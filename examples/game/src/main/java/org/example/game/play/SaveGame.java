package org.example.game.play;

import org.example.game.action.Actor;
import org.example.game.physics.Body;

/** A saved game as text: a line for each object, and a checksum. */
public final class SaveGame {
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;
  private static final float PRECISION = 100f;

  private final StringBuilder text = new StringBuilder();

  public void write(Actor actor) {
    text.append("actor ").append(actor.name);
    number(actor.position.x);
    number(actor.position.y);
    text.append('\n');
  }

  public void write(Body body) {
    text.append("body ball");
    number((float) body.x);
    number((float) body.y);
    text.append('\n');
  }

  private void number(float value) {
    text.append(' ').append(Math.round(value * PRECISION));
  }

  /** Returns the whole text, with its checksum in the last line. */
  public String text() {
    return text + "sum " + checksum(text, text.length()) + "\n";
  }

  private static long checksum(CharSequence text, int length) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return hash;
  }

  /**
   * Reads a saved game. Returns the sum of all coordinates. Throws IllegalArgumentException if the
   * game is damaged.
   */
  public static long load(String saved) {
    int end = saved.lastIndexOf("sum ");
    if (end < 0 || checksum(saved, end) != Long.parseLong(saved.substring(end + 4).trim())) {
      throw new IllegalArgumentException("the saved game is damaged");
    }
    long sum = 0;
    int start = 0;
    while (start < end) {
      int newline = saved.indexOf('\n', start);
      String[] words = saved.substring(start, newline).split(" ");
      for (int i = 2; i < words.length; i++) {
        sum += Integer.parseInt(words[i]);
      }
      start = newline + 1;
    }
    return sum;
  }
}
