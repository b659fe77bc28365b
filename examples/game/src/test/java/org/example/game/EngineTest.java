package org.example.game;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.example.game.action.ActionRunner;
import org.example.game.action.Actor;
import org.example.game.action.Easing;
import org.example.game.action.MoveTo;
import org.example.game.math.Matrix;
import org.example.game.math.Rect;
import org.example.game.math.Rng;
import org.example.game.math.Vec2;
import org.example.game.particle.ParticleSystem;
import org.example.game.physics.Body;
import org.example.game.physics.CollisionGrid;
import org.example.game.physics.PhysicsWorld;
import org.junit.Test;

/** The parts that move things. */
public class EngineTest {
  private static final float EXACT = 1e-5f;

  @Test
  public void easingsBeginAndEnd() {
    for (Easing easing : Easing.values()) {
      assertEquals(easing.name(), 0f, easing.at(0f), EXACT);
      assertEquals(easing.name(), 1f, easing.at(1f), EXACT);
    }
  }

  @Test
  public void moveEndsAtItsTarget() {
    Actor actor = new Actor("hero", new Vec2(0f, 0f));
    ActionRunner runner = new ActionRunner();
    runner.run(actor, new MoveTo(new Vec2(30f, 40f), 1f, Easing.LINEAR));
    runner.advance(0.5f);
    assertEquals(25f, actor.position.length(), EXACT);
    runner.advance(0.5f);
    assertEquals(50f, actor.position.length(), EXACT);
    assertEquals(0, runner.count());
  }

  @Test
  public void productMovesAfterTurning() {
    Matrix moved = new Matrix().setTransform(new Vec2(10f, 0f), 0f, 1f);
    Matrix turned = new Matrix().setTransform(new Vec2(0f, 0f), (float) Math.PI / 2, 2f);
    Matrix product = new Matrix().setProduct(moved, turned);
    assertEquals(10f, product.mapX(1f, 0f), EXACT);
    assertEquals(2f, product.mapY(1f, 0f), EXACT);
  }

  @Test
  public void particlesFade() {
    ParticleSystem particles = new ParticleSystem(new Rng(1));
    particles.burst(new Vec2(0f, 0f), 50);
    particles.advance(0.05f);
    assertEquals(50, particles.live().size());
    particles.advance(0.5f);
    assertTrue(particles.live().isEmpty());
  }

  @Test
  public void ballsLoseEnergyByBouncing() {
    PhysicsWorld world = new PhysicsWorld(new Rect(0f, 0f, 60f, 60f), 20, new Rng(3));
    double before = world.energy();
    for (int i = 0; i < 600; i++) {
      world.advance(0.02);
    }
    assertTrue(world.contacts() > 0);
    assertTrue(world.energy() < before);
  }

  @Test
  public void gridFindsWhatTouches() {
    CollisionGrid grid = new CollisionGrid(16f);
    Body near = new Body(10.0, -10.0, 4.0);
    grid.add(near);
    grid.add(new Body(40.0, 40.0, 4.0));
    assertEquals(1, grid.touching(0f, -10f, 8f).size());
    assertEquals(near, grid.touching(0f, -10f, 8f).get(0));
    assertTrue(grid.touching(0f, -10f, 6f).isEmpty());
  }
}
