package org.example.game.physics;

import org.example.game.math.Rect;
import org.example.game.math.Rng;

/** Balls that fall, bounce off the walls of a field and off each other. */
public final class PhysicsWorld {
  private static final int STEPS = 2;
  private static final double GRAVITY = -60.0;
  private static final double BOUNCE = 0.9;

  private final Rect field;
  private final Body[] byLeft;
  private long contacts;

  public PhysicsWorld(Rect field, int count, Rng random) {
    this.field = field;
    byLeft = new Body[count];
    for (int i = 0; i < count; i++) {
      double radius = random.between(1.5f, 5f);
      Body body = new Body(
          random.between(field.left, field.right), random.between(field.bottom, field.top), radius);
      body.velocityX = random.between(-80f, 80f);
      body.velocityY = random.between(-80f, 80f);
      byLeft[i] = body;
    }
  }

  public void advance(double seconds) {
    double step = seconds / STEPS;
    for (int i = 0; i < STEPS; i++) {
      for (Body body : byLeft) {
        move(body, step);
      }
      sort();
      collide();
    }
  }

  private void move(Body body, double step) {
    body.x += body.velocityX * step;
    body.y += body.velocityY * step + 0.5 * GRAVITY * step * step;
    body.velocityY += GRAVITY * step;
    double left = field.left + body.radius;
    double right = field.right - body.radius;
    if (body.x < left || body.x > right) {
      body.x = body.x < left ? left : right;
      body.velocityX *= -BOUNCE;
    }
    double bottom = field.bottom + body.radius;
    double top = field.top - body.radius;
    if (body.y < bottom || body.y > top) {
      body.y = body.y < bottom ? bottom : top;
      body.velocityY *= -BOUNCE;
    }
  }

  /** Sorts bodies by their left side. They were almost in order, so insertion is fast. */
  private void sort() {
    for (int i = 1; i < byLeft.length; i++) {
      Body body = byLeft[i];
      double left = body.x - body.radius;
      int at = i;
      while (at > 0 && byLeft[at - 1].x - byLeft[at - 1].radius > left) {
        byLeft[at] = byLeft[at - 1];
        at--;
      }
      byLeft[at] = body;
    }
  }

  private void collide() {
    for (int i = 0; i < byLeft.length; i++) {
      Body body = byLeft[i];
      double right = body.x + body.radius;
      for (int j = i + 1; j < byLeft.length && byLeft[j].x - byLeft[j].radius <= right; j++) {
        collide(body, byLeft[j]);
      }
    }
  }

  private void collide(Body a, Body b) {
    double dx = b.x - a.x;
    double dy = b.y - a.y;
    double reach = a.radius + b.radius;
    double squared = dx * dx + dy * dy;
    if (squared >= reach * reach || squared == 0.0) {
      return;
    }
    contacts++;
    double distance = Math.sqrt(squared);
    double normalX = dx / distance;
    double normalY = dy / distance;
    double total = a.mass + b.mass;
    double overlap = reach - distance;
    a.x -= normalX * overlap * b.mass / total;
    a.y -= normalY * overlap * b.mass / total;
    b.x += normalX * overlap * a.mass / total;
    b.y += normalY * overlap * a.mass / total;
    double approach = (a.velocityX - b.velocityX) * normalX + (a.velocityY - b.velocityY) * normalY;
    if (approach > 0.0) {
      double impulse = (1.0 + BOUNCE) * approach / total;
      a.velocityX -= impulse * b.mass * normalX;
      a.velocityY -= impulse * b.mass * normalY;
      b.velocityX += impulse * a.mass * normalX;
      b.velocityY += impulse * a.mass * normalY;
    }
  }

  /** Returns all bodies, from left to right. The array belongs to this world. */
  public Body[] bodies() {
    return byLeft;
  }

  public long contacts() {
    return contacts;
  }

  public double energy() {
    double sum = 0.0;
    for (Body body : byLeft) {
      sum += body.energy();
    }
    return sum;
  }
}
