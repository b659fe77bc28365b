package org.example.game.render;

import java.util.HashMap;
import java.util.Map;

/** The widths of characters, and how they follow each other. */
public final class Font {
  private static final String CHARACTERS =
      " 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:;!?%+-*/()#";
  private static final String NARROW = " .,:;!il";
  private static final float HEIGHT = 10f;
  private static final float KERNING = -0.5f;

  private final Map<Character, Float> widths = new HashMap<>();

  public Font() {
    for (char character : CHARACTERS.toCharArray()) {
      widths.put(character, NARROW.indexOf(character) >= 0 ? 3f : 6f + character % 3);
    }
  }

  /** Returns the width of a text. Unknown characters have none. */
  public float width(String text) {
    float width = 0f;
    for (int i = 0; i < text.length(); i++) {
      width += advance(text, i);
    }
    return width;
  }

  /** Adds a quad for each character, from the left. */
  public void draw(String text, float left, float bottom, SpriteBatch batch) {
    float x = left;
    for (int i = 0; i < text.length(); i++) {
      float advance = advance(text, i);
      if (text.charAt(i) != ' ') {
        batch.add(x, bottom, advance, HEIGHT, text.charAt(i));
      }
      x += advance;
    }
  }

  private float advance(String text, int index) {
    Float width = widths.get(text.charAt(index));
    if (width == null) {
      return 0f;
    }
    boolean kerned = index > 0 && (text.charAt(index - 1) == 'T' || text.charAt(index - 1) == 'A');
    return kerned ? width + KERNING : width;
  }
}
