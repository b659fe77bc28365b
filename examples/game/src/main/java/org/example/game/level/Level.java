package org.example.game.level;

import org.example.game.math.Rect;
import org.example.game.math.Vec2;

/** A square map of tiles, row by row. Levels do not change after the generator has made them. */
public final class Level {
  public static final int FLOOR = 0;
  public static final int WALL = 1;

  private final int side;
  private final int[] tiles;

  public Level(int side, int[] tiles) {
    this.side = side;
    this.tiles = tiles;
  }

  /** Returns a level without tiles. */
  public static Level empty() {
    return new Level(0, new int[0]);
  }

  public int side() {
    return side;
  }

  public int size() {
    return tiles.length;
  }

  public boolean isInside(int column, int row) {
    return column >= 0 && row >= 0 && column < side && row < side;
  }

  /** Returns a tile; outside of the map, everything is a wall. */
  public int tile(int column, int row) {
    return isInside(column, row) ? tiles[row * side + column] : WALL;
  }

  public boolean isFloor(int index) {
    return tiles[index] == FLOOR;
  }

  /** Returns the number of the tile at a point of the field. The level must have tiles. */
  public int indexAt(Vec2 point, Rect field) {
    int column = (int) ((point.x - field.left) / field.width() * side);
    int row = (int) ((point.y - field.bottom) / field.height() * side);
    return Math.min(side - 1, Math.max(0, row)) * side + Math.min(side - 1, Math.max(0, column));
  }

  /** Returns the center of a tile on the field. */
  public Vec2 center(int index, Rect field) {
    float column = index % side + 0.5f;
    float row = index / side + 0.5f;
    return new Vec2(
        field.left + column * field.width() / side, field.bottom + row * field.height() / side);
  }
}
