package org.example.game.level;

/** The connected regions of a level's floor, as disjoint sets of tiles. */
public final class Regions {
  private final int[] parents;
  private final int[] sizes;

  public Regions(Level level) {
    int side = level.side();
    parents = new int[level.size()];
    sizes = new int[level.size()];
    for (int i = 0; i < parents.length; i++) {
      parents[i] = i;
      sizes[i] = level.isFloor(i) ? 1 : 0;
    }
    for (int row = 0; row < side; row++) {
      for (int column = 0; column < side; column++) {
        joinNeighbors(level, column, row);
      }
    }
  }

  private void joinNeighbors(Level level, int column, int row) {
    if (level.tile(column, row) == Level.WALL) {
      return;
    }
    int here = row * level.side() + column;
    if (level.tile(column + 1, row) == Level.FLOOR) {
      join(here, here + 1);
    }
    if (level.tile(column, row + 1) == Level.FLOOR) {
      join(here, here + level.side());
    }
  }

  private void join(int a, int b) {
    int first = of(a);
    int second = of(b);
    if (first == second) {
      return;
    }
    int larger = sizes[first] >= sizes[second] ? first : second;
    int smaller = larger == first ? second : first;
    parents[smaller] = larger;
    sizes[larger] += sizes[smaller];
  }

  /** Returns the number of the region that a tile belongs to. */
  public int of(int tile) {
    if (parents[tile] != tile) {
      parents[tile] = of(parents[tile]);
    }
    return parents[tile];
  }

  /** Returns the region with most tiles; -1 if there are no tiles. */
  public int largest() {
    int largest = -1;
    for (int i = 0; i < parents.length; i++) {
      if (parents[i] == i && (largest < 0 || sizes[i] > sizes[largest])) {
        largest = i;
      }
    }
    return largest;
  }
}
