package org.navitas.gradle;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.gradle.api.file.Directory;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.testing.Test;
import org.gradle.api.tasks.testing.junit.JUnitOptions;
import org.gradle.util.GradleVersion;

/**
 * How a {@code test} task would start its JVM. What newer versions of Gradle added to the task (argument providers in
 * 4.6, toolchains in 6.7) is asked for by reflection, since the plugin also runs on versions before.
 */
final class TestJvm {
  private static final String DEFAULT_MAX_HEAP = "512m";

  private TestJvm() {}

  /** Arguments that the build gives to the JVM, agents and debuggers among them; system properties are apart. */
  static List<String> arguments(Test test) {
    List<String> arguments = new ArrayList<>();
    if (test.getMinHeapSize() != null) {
      arguments.add("-Xms" + test.getMinHeapSize());
    }
    String maxHeap = test.getMaxHeapSize() != null ? test.getMaxHeapSize() : defaultMaxHeap();
    if (maxHeap != null) {
      arguments.add("-Xmx" + maxHeap);
    }
    if (test.getDefaultCharacterEncoding() != null) {
      arguments.add("-Dfile.encoding=" + test.getDefaultCharacterEncoding());
    }
    // Gradle hands its own locale on to the tests.
    arguments.add("-Duser.language=" + Locale.getDefault().getLanguage());
    arguments.add("-Duser.country=" + Locale.getDefault().getCountry());
    arguments.add("-Duser.variant=" + Locale.getDefault().getVariant());
    if (!test.getBootstrapClasspath().isEmpty()) {
      arguments.add("-Xbootclasspath/a:" + test.getBootstrapClasspath().getAsPath());
    }
    if (test.getEnableAssertions()) {
      arguments.add("-ea");
    }
    if (test.getJvmArgs() != null) {
      arguments.addAll(test.getJvmArgs());
    }
    arguments.addAll(providedArguments(test));
    return arguments;
  }

  /** What Gradle limits a test JVM to where the build names no limit (DefaultWorkerProcessBuilder); null: Java's own limit. */
  private static String defaultMaxHeap() {
    return GradleVersion.current().getBaseVersion().compareTo(GradleVersion.version("5.0")) < 0 ? null : DEFAULT_MAX_HEAP;
  }

  static Map<String, String> systemProperties(Test test) {
    Map<String, String> properties = strings(test.getSystemProperties());
    // Tests take it for a number of their own, for ports and the like.
    properties.putIfAbsent("org.gradle.test.worker", "1");
    return properties;
  }

  /** What the task asks for and a profiled JVM does not do. */
  static List<String> leftOut(Test test) {
    List<String> leftOut = new ArrayList<>();
    if (measuredByJacoco(test)) {
      leftOut.add("JaCoCo's agent is left out: it would rewrite the classes and cost energy of its own");
    }
    if (test.getDebug()) {
      leftOut.add("`debug` of the task " + test.getPath() + " is left out: debuggers cost energy of their own");
    }
    if (test.getMaxParallelForks() > 1) {
      leftOut.add(
          "`maxParallelForks` of the task " + test.getPath() + " is set to 1: the energies of tests that overlap cannot be told"
              + " apart");
    }
    if (test.getOptions() instanceof JUnitOptions) {
      JUnitOptions options = (JUnitOptions) test.getOptions();
      if (!options.getIncludeCategories().isEmpty() || !options.getExcludeCategories().isEmpty()) {
        leftOut.add("JUnit 4 categories of the task " + test.getPath() + " are left out: tests of all categories run");
      }
    }
    if (javaHome(test) == null) {
      leftOut.add(
          "`executable` of the task " + test.getPath() + " is left out, since " + test.getExecutable() + " is not HOME/bin/java:"
              + " tests run on the Java of JAVA_HOME or PATH");
    }
    return leftOut;
  }

