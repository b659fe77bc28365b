package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one run of {@link BulkInstrumenter} did. */
public final class Summary {
  private final String mapId;
  private final int classes;
  private final int methods;
  private final int skippedMethods;
  private final int rewritten;
  private final int reused;
  private final int seen;
  private final Map<String, Integer> frameworks;
  private final List<String> warnings;

  Summary(
      String mapId, int classes, int methods, int skippedMethods, int rewritten, int reused, int seen,
      Map<String, Integer> frameworks, List<String> warnings) {
    this.mapId = mapId;
    this.classes = classes;
    this.methods = methods;
    this.skippedMethods = skippedMethods;
    this.rewritten = rewritten;
    this.reused = reused;
    this.seen = seen;
    this.frameworks = Collections.unmodifiableMap(new TreeMap<>(frameworks));
    this.warnings = Collections.unmodifiableList(new ArrayList<>(warnings));
  }

  /** The method map's id, 16 hex digits. */
  public String mapId() {
    return mapId;
  }

  /** Classes in the map. */
  public int classes() {
    return classes;
  }

  /** Methods with probes. */
  public int methods() {
    return methods;
  }

  /** Entries of the map's list of what was left alone. */
  public int skippedMethods() {
    return skippedMethods;
  }

  /** Instrumented classes that were written. */
  public int rewritten() {
    return rewritten;
  }

  /** Instrumented classes whose output of an earlier run was still right. */
  public int reused() {
    return reused;
  }

  /** Class files of the inputs that can hold code, with probes or without. */
  public int seen() {
    return seen;
  }

  /** How many classes of known frameworks were left alone, by the include pattern that gives them probes. */
  public Map<String, Integer> frameworks() {
    return frameworks;
  }

  /** Each one line that is safe to print. */
  public List<String> warnings() {
    return warnings;
  }
}
