package org.example.game.scene;

/** Links that hang from each other and swing, such as a rope or a tail. */
public final class Chain extends Node {
  private static final float LINK = 4f;

  private final Node[] links;

  public Chain(int length) {
    links = new Node[length];
    Node last = this;
    for (int i = 0; i < length; i++) {
      Node link = last.add(i % 2 == 0 ? new Sprite(LINK, 1f) : new ShadowSprite(LINK, 1f));
      link.position.set(LINK, 0f);
      links[i] = link;
      last = link;
    }
  }

  /** Lets the links swing. */
  public void swing(float seconds) {
    for (int i = 0; i < links.length; i++) {
      links[i].angle = 0.1f * (float) Math.sin(seconds * 2.0 + i * 0.3);
    }
  }
}
