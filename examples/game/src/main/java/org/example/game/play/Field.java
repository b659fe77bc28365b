package org.example.game.play;

import org.example.game.math.Rect;

/** The field that the screen shows. */
final class Field {
  static final Rect SCREEN = new Rect(0f, 0f, 480f, 320f);

  private Field() {}
}
