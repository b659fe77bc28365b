package org.example.game.play;

/** What a monster is doing. */
enum Mood {
  REST,
  PATROL,
  CHASE,
  FLEE
}
