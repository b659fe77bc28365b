package org.example.game;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.example.game.action.Actor;
import org.example.game.math.Vec2;
import org.example.game.play.SaveGame;
import org.example.game.play.ScoreBoard;
import org.example.game.render.TextFormat;
import org.junit.Test;

public class TextTest {
  @Test
  public void scoresAndTimes() {
    assertEquals("1,234,567", TextFormat.score(1234567));
    assertEquals("-40", TextFormat.score(-40));
    assertEquals("1:02.50", TextFormat.time(62.5f));
  }

  @Test
  public void bestComesFirst() {
    ScoreBoard board = new ScoreBoard();
    board.award("coin", 5);
    board.award("key", 7);
    board.award("coin", 5);
    assertEquals("[coin, key]", board.best(5).toString());
    assertEquals(17, board.total());
  }

  @Test
  public void savedGameIsChecked() {
    SaveGame game = new SaveGame();
    game.write(new Actor("hero", new Vec2(1.5f, 2f)));
    assertEquals(350, SaveGame.load(game.text()));
    assertThrows(IllegalArgumentException.class, () -> SaveGame.load(game.text().replace("150", "151")));
  }
}
