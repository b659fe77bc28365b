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
 * How a {@code test} task would start its JVM. Uses reflection for methods of newer Gradle versions (argument providers
 * since 4.6, toolchains since 6.7), since the plugin also runs on older ones.
 */
final class TestJvm {
    private static final String DEFAULT_MAX_HEAP = "512m";

    private TestJvm() {}

    /**
     * Returns the arguments that the build passes to the JVM, including agents and debuggers, without system properties.
     */
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
        // Gradle passes its locale to the tests.
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

    /** Returns Gradle's default heap limit of a test JVM (DefaultWorkerProcessBuilder), or null for Java's default. */
    private static String defaultMaxHeap() {
        return GradleVersion.current().getBaseVersion().compareTo(GradleVersion.version("5.0")) < 0
                ? null
                : DEFAULT_MAX_HEAP;
    }

    static Map<String, String> systemProperties(Test test) {
        Map<String, String> properties = strings(test.getSystemProperties());
        // Tests use it as a unique number, for ports for example.
        properties.putIfAbsent("org.gradle.test.worker", "1");
        return properties;
    }

    /** Returns warnings for settings of the task that a profiled JVM ignores. */
    static List<String> ignoredSettings(Test test) {
        List<String> ignoredSettings = new ArrayList<>();
        if (measuredByJacoco(test)) {
            ignoredSettings.add("JaCoCo's agent is not used: it would rewrite the classes and use energy itself");
        }
        if (test.getDebug()) {
            ignoredSettings.add(
                    "`debug` of the task " + test.getPath() + " is ignored: debuggers use energy themselves");
        }
        if (test.getMaxParallelForks() > 1) {
            ignoredSettings.add("`maxParallelForks` of the task " + test.getPath()
                    + " is set to 1: energies of overlapping tests cannot be" + " separated");
        }
        if (test.getOptions() instanceof JUnitOptions) {
            JUnitOptions options = (JUnitOptions) test.getOptions();
            if (!options.getIncludeCategories().isEmpty()
                    || !options.getExcludeCategories().isEmpty()) {
                ignoredSettings.add("JUnit 4 categories of the task " + test.getPath()
                        + " are ignored: tests of all categories run");
            }
        }
        if (javaHome(test) == null) {
            ignoredSettings.add("`executable` of the task " + test.getPath() + " is ignored, since "
                    + test.getExecutable() + " is not HOME/bin/java:" + " tests run on the Java of JAVA_HOME or PATH");
        }
        return ignoredSettings;
    }

    private static boolean measuredByJacoco(Test test) {
        Object jacoco = test.getExtensions().findByName("jacoco");
        return jacoco != null && !Boolean.FALSE.equals(NewerGradle.call(jacoco, jacoco.getClass(), "isEnabled"));
    }

    /**
     * Returns the variables that the build sets or changes, without those it inherits. Uses {@code ProcessBuilder}:
     * {@code System.getenv} would make the whole environment an input of the configuration cache.
     */
    static Map<String, String> environment(Test test) {
        Map<String, String> set = strings(test.getEnvironment());
        set.entrySet().removeAll(new ProcessBuilder().environment().entrySet());
        return set;
    }

    /** Returns the names of inherited variables that the build removes. */
    static SortedSet<String> removedVariables(Test test) {
        SortedSet<String> removed =
                new TreeSet<>(new ProcessBuilder().environment().keySet());
        removed.removeAll(test.getEnvironment().keySet());
        return removed;
    }

    /**
     * Returns the home of the Java that runs the tests, or null if the build names an executable that is not {@code
     * HOME/bin/java}.
     */
    static String javaHome(Test test) {
        File toolchain = toolchain(test);
        if (toolchain != null) {
            return toolchain.getAbsolutePath();
        }
        if (test.getExecutable() == null) {
            return System.getProperty("java.home"); // Tests run on Gradle's Java.
        }
        File executable = new File(test.getExecutable());
        File bin = executable.getParentFile();
        boolean inHome = executable.isAbsolute() && bin != null && bin.getName().equals("bin");
        return inHome ? bin.getParent() : null;
    }

    /**
     * Returns the tests' working directory. It is relative to the bundle's folder if both are in the build, so that a
     * build of another checkout can take the bundle from the build cache. Otherwise it is absolute.
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
            strings.put(
                    entry.getKey(),
                    entry.getValue() == null ? "" : entry.getValue().toString());
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
                continue; // calling it would resolve JaCoCo's agent from a repository, although it is not used
            }
            Object provided =
                    NewerGradle.call(provider, "org.gradle.process.CommandLineArgumentProvider", "asArguments");
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
        Object metadata = chosen == null
                ? null
                : NewerGradle.call(chosen, "org.gradle.jvm.toolchain.JavaLauncher", "getMetadata");
        Object path = metadata == null
                ? null
                : NewerGradle.call(
                        metadata, "org.gradle.jvm.toolchain.JavaInstallationMetadata", "getInstallationPath");
        return path == null ? null : ((Directory) path).getAsFile();
    }
}
