package org.example.game.play;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.example.game.level.Level;
import org.example.game.math.Matrix;
import org.example.game.render.Font;
import org.example.game.render.SpriteBatch;
import org.example.game.render.TextFormat;
import org.example.game.scene.Chain;
import org.example.game.scene.Label;
import org.example.game.scene.Node;
import org.example.game.scene.ShadowSprite;
import org.example.game.scene.Sprite;

/** Draws frames: background, scene graph, balls, particles and texts. */
final class RenderStage extends Stage {
  private static final int BATCH_QUADS = 256;
  private static final int COLUMNS = 8;
  private static final int ROWS = 5;
  private static final float TILE = 64f;
  private static final float LINE = 12f;

  private final Settings settings;
  private final SpriteBatch batch = new SpriteBatch(BATCH_QUADS);
  private final Matrix camera = new Matrix();
  private final Node scene = new Node();
  private final List<Sprite> sprites = new ArrayList<>();
  private final List<Chain> chains = new ArrayList<>();
  private final List<Label> labels = new ArrayList<>();
  private int frames;

  RenderStage(Settings settings, BlockingQueue<Frame> in, BlockingQueue<Frame> out) {
    super(in, out);
    this.settings = settings;
    for (int i = 0; i < settings.sprites; i++) {
      sprites.add(scene.add(i % 3 == 0 ? new ShadowSprite(12f, 16f) : new Sprite(12f, 12f)));
    }
    for (int i = 0; i < settings.chains; i++) {
      Chain chain = scene.add(new Chain(12));
      chain.position.set(Field.SCREEN.width() * i / settings.chains, Field.SCREEN.top);
      chains.add(chain);
    }
    Font font = new Font();
    for (int i = 0; i < settings.labels; i++) {
      Label label = new Label(font);
      label.position.set(4f, Field.SCREEN.top - LINE * (i + 1));
      labels.add(scene.add(label));
    }
  }

  @Override
  protected void process(Frame frame) {
    float seconds = frame.number * FRAME_SECONDS;
    for (int i = 0; i < settings.batches; i++) {
      drawBackground(frame.level, i, seconds);
    }
    place(frame.sprites);
    for (Chain chain : chains) {
      chain.swing(seconds);
    }
    for (int i = 0; i < labels.size(); i++) {
      labels.get(i).setText(line(i, seconds, frame.score));
    }
    scene.visit(camera, batch);
    drawDots(frame.bodies, 1f);
    drawDots(frame.particles, 0.5f);
    batch.flush();
    frames++;
  }

  /** Draws a layer of the background. Layers that are farther away move slower. */
  private void drawBackground(Level level, int layer, float seconds) {
    float shift = seconds * 30f / (layer + 1);
    int first = (int) (shift / TILE);
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column <= COLUMNS; column++) {
        float left = (first + column) * TILE - shift;
        float shade = level.tile(first + column, row) == Level.WALL ? 0.2f : 0.8f;
        batch.add(left, row * TILE, TILE, TILE, shade / (layer + 1));
      }
    }
  }

  private void place(Figures figures) {
    int at = 0;
    for (Sprite sprite : sprites) {
      sprite.position.set(figures.get(at), figures.get(at + 1));
      sprite.angle = figures.get(at + 2);
      sprite.scale = figures.get(at + 3);
      at += 4;
    }
  }

  private void drawDots(Figures figures, float shade) {
    for (int at = 0; at < figures.size(); at += 3) {
      float size = 2f * figures.get(at + 2);
      batch.add(figures.get(at) - size / 2, figures.get(at + 1) - size / 2, size, size, shade);
    }
  }

  private static String line(int number, float seconds, long score) {
    switch (number % 3) {
      case 0:
        return "Score " + TextFormat.score(score * 1000);
      case 1:
        return "Time " + TextFormat.time(seconds);
      default:
        return "Level " + (number + 1) + ": go!";
    }
  }

  int frames() {
    return frames;
  }

  SpriteBatch batch() {
    return batch;
  }
}
