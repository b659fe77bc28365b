package org.example.game.particle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.example.game.math.Rng;
import org.example.game.math.Vec2;

/** All particles on the screen. Those that have faded are used again. */
public final class ParticleSystem {
  private static final float GRAVITY = -90f;
  private static final float DRAG = 0.985f;

  private final Rng random;
  private final List<Particle> live = new ArrayList<>();
  private final Deque<Particle> spare = new ArrayDeque<>();

  public ParticleSystem(Rng random) {
    this.random = random;
  }

  /** Emits particles at a point, in all directions. */
  public void burst(Vec2 center, int count) {
    for (int i = 0; i < count; i++) {
      Particle particle = spare.isEmpty() ? new Particle() : spare.pop();
      double direction = random.nextFloat() * 2.0 * Math.PI;
      float speed = random.between(20f, 120f);
      particle.x = center.x;
      particle.y = center.y;
      particle.velocityX = speed * (float) Math.cos(direction);
      particle.velocityY = speed * (float) Math.sin(direction);
      particle.size = random.between(1f, 4f);
      particle.life = random.between(0.1f, 0.5f);
      particle.fading = particle.size / particle.life;
      particle.spin = random.between(-3f, 3f);
      live.add(particle);
    }
  }

  public void advance(float seconds) {
    int kept = 0;
    for (int i = 0; i < live.size(); i++) {
      Particle particle = live.get(i);
      if (particle.fly(seconds, GRAVITY, DRAG)) {
        live.set(kept++, particle);
      } else {
        spare.push(particle);
      }
    }
    live.subList(kept, live.size()).clear();
  }

  /** Returns the visible particles. The list belongs to this system. */
  public List<Particle> live() {
    return live;
  }
}
