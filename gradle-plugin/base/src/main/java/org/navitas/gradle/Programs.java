package org.navitas.gradle;

import java.io.File;
import org.gradle.api.GradleException;

/**
 * Finds programs by the PATH of whoever called Gradle. Where Gradle cannot hand it to its daemon (before Gradle 5 on a later
 * Java), it is the PATH that the daemon was started with.
 */
final class Programs {
  private Programs() {}

  /** The file of a program that is named by its path or its name alone. Throws GradleException where there is none. */
  static File find(String name) {
    File file = new File(name);
    if (file.isAbsolute()) {
      if (!file.canExecute()) {
        throw missing("there is no program " + name);
      }
      return file;
    }
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator)) {
      File candidate = new File(folder, name);
      if (candidate.isFile() && candidate.canExecute()) {
        return candidate;
      }
    }
    throw missing(
        "there is no `"
            + name
            + "` on PATH as Gradle's daemon sees it: "
            + path
            + "\nA daemon may keep the PATH that it was started with: where `"
            + name
            + "` has been put on PATH since, `gradle --stop` helps");
  }

  private static GradleException missing(String what) {
    return new GradleException(
        "navitas: " + what + ". Install Navitas, or name its command line: navitas { executable = '/path/to/navitas' }");
  }
}
