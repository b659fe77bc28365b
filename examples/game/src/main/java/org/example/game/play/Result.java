package org.example.game.play;

/** What a game did. It depends on the settings only. */
public final class Result {
  public final int frames;
  public final int insideField;
  public final long quads;
  public final long pathSteps;
  public final long contacts;
  public final long hits;
  public final double energy;
  public final long checksum;

  Result(LevelStage level, UpdateStage update, RenderStage render) {
    frames = render.frames();
    insideField =
        (int) update.actors().stream().filter(actor -> Field.SCREEN.contains(actor.position)).count();
    quads = render.batch().quads();
    pathSteps = level.steps();
    contacts = update.world().contacts();
    hits = update.hits();
    energy = update.world().energy();
    checksum = render.batch().checksum() * 31 + update.saved();
  }

  @Override
  public String toString() {
    return String.format(
        "%d frames, %d quads, %d steps of paths, %d contacts, %d hits, checksum %016x",
        frames, quads, pathSteps, contacts, hits, checksum);
  }
}
