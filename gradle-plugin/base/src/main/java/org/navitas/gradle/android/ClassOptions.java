package org.navitas.gradle.android;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.navitas.instrument.Options;
import org.navitas.instrument.Probes;

/** Which classes of an Android module get probes. Immutable; a task input. */
public final class ClassOptions implements Serializable {
  private static final long serialVersionUID = 2;
  /** Matches all classes; excluding it leaves nothing to instrument. */
  public static final String ALL = "**";

  /** Gradle path of the module. */
  public final String module;
  private final ArrayList<String> includes;
  private final ArrayList<String> excludes;
  private final boolean skipTrivial;
  private final boolean hooks;
  private final boolean hookLibraries;
  private final Probes probes;

  ClassOptions(
      String module, List<String> includes, List<String> excludes, boolean skipTrivial, boolean hooks, boolean hookLibraries,
      Probes probes) {
    this.module = module;
    this.includes = new ArrayList<>(includes);
    this.excludes = new ArrayList<>(excludes);
    this.skipTrivial = skipTrivial;
    this.hooks = hooks;
    this.hookLibraries = hookLibraries;
    this.probes = probes;
  }

  /**
   * Returns these options without classes that match a pattern.
   *
   * @param pattern an exclude pattern
   * @return new options
   */
  public ClassOptions without(String pattern) {
    List<String> more = new ArrayList<>(excludes);
    more.add(pattern);
    return new ClassOptions(module, includes, more, skipTrivial, hooks, hookLibraries, probes);
  }

  /** Returns whether no class gets probes. */
  boolean isNothing() {
    return excludes.contains(ALL);
  }

  /**
   * Returns whether libraries can get probes or hooks.
   *
   * @return whether there are include patterns or hooks
   */
  public boolean mayNameLibraries() {
    return !includes.isEmpty() || hooks;
  }

  /**
   * Returns a line that differs if the result can differ.
   *
   * @return the options as text
   */
  public String text() {
    return module + " " + includes + " " + excludes + " " + skipTrivial + " " + hooks + " " + hookLibraries + " " + probes.text();
  }

  Options options() {
    return Options.builder().include(includes).exclude(excludes).skipTrivial(skipTrivial).hooks(hooks, hookLibraries)
        .probes(probes).build();
  }
}
