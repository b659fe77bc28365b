package org.navitas.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Parts the arguments of a test JVM into those a profiled JVM may have and those that would distort it. */
final class JvmArguments {
  private static final List<String> LEFT_OUT =
      Arrays.asList("-javaagent:", "-agentlib:", "-agentpath:", "-Xdebug", "-Xrunjdwp:", "-Xrunhprof");

  final List<String> kept = new ArrayList<>();
  final List<String> warnings = new ArrayList<>();

  JvmArguments(List<String> arguments) {
    for (String argument : arguments) {
      if (LEFT_OUT.stream().anyMatch(argument::startsWith)) {
        warnings.add("the JVM argument " + argument + " is left out: agents and debuggers cost energy of their own");
      } else {
        kept.add(argument);
      }
    }
  }
}
