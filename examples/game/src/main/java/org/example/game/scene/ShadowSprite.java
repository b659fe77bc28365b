package org.example.game.scene;

import org.example.game.math.Matrix;
import org.example.game.render.SpriteBatch;

/** A sprite that casts a shadow. */
public final class ShadowSprite extends Sprite {
  private static final float SHADOW = 0.25f;

  public ShadowSprite(float width, float height) {
    super(width, height);
  }

  @Override
  protected void draw(Matrix place, SpriteBatch batch) {
    batch.add(place, width * 1.1f, height * 0.5f, SHADOW);
    super.draw(place, batch);
  }
}