  private static boolean measuredByJacoco(Test test) {
    Object jacoco = test.getExtensions().findByName("jacoco");
    return jacoco != null && !Boolean.FALSE.equals(NewerGradle.call(jacoco, jacoco.getClass(), "isEnabled"));
  }

  /**
   * The variables that the build sets or changes, not those it inherits. {@code ProcessBuilder} is asked instead of
   * {@code System.getenv}, which would make the whole environment an input of the configuration cache.
   */
  static Map<String, String> environment(Test test) {
    Map<String, String> set = strings(test.getEnvironment());
    set.entrySet().removeAll(new ProcessBuilder().environment().entrySet());
    return set;
  }

  /** Names of the variables that the build takes away from those it inherits. */
  static SortedSet<String> removedVariables(Test test) {
    SortedSet<String> removed = new TreeSet<>(new ProcessBuilder().environment().keySet());
    removed.removeAll(test.getEnvironment().keySet());
    return removed;
  }

  /** Home of the Java that tests run on; null when the build names something that is not {@code HOME/bin/java}. */
  static String javaHome(Test test) {
    File toolchain = toolchain(test);
    if (toolchain != null) {
      return toolchain.getAbsolutePath();
    }
    if (test.getExecutable() == null) {
      return System.getProperty("java.home"); // Tests run on the Java that Gradle runs on.
    }
    File executable = new File(test.getExecutable());
    File bin = executable.getParentFile();
    boolean inHome = executable.isAbsolute() && bin != null && bin.getName().equals("bin");
    return inHome ? bin.getParent() : null;
  }

  /**
   * Where tests run: told from the bundle's folder where both lie in the build, so that a build of another checkout may
   * take the bundle from the build cache; else absolute.
   */
  static String workingDir(Test test, File root, File bundleFolder) {
    Path folder = test.getWorkingDir().toPath().toAbsolutePath().normalize();
    Path from = bundleFolder.toPath().toAbsolutePath().normalize();
    boolean movesAlong = folder.startsWith(root.toPath()) && from.startsWith(root.toPath());
    return movesAlong ? from.relativize(folder).toString().replace(File.separatorChar, '/') : folder.toString();
  }

  private static Map<String, String> strings(Map<String, ?> values) {
    Map<String, String> strings = new TreeMap<>();
    for (Map.Entry<String, ?> entry : values.entrySet()) {
      strings.put(entry.getKey(), entry.getValue() == null ? "" : entry.getValue().toString());
    }
    return strings;
  }

  private static List<String> providedArguments(Test test) {
    List<String> arguments = new ArrayList<>();
    Object providers = NewerGradle.call(test, "org.gradle.process.JavaForkOptions", "getJvmArgumentProviders");
    if (providers == null) {
      return arguments;
    }
    for (Object provider : (Iterable<?>) providers) {
      if (provider.getClass().getName().startsWith("org.gradle.testing.jacoco.")) {
        continue; // asking it would resolve JaCoCo's agent from a repository, only to leave it out
      }
      Object provided = NewerGradle.call(provider, "org.gradle.process.CommandLineArgumentProvider", "asArguments");
      if (provided != null) {
        for (Object argument : (Iterable<?>) provided) {
          arguments.add(argument.toString());
        }
      }
    }
    return arguments;
  }

  private static File toolchain(Test test) {
    Object launcher = NewerGradle.call(test, "org.gradle.api.tasks.testing.Test", "getJavaLauncher");
    Object chosen = launcher == null ? null : ((Provider<?>) launcher).getOrNull();
    Object metadata = chosen == null ? null : NewerGradle.call(chosen, "org.gradle.jvm.toolchain.JavaLauncher", "getMetadata");
    Object path =
        metadata == null
            ? null
            : NewerGradle.call(metadata, "org.gradle.jvm.toolchain.JavaInstallationMetadata", "getInstallationPath");
    return path == null ? null : ((Directory) path).getAsFile();
  }
}
