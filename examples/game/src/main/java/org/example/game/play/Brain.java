package org.example.game.play;

import org.example.game.math.Vec2;

/** Decides what a monster does next. */
interface Brain {
  Mood decide(Monster monster, Vec2 hero);
}
