package org.navitas.gradle;

import java.io.File;
import org.gradle.api.GradleException;

/** Finds programs by the PATH of whoever called Gradle; a daemon's own may be older. */
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
    String path = System.getenv("PATH");
    for (String folder : (path == null ? "" : path).split(File.pathSeparator)) {
      File candidate = new File(folder, name);
      if (candidate.isFile() && candidate.canExecute()) {
        return candidate;
      }
    }
    throw missing("there is no `" + name + "` on PATH");
  }

  private static GradleException missing(String what) {
    return new GradleException(
        "navitas: " + what + ". Install Navitas, or name its command line: navitas { executable = '/path/to/navitas' }");
  }
}
