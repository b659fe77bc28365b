package org.example.game.play;

import java.util.function.ToIntBiFunction;
import org.example.game.math.Rng;

/** How much of everything a game contains. Each number may be 0. */
public final class Settings {
  /** Decides all random numbers. */
  public final int seed;
  public final int frames;
  /** Taps in the whole game. The sprites take turns to move to where the player taps. */
  public final int taps;
  public final int sprites;
  /** Chains of 12 nodes each in the scene graph. */
  public final int chains;
  /** New particles in each frame, and at each tap. */
  public final int particles;
  /** Tiles along each side of a level. */
  public final int tiles;
  /** Levels that are generated during the game. */
  public final int levels;
  /** Searches for a path in each frame, in addition to one for each tap. */
  public final int paths;
  /** Lines of text in each frame. */
  public final int labels;
  /** Balls of the physics simulation. */
  public final int bodies;
  /** Layers of background tiles that are drawn in each frame. */
  public final int batches;
  /** Queries of the collision grid in each frame. */
  public final int probes;
  public final int monsters;
  /** Entries of the score board in each frame. */
  public final int scores;
  /** How often the game is saved and loaded again. */
  public final int saves;

  /** {@code source} returns a number by its name, or the default that it is given. */
  public Settings(ToIntBiFunction<String, Integer> source) {
    seed = source.applyAsInt("seed", 1);
    frames = source.applyAsInt("frames", 60);
    taps = source.applyAsInt("taps", 60);
    sprites = source.applyAsInt("sprites", 60);
    chains = source.applyAsInt("chains", 6);
    particles = source.applyAsInt("particles", 20);
    tiles = source.applyAsInt("tiles", 40);
    levels = source.applyAsInt("levels", 4);
    paths = source.applyAsInt("paths", 4);
    labels = source.applyAsInt("labels", 6);
    bodies = source.applyAsInt("bodies", 60);
    batches = source.applyAsInt("batches", 6);
    probes = source.applyAsInt("probes", 40);
    monsters = source.applyAsInt("monsters", 60);
    scores = source.applyAsInt("scores", 20);
    saves = source.applyAsInt("saves", 12);
  }

  /** Returns the random numbers of a part of the game. So no part changes those of another. */
  Rng random(String part) {
    return new Rng(31L * seed + part.hashCode());
  }

  /** Returns how many of {@code total} events happen in a frame, if they are spread over all frames. */
  int due(int total, int frame) {
    return (int) ((frame + 1L) * total / frames - (long) frame * total / frames);
  }
}
