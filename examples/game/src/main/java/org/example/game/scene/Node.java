package org.example.game.scene;

import java.util.ArrayList;
import java.util.List;
import org.example.game.math.Matrix;
import org.example.game.math.Vec2;
import org.example.game.render.SpriteBatch;

/** A node of the scene graph. Its children move, turn and grow with it. */
public class Node {
  public final Vec2 position = new Vec2(0f, 0f);
  public float angle;
  public float scale = 1f;

  private final List<Node> children = new ArrayList<>();
  private final Matrix local = new Matrix();
  private final Matrix world = new Matrix();

  /** Adds a child, and returns it. */
  public final <T extends Node> T add(T child) {
    children.add(child);
    return child;
  }

  /** Draws this node and then its children. */
  public final void visit(Matrix parent, SpriteBatch batch) {
    local.setTransform(position, angle, scale);
    world.setProduct(parent, local);
    draw(world, batch);
    for (Node child : children) {
      child.visit(world, batch);
    }
  }

  /** Returns the number of nodes of this subtree. */
  public final int count() {
    int count = 1;
    for (Node child : children) {
      count += child.count();
    }
    return count;
  }

  /** Draws this node itself. A plain node is invisible. */
  protected void draw(Matrix place, SpriteBatch batch) {}
}
