package org.example.game.level;

/** A tile on the way, with the cost to get there. Steps are ordered by their estimated total cost. */
final class PathStep implements Comparable<PathStep> {
  final int tile;
  final int cost;
  final int estimate;
  final PathStep before;

  PathStep(int tile, int cost, int estimate, PathStep before) {
    this.tile = tile;
    this.cost = cost;
    this.estimate = estimate;
    this.before = before;
  }

  @Override
  public int compareTo(PathStep other) {
    if (estimate != other.estimate) {
      return Integer.compare(estimate, other.estimate);
    }
    return cost != other.cost ? Integer.compare(other.cost, cost) : Integer.compare(tile, other.tile);
  }
}
