package org.example.game.play;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.example.game.action.Action;
import org.example.game.action.ActionRunner;
import org.example.game.action.Actor;
import org.example.game.action.Easing;
import org.example.game.action.MoveTo;
import org.example.game.action.Sequence;
import org.example.game.action.TurnBy;
import org.example.game.math.Rng;
import org.example.game.math.Vec2;
import org.example.game.particle.Particle;
import org.example.game.particle.ParticleSystem;
import org.example.game.physics.Body;
import org.example.game.physics.Collider;
import org.example.game.physics.CollisionGrid;
import org.example.game.physics.PhysicsWorld;

/** Moves everything: actions of sprites, particles, balls and monsters. Counts scores and saves the game. */
final class UpdateStage extends Stage {
  private static final float SPEED = 160f;
  private static final float SHORTEST_MOVE = 0.05f;
  private static final float CELL = 16f;
  private static final int REASONS = 50;

  private final Settings settings;
  private final Rng sparks;
  private final Rng probes;
  private final Rng coins;
  private final List<Actor> actors = new ArrayList<>();
  private final List<Monster> monsters = new ArrayList<>();
  private final ActionRunner runner = new ActionRunner();
  private final ParticleSystem particles;
  private final PhysicsWorld world;
  private final CollisionGrid grid = new CollisionGrid(CELL);
  private final ScoreBoard board = new ScoreBoard();
  private long hits;
  private long saved;

  UpdateStage(Settings settings, BlockingQueue<Frame> in, BlockingQueue<Frame> out) {
    super(in, out);
    this.settings = settings;
    sparks = settings.random("sparks");
    probes = settings.random("probes");
    coins = settings.random("coins");
    particles = new ParticleSystem(settings.random("particles"));
    world = new PhysicsWorld(Field.SCREEN, settings.bodies, settings.random("bodies"));
    Rng places = settings.random("places");
    for (int i = 0; i < settings.sprites; i++) {
      actors.add(new Actor("hero-" + i, places.pointIn(Field.SCREEN)));
    }
    Rng homes = settings.random("homes");
    for (int i = 0; i < settings.monsters; i++) {
      monsters.add(new Monster(homes.pointIn(Field.SCREEN), i % 2 == 0 ? new Hunter() : new Guard()));
    }
  }

  @Override
  protected void process(Frame frame) {
    for (Route route : frame.routes) {
      start(route);
    }
    particles.burst(sparks.pointIn(Field.SCREEN), settings.particles);
    moveActors();
    particles.advance(FRAME_SECONDS);
    world.advance(FRAME_SECONDS);
    probe();
    act();
    award(frame.number);
    for (int due = settings.due(settings.saves, frame.number); due > 0; due--) {
      save();
    }
    show(frame);
  }

  /** Lets an actor follow a route, corner by corner, and turn meanwhile. */
  private void start(Route route) {
    particles.burst(route.tap.point, settings.particles);
    if (actors.isEmpty()) {
      return;
    }
    Actor actor = actors.get(route.tap.number % actors.size());
    runner.stop(actor);
    List<Action> moves = new ArrayList<>();
    Vec2 from = actor.position;
    for (Vec2 corner : route.corners) {
      float duration = Math.max(SHORTEST_MOVE, from.distance(corner) / SPEED);
      moves.add(new MoveTo(corner, duration, Easing.of(route.tap.number)));
      from = corner;
    }
    runner.run(actor, new Sequence(moves));
    runner.run(actor, new TurnBy((float) Math.PI, 1f, Easing.of(route.tap.number + 1)));
  }

  /** Moves actors by their actions. Some easings pass their target, so keep all on the screen. */
  private void moveActors() {
    runner.advance(FRAME_SECONDS);
    for (Actor actor : actors) {
      actor.position.clamp(Field.SCREEN);
    }
  }

  /** Looks for what is near random points. */
  private void probe() {
    if (settings.probes == 0) {
      return;
    }
    grid.clear();
    for (Actor actor : actors) {
      grid.add(actor);
    }
    for (Body body : world.bodies()) {
      grid.add(body);
    }
    for (int i = 0; i < settings.probes; i++) {
      Vec2 point = probes.pointIn(Field.SCREEN);
      for (Collider collider : grid.touching(point.x, point.y, CELL)) {
        hits += collider.radius() > 4f ? 2 : 1;
      }
    }
  }

  private void act() {
    Vec2 hero = actors.isEmpty() ? new Vec2(0f, 0f) : actors.get(0).position;
    for (Monster monster : monsters) {
      if (monster.act(hero)) {
        board.award("caught", -1);
      }
    }
  }

  private void award(int frame) {
    for (int i = 0; i < settings.scores; i++) {
      int number = coins.nextInt(REASONS);
      board.award("coin-" + number, 5 + number % 7);
    }
    if (settings.scores > 0 && frame % 10 == 0) {
      board.award(board.best(1).get(0), 1);
    }
  }

  private void save() {
    SaveGame game = new SaveGame();
    for (Actor actor : actors) {
      game.write(actor);
    }
    for (Body body : world.bodies()) {
      game.write(body);
    }
    saved += SaveGame.load(game.text());
  }

  /** Copies into the frame what is to be drawn. */
  private void show(Frame frame) {
    for (Actor actor : actors) {
      frame.sprites.add(actor.position.x, actor.position.y, actor.angle);
      frame.sprites.add(actor.scale);
    }
    for (Particle particle : particles.live()) {
      frame.particles.add(particle.x, particle.y, particle.size);
    }
    for (Body body : world.bodies()) {
      frame.bodies.add(body.centerX(), body.centerY(), body.radius());
    }
    frame.score = board.total();
  }

  List<Actor> actors() {
    return actors;
  }

  PhysicsWorld world() {
    return world;
  }

  long hits() {
    return hits;
  }

  long saved() {
    return saved;
  }
}
