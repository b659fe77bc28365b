package org.navitas.gradle.builds;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** The Gradle installations for tests: the one on PATH, and NAVITAS_GRADLE_HOMES or those of `make gradle-homes`. */
final class Installations {
  private Installations() {}

  /** Returns names and launchers; if there are none, a launcher that does not exist. */
  static List<Object[]> all() {
    TreeMap<String, File> launchers = new TreeMap<>();
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      File launcher = new File(folder, "gradle");
      if (launcher.canExecute()) {
        launchers.putIfAbsent("path", launcher);
      }
    }
    String named = System.getenv("NAVITAS_GRADLE_HOMES");
    File[] made = new File(System.getProperty("navitas.gradleHomes")).listFiles(file -> file.getName().startsWith("gradle-"));
    List<File> homes = new ArrayList<>();
    if (named != null && !named.isEmpty()) {
      Arrays.stream(named.split(File.pathSeparator)).map(File::new).forEach(homes::add);
    } else if (made != null) {
      homes.addAll(Arrays.asList(made));
    }
    homes.forEach(home -> launchers.put(home.getName(), new File(home, "bin/gradle")));
    if (launchers.isEmpty()) {
      launchers.put("none", new File("none: make gradle-homes"));
    }
    List<Object[]> parameters = new ArrayList<>();
    launchers.forEach((name, launcher) -> parameters.add(new Object[] {name, launcher}));
    return parameters;
  }
}
