package org.example.game.play;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * "Click & Move": sprites move to where the player taps. Each frame passes three stages with a thread
 * each: level, update and render. So the stages work on three different frames at the same time.
 */
public final class Game {
  private static final int FRAMES_UNDER_WAY = 3;

  private final Settings settings;

  public Game(Settings settings) {
    this.settings = settings;
  }

  /** Plays the whole game. Throws IllegalStateException if one of its stages fails. */
  public Result play() throws InterruptedException {
    BlockingQueue<Frame> free = new ArrayBlockingQueue<>(FRAMES_UNDER_WAY + 1);
    BlockingQueue<Frame> begun = new ArrayBlockingQueue<>(1);
    BlockingQueue<Frame> routed = new ArrayBlockingQueue<>(1);
    BlockingQueue<Frame> updated = new ArrayBlockingQueue<>(1);
    LevelStage level = new LevelStage(settings, begun, routed);
    UpdateStage update = new UpdateStage(settings, routed, updated);
    RenderStage render = new RenderStage(settings, updated, free);
    Thread[] threads = {
      new Thread(level, "game-level"), new Thread(update, "game-update"), new Thread(render, "game-render")
    };
    for (Thread thread : threads) {
      thread.start();
    }
    for (int i = 0; i < FRAMES_UNDER_WAY; i++) {
      free.put(new Frame());
    }
    feed(free, begun);
    for (Thread thread : threads) {
      thread.join();
    }
    for (Stage stage : new Stage[] {level, update, render}) {
      if (stage.failure() != null) {
        throw new IllegalStateException("a stage of the game failed", stage.failure());
      }
    }
    return new Result(level, update, render);
  }

  private void feed(BlockingQueue<Frame> free, BlockingQueue<Frame> begun) throws InterruptedException {
    Player player = new Player(settings);
    for (int number = 0; number < settings.frames; number++) {
      Frame frame = free.take();
      frame.begin(number);
      frame.taps.addAll(player.tap(number));
      begun.put(frame);
    }
    begun.put(Frame.END);
  }
}
