package org.example.game.play;

import java.util.concurrent.BlockingQueue;

/** A part of the game with its own thread. It takes frames from a queue, and hands them to the next. */
abstract class Stage implements Runnable {
  static final float FRAME_SECONDS = 1f / 30;

  private final BlockingQueue<Frame> in;
  private final BlockingQueue<Frame> out;
  private Throwable failure;

  Stage(BlockingQueue<Frame> in, BlockingQueue<Frame> out) {
    this.in = in;
    this.out = out;
  }

  /** Works on frames until the last one. After a failure, frames pass unchanged: no other stage waits. */
  @Override
  public final void run() {
    try {
      Frame frame = in.take();
      while (frame != Frame.END) {
        if (failure == null) {
          work(frame);
        }
        out.put(frame);
        frame = in.take();
      }
      out.put(Frame.END);
    } catch (InterruptedException e) {
      failure = e;
    }
  }

  private void work(Frame frame) {
    try {
      process(frame);
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Does this stage's part of a frame. */
  protected abstract void process(Frame frame);

  /** Returns why this stage has failed, or null. Call it after its thread has ended. */
  final Throwable failure() {
    return failure;
  }
}
