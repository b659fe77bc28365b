package org.example.game.play;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.example.game.level.Level;
import org.example.game.level.LevelGenerator;
import org.example.game.level.PathFinder;
import org.example.game.math.Rng;
import org.example.game.math.Vec2;

/** Generates levels, and finds the ways of sprites and patrols on them. */
final class LevelStage extends Stage {
  private final Settings settings;
  private final Rng patrols;
  private final LevelGenerator generator;
  private final Vec2[] places;
  private Level level = Level.empty();
  private PathFinder finder = new PathFinder(level);
  private long steps;

  LevelStage(Settings settings, BlockingQueue<Frame> in, BlockingQueue<Frame> out) {
    super(in, out);
    this.settings = settings;
    patrols = settings.random("patrols");
    generator = new LevelGenerator(settings.random("levels"));
    places = new Vec2[Math.max(1, settings.sprites)];
  }

  @Override
  protected void process(Frame frame) {
    for (int due = settings.due(settings.levels, frame.number); due > 0; due--) {
      level = generator.generate(settings.tiles);
      finder = new PathFinder(level);
    }
    frame.level = level;
    for (Tap tap : frame.taps) {
      frame.routes.add(route(tap));
    }
    for (int i = 0; i < settings.paths; i++) {
      patrol();
    }
  }

  private Route route(Tap tap) {
    int sprite = tap.number % places.length;
    Vec2 from = places[sprite];
    List<Vec2> corners = new ArrayList<>();
    if (from != null && level.size() > 0) {
      int start = floorNear(level.indexAt(from, Field.SCREEN));
      int goal = floorNear(level.indexAt(tap.point, Field.SCREEN));
      for (int corner : finder.straighten(finder.find(start, goal))) {
        corners.add(level.center(corner, Field.SCREEN));
      }
    }
    corners.add(tap.point);
    places[sprite] = tap.point;
    return new Route(tap, corners);
  }

  /** Finds the way of a patrol between two places, and straightens it. */
  private void patrol() {
    if (level.size() == 0) {
      return;
    }
    int start = floorNear(patrols.nextInt(level.size()));
    int goal = floorNear(patrols.nextInt(level.size()));
    List<Integer> path = finder.find(start, goal);
    steps += path.size() + finder.straighten(path).size();
  }

  /** Returns the first floor tile from {@code tile} on; {@code tile} if there is none. */
  private int floorNear(int tile) {
    for (int i = 0; i < level.size(); i++) {
      int near = (tile + i) % level.size();
      if (level.isFloor(near)) {
        return near;
      }
    }
    return tile;
  }

  long steps() {
    return steps;
  }
}
