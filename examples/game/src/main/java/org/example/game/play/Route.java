package org.example.game.play;

import java.util.List;
import org.example.game.math.Vec2;

/** The way to a tap, corner by corner. The last corner is the tap's point. */
final class Route {
  final Tap tap;
  final List<Vec2> corners;

  Route(Tap tap, List<Vec2> corners) {
    this.tap = tap;
    this.corners = corners;
  }
}
