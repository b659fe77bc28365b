package org.navitas.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The block {@code navitas { }} of a build file. The project properties {@code navitas.include},
 * {@code navitas.exclude} (comma-separated) and {@code navitas.instrumentTests} outrank it.
 */
public class NavitasExtension {
  private final List<String> includes = new ArrayList<>();
  private final List<String> excludes = new ArrayList<>();
  private boolean instrumentTests = true;

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

  public List<String> getIncludes() {
    return includes;
  }

  public List<String> getExcludes() {
    return excludes;
  }
}
