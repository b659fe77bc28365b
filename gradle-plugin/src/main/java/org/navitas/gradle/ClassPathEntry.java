package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** One existing file of the test class path, what it is to Navitas, and where it goes in the bundle. */
final class ClassPathEntry {
  /** What an entry is; {@code OWN} is the user's code outside the module's main and test source sets. */
  enum Kind {
    TEST,
    MAIN,
    OWN,
    LIBRARY
  }

  final File file;
  final Kind kind;
  final String module;

  /** Path in the bundle; entries of one kind share it where they are merged. */
  final String path;

  private ClassPathEntry(File file, Kind kind, String module, String path) {
    this.file = file;
    this.kind = kind;
    this.module = module;
    this.path = path;
  }

  /** Whether it is a jar of its own in the bundle, not merged into a folder. */
  boolean isJar() {
    return kind == Kind.OWN || kind == Kind.LIBRARY;
  }

  boolean isOwnCode() {
    return kind != Kind.LIBRARY;
  }

  /**
   * Sorts a class path out, keeping its order. Folders of classes that belong to no known source set are the module's
   * own code; files that do not exist are left out, as a JVM does.
   *
   * @param classPath the class path of the {@code test} task
   * @param mainOutputs folders of the main source set
   * @param testOutputs folders of the test source set
   * @param projectArtifacts jars and folders made by projects, with their module paths
   * @param module path of the module itself
   */
  static List<ClassPathEntry> sort(
      Iterable<File> classPath,
      Collection<File> mainOutputs,
      Collection<File> testOutputs,
      Map<File, String> projectArtifacts,
      String module) {
    List<ClassPathEntry> entries = new ArrayList<>();
    int jars = 0;
    for (File file : classPath) {
      if (!file.exists()) {
        continue;
      }
      if (testOutputs.contains(file)) {
        entries.add(new ClassPathEntry(file, Kind.TEST, module, "test-classes"));
      } else if (mainOutputs.contains(file)) {
        entries.add(new ClassPathEntry(file, Kind.MAIN, module, "classes"));
      } else {
        String maker = projectArtifacts.get(file);
        boolean own = maker != null || file.isDirectory();
        String path = String.format("lib/%03d-%s", jars++, jarName(file));
        entries.add(new ClassPathEntry(file, own ? Kind.OWN : Kind.LIBRARY, maker != null ? maker : module, path));
      }
    }
    return Collections.unmodifiableList(entries);
  }

  private static String jarName(File file) {
    String name = file.getName().replaceAll("[^A-Za-z0-9._+-]", "_");
    return file.isDirectory() ? name + ".jar" : name;
  }
}
