package org.example.game.scene;

import org.example.game.math.Matrix;
import org.example.game.render.SpriteBatch;

/** A node with a picture. */
public class Sprite extends Node {
  protected final float width;
  protected final float height;

  public Sprite(float width, float height) {
    this.width = width;
    this.height = height;
  }

  @Override
  protected void draw(Matrix place, SpriteBatch batch) {
    batch.add(place, width, height, 1f);
  }
}
