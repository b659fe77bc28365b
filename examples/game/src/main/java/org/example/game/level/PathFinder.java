package org.example.game.level;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/** Finds shortest paths on a level (A*), and straightens them. */
public final class PathFinder {
  private static final int STRAIGHT = 10;
  private static final int DIAGONAL = 14;
  private static final int[] COLUMNS = {1, 0, -1, 0, 1, -1, -1, 1};
  private static final int[] ROWS = {0, 1, 0, -1, 1, 1, -1, -1};

  private final Level level;

  public PathFinder(Level level) {
    this.level = level;
  }

  /** Returns the tiles from {@code start} to {@code goal}, both included; none if there is no way. */
  public List<Integer> find(int start, int goal) {
    if (!level.isFloor(start) || !level.isFloor(goal)) {
      return Collections.emptyList();
    }
    int[] costs = new int[level.size()];
    Arrays.fill(costs, Integer.MAX_VALUE);
    PriorityQueue<PathStep> open = new PriorityQueue<>();
    costs[start] = 0;
    open.add(new PathStep(start, 0, estimate(start, goal), null));
    while (!open.isEmpty()) {
      PathStep step = open.remove();
      if (step.tile == goal) {
        return path(step);
      }
      if (step.cost == costs[step.tile]) {
        expand(step, goal, costs, open);
      }
    }
    return Collections.emptyList();
  }

  private void expand(PathStep step, int goal, int[] costs, PriorityQueue<PathStep> open) {
    int column = step.tile % level.side();
    int row = step.tile / level.side();
    for (int i = 0; i < COLUMNS.length; i++) {
      int x = column + COLUMNS[i];
      int y = row + ROWS[i];
      boolean diagonal = COLUMNS[i] != 0 && ROWS[i] != 0;
      if (level.tile(x, y) == Level.WALL
          || (diagonal && (level.tile(x, row) == Level.WALL || level.tile(column, y) == Level.WALL))) {
        continue;
      }
      int tile = y * level.side() + x;
      int cost = step.cost + (diagonal ? DIAGONAL : STRAIGHT);
      if (cost < costs[tile]) {
        costs[tile] = cost;
        open.add(new PathStep(tile, cost, cost + estimate(tile, goal), step));
      }
    }
  }

  private int estimate(int from, int to) {
    int columns = Math.abs(from % level.side() - to % level.side());
    int rows = Math.abs(from / level.side() - to / level.side());
    int diagonals = Math.min(columns, rows);
    return DIAGONAL * diagonals + STRAIGHT * (Math.max(columns, rows) - diagonals);
  }

  private static List<Integer> path(PathStep last) {
    List<Integer> tiles = new ArrayList<>();
    for (PathStep step = last; step != null; step = step.before) {
      tiles.add(step.tile);
    }
    Collections.reverse(tiles);
    return tiles;
  }

  /** Returns the tiles of a path where it has to turn, and its last one. */
  public List<Integer> straighten(List<Integer> path) {
    List<Integer> corners = new ArrayList<>();
    int from = 0;
    while (from < path.size() - 1) {
      int to = from + 1;
      while (to + 1 < path.size() && sees(path.get(from), path.get(to + 1))) {
        to++;
      }
      corners.add(path.get(to));
      from = to;
    }
    return corners;
  }

  /** Returns whether no wall is between two tiles, along Bresenham's line. */
  boolean sees(int from, int to) {
    int x = from % level.side();
    int y = from / level.side();
    int endX = to % level.side();
    int endY = to / level.side();
    int width = Math.abs(endX - x);
    int height = -Math.abs(endY - y);
    int stepX = x < endX ? 1 : -1;
    int stepY = y < endY ? 1 : -1;
    int error = width + height;
    while (x != endX || y != endY) {
      if (level.tile(x, y) == Level.WALL) {
        return false;
      }
      int twice = 2 * error;
      if (twice >= height) {
        error += height;
        x += stepX;
      }
      if (twice <= width) {
        error += width;
        y += stepY;
      }
    }
    return true;
  }
}
