package org.navitas.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.navitas.gradle.android.AndroidModule;

/**
 * The block {@code navitas { }} of a build file: which classes get probes, and how {@code navitasProfile} calls the
 * command line. Project properties of the same names ({@code -Pnavitas.repeat=3}; lists with commas between) outrank it.
 * What is null is left to the command line's own defaults.
 */
public class NavitasExtension {
  private final List<String> includes = new ArrayList<>();
  private final List<String> excludes = new ArrayList<>();
  private final List<String> tests = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private boolean instrumentTests = true;
  private boolean skipTrivial;
  private boolean ignoreFailures;
  private Object executable = "navitas";
  private Object output;
  private Object json;
  private Integer repeat;
  private String phone;
  private String device;
  private String mode;
  private String variant;
  /** Of an Android project. */
  AndroidModule android;

  /** Only classes that match one of these patterns get probes; see {@link org.navitas.instrument.Options}. */
  public void include(String... patterns) {
    includes.addAll(Arrays.asList(patterns));
  }

  /** Classes that match one of these patterns get no probes, whatever is included. */
  public void exclude(String... patterns) {
    excludes.addAll(Arrays.asList(patterns));
  }

  /** Tests to profile, as {@code CLASS[#METHOD]} with {@code *} and {@code ?}; all of them without it. */
  public void tests(String... patterns) {
    tests.addAll(Arrays.asList(patterns));
  }

  /** Further arguments for {@code navitas profile}, as one would type them. */
  public void arguments(String... more) {
    arguments.addAll(Arrays.asList(more));
  }

  /** Whether getters, setters and the like get no probes; see {@link org.navitas.instrument.Options#skipTrivial}. */
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

  public List<String> getTests() {
    return tests;
  }

  public List<String> getArguments() {
    return arguments;
  }

  /** Whether test classes get probes too (they do by default); else they are in the bundle as they are. */
  public boolean isInstrumentTests() {
    return instrumentTests;
  }

  public void setInstrumentTests(boolean instrument) {
    instrumentTests = instrument;
  }

  /** Whether the build goes on when tests or checks failed; other trouble always ends it. */
  public boolean isIgnoreFailures() {
    return ignoreFailures;
  }

  public void setIgnoreFailures(boolean ignore) {
    ignoreFailures = ignore;
  }

  /** The command line's name on PATH, or a file, which is told from the project's folder. */
  public Object getExecutable() {
    return executable;
  }

  public void setExecutable(Object nameOrFile) {
    executable = nameOrFile;
  }

  /** The recording's folder, {@code build/navitas/recording} without it; a recording in it is replaced. */
  public Object getOutput() {
    return output;
  }

  public void setOutput(Object folder) {
    output = folder;
  }

  /** The JSON report, {@code build/navitas/report.json} without it. */
  public Object getJson() {
    return json;
  }

  public void setJson(Object file) {
    json = file;
  }

  /** How often the tests are run, each time in a new process. */
  public Integer getRepeat() {
    return repeat;
  }

  public void setRepeat(Integer times) {
    repeat = times;
  }

  /** The phone that the virtual phone is modelled on. */
  public String getPhone() {
    return phone;
  }

  public void setPhone(String name) {
    phone = name;
  }

  /** {@code virtual}, or a device's serial. */
  public String getDevice() {
    return device;
  }

  public void setDevice(String serial) {
    device = serial;
  }

  /** {@code events}, {@code folded} or {@code tick}: how calls are recorded. */
  public String getMode() {
    return mode;
  }

  public void setMode(String name) {
    mode = name;
  }

  /** The variant of an Android module whose APKs are profiled, such as {@code demoDebug}. */
  public String getVariant() {
    return variant;
  }

  public void setVariant(String name) {
    variant = name;
  }

  /** The same as {@link #setVariant}, for build files in Groovy. */
  public void variant(String name) {
    variant = name;
  }
}
