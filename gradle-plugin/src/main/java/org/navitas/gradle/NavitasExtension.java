package org.navitas.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The block {@code navitas { }} of a build file. The project properties {@code navitas.include},
 * {@code navitas.exclude} (comma-separated), {@code navitas.instrumentTests} and {@code navitas.skipTrivial} outrank it.
 */
public class NavitasExtension {
  private final List<String> includes = new ArrayList<>();
  private final List<String> excludes = new ArrayList<>();
  private boolean instrumentTests = true;
  private boolean skipTrivial;

  /** Only classes that match one of these patterns get probes; see {@link org.navitas.instrument.Options}. */
  public void include(String... patterns) {
    includes.addAll(Arrays.asList(patterns));
  }

  /** Classes that match one of these patterns get no probes, whatever is included. */
  public void exclude(String... patterns) {
    excludes.addAll(Arrays.asList(patterns));
  }

  /** Whether test classes get probes too (they do by default); else they are in the bundle as they are. */
  public void instrumentTests(boolean instrument) {
    instrumentTests = instrument;
  }

  public void setInstrumentTests(boolean instrument) {
    instrumentTests = instrument;
  }

  public boolean isInstrumentTests() {
    return instrumentTests;
  }

  /** Whether getters, setters and the like get no probes; see {@link org.navitas.instrument.Options#skipTrivial}. */
  public void skipTrivial(boolean skip) {
    skipTrivial = skip;
  }

  public void setSkipTrivial(boolean skip) {
    skipTrivial = skip;
  }

  public boolean isSkipTrivial() {
    return skipTrivial;
  }

  public List<String> getIncludes() {
    return includes;
  }

  public List<String> getExcludes() {
    return excludes;
  }
}
