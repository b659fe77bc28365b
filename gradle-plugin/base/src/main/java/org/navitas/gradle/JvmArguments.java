package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Divides the arguments of a test JVM into those that a profiled JVM gets and those that it cannot have.
 *
 * <p>A Java agent that tests may depend on (Mockito's, AspectJ's) is kept. JaCoCo's agent, native agents and debuggers are left
 * out: they cost energy of their own, and no test depends on them.
 */
final class JvmArguments {
  private static final String JAVA_AGENT = "-javaagent:";
  private static final List<String> LEFT_OUT = Arrays.asList("-agentlib:", "-agentpath:", "-Xdebug", "-Xrunjdwp:", "-Xrunhprof");

  final List<String> kept = new ArrayList<>();
  final List<String> warnings = new ArrayList<>();

  /** @param workingDir the folder that relative paths of agents start from */
  JvmArguments(List<String> arguments, File workingDir) {
    for (String argument : arguments) {
      String problem = problem(argument, workingDir);
      if (problem == null) {
        kept.add(argument);
      } else {
        warnings.add("the JVM argument " + argument + " is left out: " + problem);
      }
    }
  }

  /** Why an argument is left out; null where it is kept. */
  private static String problem(String argument, File workingDir) {
    if (argument.startsWith(JAVA_AGENT)) {
      String path = argument.substring(JAVA_AGENT.length()).split("=", 2)[0];
      if (new File(path).getName().matches("(?i).*jacoco.*\\.jar")) {
        return "JaCoCo rewrites classes and costs energy of its own";
      }
      File jar = new File(path).isAbsolute() ? new File(path) : new File(workingDir, path);
      return jar.isFile() ? null : "there is no file " + jar;
    }
    boolean isLeftOut = LEFT_OUT.stream().anyMatch(argument::startsWith);
    return isLeftOut ? "native agents and debuggers cost energy of their own" : null;
  }
}
