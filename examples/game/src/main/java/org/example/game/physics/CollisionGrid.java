package org.example.game.physics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Colliders by square cells of the plane, to find those near a point. */
public final class CollisionGrid {
  private static final int COLUMN_BITS = 12;

  private final float cellSize;
  private final Map<Integer, List<Collider>> cells = new HashMap<>();

  public CollisionGrid(float cellSize) {
    this.cellSize = cellSize;
  }

  public void clear() {
    for (List<Collider> cell : cells.values()) {
      cell.clear();
    }
  }

  public void add(Collider collider) {
    int key = key(cell(collider.centerX()), cell(collider.centerY()));
    List<Collider> cell = cells.get(key);
    if (cell == null) {
      cell = new ArrayList<>();
      cells.put(key, cell);
    }
    cell.add(collider);
  }

  /** Returns all colliders that touch a circle. None may be larger than a cell. */
  public List<Collider> touching(float x, float y, float radius) {
    List<Collider> found = new ArrayList<>();
    float reach = radius + cellSize;
    for (int row = cell(y - reach); row <= cell(y + reach); row++) {
      for (int column = cell(x - reach); column <= cell(x + reach); column++) {
        List<Collider> cell = cells.get(key(column, row));
        if (cell != null) {
          for (Collider collider : cell) {
            if (touches(collider, x, y, radius)) {
              found.add(collider);
            }
          }
        }
      }
    }
    return found;
  }

  private static boolean touches(Collider collider, float x, float y, float radius) {
    float dx = collider.centerX() - x;
    float dy = collider.centerY() - y;
    float reach = collider.radius() + radius;
    return dx * dx + dy * dy < reach * reach;
  }

  private int cell(float coordinate) {
    return (int) Math.floor(coordinate / cellSize);
  }

  private static int key(int column, int row) {
    return (row << COLUMN_BITS) + column;
  }
}
