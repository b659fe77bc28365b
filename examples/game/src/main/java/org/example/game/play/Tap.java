package org.example.game.play;

import org.example.game.math.Vec2;

/** The player taps on the screen. Taps are numbered from 0. */
final class Tap {
  final int number;
  final Vec2 point;

  Tap(int number, Vec2 point) {
    this.number = number;
    this.point = point;
  }
}
