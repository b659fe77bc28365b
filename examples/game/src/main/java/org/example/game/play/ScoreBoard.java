package org.example.game.play;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Points by what they were won for. */
public final class ScoreBoard {
  private final Map<String, Integer> points = new HashMap<>();
  private long total;

  public void award(String reason, int won) {
    Integer before = points.get(reason);
    points.put(reason, before == null ? won : before + won);
    total += won;
  }

  public long total() {
    return total;
  }

  /** Returns the {@code count} reasons with most points, the best first. */
  public List<String> best(int count) {
    List<String> reasons = new ArrayList<>(points.keySet());
    reasons.sort(this::compare);
    return reasons.subList(0, Math.min(count, reasons.size()));
  }

  private int compare(String a, String b) {
    int byPoints = points.get(b).compareTo(points.get(a));
    return byPoints != 0 ? byPoints : a.compareTo(b);
  }
}
