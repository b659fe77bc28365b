package org.example.game.level;

import java.util.Arrays;
import org.example.game.math.Rng;

/** Makes levels: caves with rooms in them, connected by corridors. */
public final class LevelGenerator {
  private static final int WALL_PERCENT = 44;
  private static final int PASSES = 3;
  private static final int SMALLEST_PART = 8;

  private final Rng random;
  private int side;
  private int[] tiles;

  public LevelGenerator(Rng random) {
    this.random = random;
  }

  public Level generate(int newSide) {
    side = newSide;
    tiles = new int[side * side];
    scatter();
    for (int pass = 0; pass < PASSES; pass++) {
      smooth();
    }
    if (side > 2) {
      divide(1, 1, side - 2, side - 2);
      closeBorder();
      connect();
    }
    return new Level(side, tiles);
  }

  private void scatter() {
    for (int i = 0; i < tiles.length; i++) {
      tiles[i] = random.nextInt(100) < WALL_PERCENT ? Level.WALL : Level.FLOOR;
    }
  }

  /** Makes walls where most of the neighbors are walls. */
  private void smooth() {
    int[] smoothed = new int[tiles.length];
    for (int row = 0; row < side; row++) {
      for (int column = 0; column < side; column++) {
        int walls = wallsAround(column, row);
        int here = tiles[row * side + column];
        boolean wall = walls > 4 || (walls == 4 && here == Level.WALL);
        smoothed[row * side + column] = wall ? Level.WALL : Level.FLOOR;
      }
    }
    tiles = smoothed;
  }

  private int wallsAround(int column, int row) {
    int walls = 0;
    for (int y = row - 1; y <= row + 1; y++) {
      for (int x = column - 1; x <= column + 1; x++) {
        if (x == column && y == row) {
          continue;
        }
        boolean outside = x < 0 || y < 0 || x >= side || y >= side;
        if (outside || tiles[y * side + x] == Level.WALL) {
          walls++;
        }
      }
    }
    return walls;
  }

  /** Divides a part of the map until it is small, digs a room in each, and joins both halves' centers. */
  private void divide(int left, int bottom, int width, int height) {
    if (width < 2 * SMALLEST_PART && height < 2 * SMALLEST_PART) {
      digRoom(left, bottom, width, height);
      return;
    }
    if (width >= height) {
      int cut = width / 2 + random.nextInt(SMALLEST_PART / 2);
      divide(left, bottom, cut, height);
      divide(left + cut, bottom, width - cut, height);
      digRow(left + cut / 2, left + cut + (width - cut) / 2, bottom + height / 2);
    } else {
      int cut = height / 2 + random.nextInt(SMALLEST_PART / 2);
      divide(left, bottom, width, cut);
      divide(left, bottom + cut, width, height - cut);
      digColumn(bottom + cut / 2, bottom + cut + (height - cut) / 2, left + width / 2);
    }
  }

  private void digRoom(int left, int bottom, int width, int height) {
    int roomWidth = width / 2 + random.nextInt(width / 2);
    int roomHeight = height / 2 + random.nextInt(height / 2);
    int roomLeft = left + (width - roomWidth) / 2;
    int roomBottom = bottom + (height - roomHeight) / 2;
    for (int row = roomBottom; row < roomBottom + roomHeight; row++) {
      int from = row * side + roomLeft;
      Arrays.fill(tiles, from, from + roomWidth, Level.FLOOR);
    }
  }

  private void digRow(int from, int to, int row) {
    for (int column = from; column <= to; column++) {
      tiles[row * side + column] = Level.FLOOR;
    }
  }

  private void digColumn(int from, int to, int column) {
    for (int row = from; row <= to; row++) {
      tiles[row * side + column] = Level.FLOOR;
    }
  }

  private void closeBorder() {
    for (int i = 0; i < side; i++) {
      tiles[i] = Level.WALL;
      tiles[(side - 1) * side + i] = Level.WALL;
      tiles[i * side] = Level.WALL;
      tiles[i * side + side - 1] = Level.WALL;
    }
  }

  /** Fills all caves except the largest one, so that every floor tile can be reached. */
  private void connect() {
    Regions regions = new Regions(new Level(side, tiles));
    int largest = regions.largest();
    for (int i = 0; i < tiles.length; i++) {
      if (tiles[i] == Level.FLOOR && regions.of(i) != largest) {
        tiles[i] = Level.WALL;
      }
    }
  }
}
