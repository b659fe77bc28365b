package org.example.game.scene;

import org.example.game.math.Matrix;
import org.example.game.render.Font;
import org.example.game.render.SpriteBatch;

/** A line of text. It moves with its parent, but does not turn. */
public final class Label extends Node {
  private final Font font;
  private String text = "";

  public Label(Font font) {
    this.font = font;
  }

  public void setText(String newText) {
    text = newText;
  }

  @Override
  protected void draw(Matrix place, SpriteBatch batch) {
    font.draw(text, place.mapX(0f, 0f), place.mapY(0f, 0f), batch);
  }
}
