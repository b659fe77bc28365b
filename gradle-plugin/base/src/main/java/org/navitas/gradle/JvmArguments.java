package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Separates the arguments of a test JVM into those that a profiled JVM keeps and those that it cannot have.
 *
 * <p>Keeps Java agents that tests can depend on (Mockito's, AspectJ's). Drops JaCoCo's agent, native agents and
 * debuggers: they use energy themselves, and no test depends on them.
 */
final class JvmArguments {
    private static final String JAVA_AGENT = "-javaagent:";
    private static final List<String> EXCLUDED =
            Arrays.asList("-agentlib:", "-agentpath:", "-Xdebug", "-Xrunjdwp:", "-Xrunhprof");

    final List<String> kept = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();

    /**
     * @param workingDir base of agents' relative paths
     */
    JvmArguments(List<String> arguments, File workingDir) {
        for (String argument : arguments) {
            String problem = problem(argument, workingDir);
            if (problem == null) {
                kept.add(argument);
            } else {
                warnings.add("the JVM argument " + argument + " is not used: " + problem);
            }
        }
    }

    /** Returns why an argument is not used, or null if it is kept. */
    private static String problem(String argument, File workingDir) {
        if (argument.startsWith(JAVA_AGENT)) {
            String path = argument.substring(JAVA_AGENT.length()).split("=", 2)[0];
            if (new File(path).getName().matches("(?i).*jacoco.*\\.jar")) {
                return "JaCoCo rewrites classes and uses energy itself";
            }
            File jar = new File(path).isAbsolute() ? new File(path) : new File(workingDir, path);
            return jar.isFile() ? null : "there is no file " + jar;
        }
        boolean isExcluded = EXCLUDED.stream().anyMatch(argument::startsWith);
        return isExcluded ? "native agents and debuggers use energy themselves" : null;
    }
}
