package org.example.game.math;

/** Random numbers (xorshift64*). The same seed gives the same numbers everywhere. */
public final class Rng {
  private static final long MULTIPLIER = 0x2545F4914F6CDD1DL;
  private static final float FLOAT_STEP = 1f / (1 << 24);

  private long state;

  public Rng(long seed) {
    state = (seed * 0x9E3779B97F4A7C15L) | 1;
    next();
  }

  private int next() {
    state ^= state >>> 12;
    state ^= state << 25;
    state ^= state >>> 27;
    return (int) ((state * MULTIPLIER) >>> 32);
  }

  /** Returns a number from 0 to {@code bound} - 1; 0 if there is none. */
  public int nextInt(int bound) {
    return bound <= 1 ? 0 : (next() >>> 1) % bound;
  }

  /** Returns a number in [0, 1). */
  public float nextFloat() {
    return (next() >>> 8) * FLOAT_STEP;
  }

  public float between(float low, float high) {
    return low + (high - low) * nextFloat();
  }

  public Vec2 pointIn(Rect field) {
    return new Vec2(between(field.left, field.right), between(field.bottom, field.top));
  }
}
