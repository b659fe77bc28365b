package org.example.game;

import org.example.game.play.Settings;

/** Reads the inputs of a test: system properties such as {@code game.frames}. */
final class Inputs {
  private static final String PREFIX = "game.";

  private Inputs() {}

  static Settings settings() {
    return new Settings(Inputs::number);
  }

  private static int number(String name, int byDefault) {
    String text = System.getProperty(PREFIX + name);
    int number = text == null ? byDefault : Integer.parseInt(text);
    if (number < 0) {
      throw new IllegalArgumentException(PREFIX + name + " is less than 0");
    }
    return number;
  }
}
