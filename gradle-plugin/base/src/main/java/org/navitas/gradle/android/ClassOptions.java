package org.navitas.gradle.android;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.navitas.instrument.Options;

/** Which classes of an Android module get probes; an input of tasks. */
public final class ClassOptions implements Serializable {
  private static final long serialVersionUID = 1;
  /** Excluded, it leaves nothing to instrument. */
  public static final String ALL = "**";

  /** Gradle path of the module. */
  public final String module;
  private final ArrayList<String> includes;
  private final ArrayList<String> excludes;
  private final boolean skipTrivial;

  ClassOptions(String module, List<String> includes, List<String> excludes, boolean skipTrivial) {
    this.module = module;
    this.includes = new ArrayList<>(includes);
    this.excludes = new ArrayList<>(excludes);
    this.skipTrivial = skipTrivial;
  }

  /** The same without classes that match a pattern. */
  public ClassOptions without(String pattern) {
    List<String> more = new ArrayList<>(excludes);
    more.add(pattern);
    return new ClassOptions(module, includes, more, skipTrivial);
  }

  /** Whether no class is to get probes. */
  boolean isNothing() {
    return excludes.contains(ALL);
  }

  /** Whether libraries may be among what is wanted. */
  public boolean mayNameLibraries() {
    return !includes.isEmpty();
  }

  /** One line that differs whenever the outcome may. */
  public String text() {
    return module + " " + includes + " " + excludes + " " + skipTrivial;
  }

  Options options() {
    return Options.builder().include(includes).exclude(excludes).skipTrivial(skipTrivial).build();
  }
}
