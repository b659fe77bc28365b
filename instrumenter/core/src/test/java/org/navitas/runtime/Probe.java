package org.navitas.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A stub of the runtime that records the probes' calls in order. */
public final class Probe {
  private static final ThreadLocal<List<String>> EVENTS = ThreadLocal.withInitial(ArrayList::new);
  private static final ThreadLocal<Map<Integer, long[]>> COUNTS = ThreadLocal.withInitial(TreeMap::new);

  private Probe() {}

  public static void enter(int id) {
    EVENTS.get().add(">" + id);
  }

  public static void resume(int id) {
    EVENTS.get().add("+" + id);
  }

  public static void enter(int id, int state) {
    if (state == 0) {
      enter(id);
    } else {
      resume(id);
    }
  }

  public static void exit(int id) {
    EVENTS.get().add("<" + id);
  }

  public static void thrown(int id) {
    EVENTS.get().add("!" + id);
  }

  /** Returns the calling thread's counters of a method. */
  public static long[] count(int id, int counters) {
    return COUNTS.get().computeIfAbsent(id, k -> new long[counters]);
  }

  /** Returns the calling thread's counters by method id since the last call. */
  public static Map<Integer, long[]> takeCounts() {
    Map<Integer, long[]> taken = COUNTS.get();
    COUNTS.remove();
    return taken;
  }

  /**
   * Returns the calling thread's events since the last call: kind ({@code >}, {@code +}, {@code <} or {@code !}) and
   * id.
   */
  public static List<String> take() {
    List<String> taken = EVENTS.get();
    EVENTS.remove();
    return taken;
  }
}
