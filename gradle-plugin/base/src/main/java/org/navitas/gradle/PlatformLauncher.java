package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.gradle.api.GradleException;

/**
 * The JUnit Platform's launcher. If a test class path lacks it, Gradle before 9 runs tests with the platform in its own installation,
 * which then follows the class path. Bundles get the same files, so nothing is resolved that the build does not resolve itself.
 */
final class PlatformLauncher {
    private static final String LAUNCHER = "org/junit/platform/launcher/Launcher.class";
    private static final String ENGINE = "org/junit/platform/engine/TestEngine.class";
    /** The launcher needs what is new in its version of the others, too. */
    private static final Pattern PLATFORM = Pattern.compile("junit-platform-(commons|engine|launcher)-.*\\.jar");

    private static final String[] FOLDERS = {"lib/plugins", "lib"};

    private PlatformLauncher() {}

    /**
     * Returns the platform of a Gradle installation.
     *
     * @param home the installation, or null if Gradle runs without one
     * @return jars; empty if it has none
     */
    static List<File> ofGradle(File home) {
        List<File> jars = new ArrayList<>();
        for (String folder : FOLDERS) {
            File[] files = home == null
                    ? null
                    : new File(home, folder)
                            .listFiles((place, name) -> PLATFORM.matcher(name).matches());
            jars.addAll(files == null ? Collections.emptyList() : Arrays.asList(files));
        }
        Collections.sort(jars);
        return jars;
    }

    /**
     * Returns what the tests of a module need in addition to their class path.
     *
     * @param classPath the test class path of tests on the platform
     * @param ofGradle {@link #ofGradle}
     * @param module Gradle path of the module
     * @return jars; empty if the class path has a launcher
     * @throws GradleException if the tests cannot run
     */
    static Collection<File> missing(List<ClassPathEntry> classPath, Collection<File> ofGradle, String module) {
        if (classPath.stream().noneMatch(entry -> entry.contains(ENGINE))) {
            throw new GradleException("navitas: the tests of " + module
                    + " use the JUnit Platform, but there is no engine on their class path. Add one, such as"
                    + " testImplementation 'org.junit.jupiter:junit-jupiter:5.10.2'.");
        }
        if (classPath.stream().anyMatch(entry -> entry.contains(LAUNCHER))) {
            return Collections.emptySet();
        }
        if (ofGradle.isEmpty()) {
            throw new GradleException("navitas: the tests of " + module
                    + " use the JUnit Platform, but its launcher is neither on their class path nor part of"
                    + " this Gradle. Add testRuntimeOnly 'org.junit.platform:junit-platform-launcher', which"
                    + " `gradle test` needs, too.");
        }
        return ofGradle;
    }
}
