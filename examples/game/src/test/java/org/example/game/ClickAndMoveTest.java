package org.example.game;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import org.example.game.play.Game;
import org.example.game.play.Result;
import org.example.game.play.Settings;
import org.junit.Test;

public class ClickAndMoveTest {
  @Test
  public void play() throws InterruptedException {
    Settings settings = Inputs.settings();
    Result result = new Game(settings).play();
    System.out.println(result);
    assertEquals(settings.frames, result.frames);
    assertEquals(settings.sprites, result.insideField);
    assertFalse(Double.isNaN(result.energy));
  }
}
