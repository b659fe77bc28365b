package org.example.game.play;

import java.util.ArrayList;
import java.util.List;
import org.example.game.level.Level;

/** A frame of the game. It passes all stages, belongs to one of them at a time, and is used again. */
final class Frame {
  /** The last frame: it ends each stage. */
  static final Frame END = new Frame();

  int number;
  final List<Tap> taps = new ArrayList<>();
  // Set by the level stage.
  Level level = Level.empty();
  final List<Route> routes = new ArrayList<>();
  // Set by the update stage.
  final Figures sprites = new Figures();
  final Figures particles = new Figures();
  final Figures bodies = new Figures();
  long score;

  void begin(int newNumber) {
    number = newNumber;
    taps.clear();
    routes.clear();
    sprites.clear();
    particles.clear();
    bodies.clear();
  }
}
