package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What one run of {@link BulkInstrumenter} did. */
public final class Summary {
  private final String mapId;
  private final int classes;
  private final int methods;
  private final int skippedMethods;
  private final int rewritten;
  private final int reused;
  private final List<String> warnings;

  Summary(String mapId, int classes, int methods, int skippedMethods, int rewritten, int reused, List<String> warnings) {
    this.mapId = mapId;
    this.classes = classes;
    this.methods = methods;
    this.skippedMethods = skippedMethods;
    this.rewritten = rewritten;
    this.reused = reused;
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

  public List<String> warnings() {
    return warnings;
  }
}
