package org.example.game;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.example.game.level.Level;
import org.example.game.level.LevelGenerator;
import org.example.game.level.PathFinder;
import org.example.game.level.Regions;
import org.example.game.math.Rng;
import org.junit.Test;

public class LevelTest {
  @Test
  public void floorIsConnected() {
    Level level = new LevelGenerator(new Rng(7)).generate(40);
    Regions regions = new Regions(level);
    int largest = regions.largest();
    for (int i = 0; i < level.size(); i++) {
      assertTrue(!level.isFloor(i) || regions.of(i) == largest);
    }
  }

  @Test
  public void smallLevelsCanBeGenerated() {
    for (int side = 0; side < 24; side++) {
      assertEquals(side * side, new LevelGenerator(new Rng(side)).generate(side).size());
    }
  }

  @Test
  public void pathLeadsAroundWalls() {
    PathFinder finder = new PathFinder(new Level(3, new int[] {0, 0, 0, 1, 1, 0, 0, 0, 0}));
    List<Integer> path = finder.find(0, 6);
    assertEquals(Arrays.asList(0, 1, 2, 5, 8, 7, 6), path);
    assertEquals(Arrays.asList(2, 8, 6), finder.straighten(path));
  }

  @Test
  public void noPathThroughWalls() {
    PathFinder finder = new PathFinder(new Level(2, new int[] {0, 1, 1, 0}));
    assertEquals(Collections.emptyList(), finder.find(0, 3));
    assertFalse(new Level(2, new int[] {0, 1, 1, 0}).isFloor(1));
  }
}
