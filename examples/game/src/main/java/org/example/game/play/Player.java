package org.example.game.play;

import java.util.ArrayList;
import java.util.List;
import org.example.game.math.Rng;

/** Taps on random points of the screen, at regular times. */
final class Player {
  private final Settings settings;
  private final Rng random;
  private int taps;

  Player(Settings settings) {
    this.settings = settings;
    random = settings.random("taps");
  }

  /** Returns the taps of the next frame. */
  List<Tap> tap(int frame) {
    List<Tap> now = new ArrayList<>();
    for (int due = settings.due(settings.taps, frame); due > 0; due--) {
      now.add(new Tap(taps++, random.pointIn(Field.SCREEN)));
    }
    return now;
  }
}
