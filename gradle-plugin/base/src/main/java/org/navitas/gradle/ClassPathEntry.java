package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

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

  /** Whether it holds test code, the module's own or another's. */
  final boolean isTestCode;

  /** Path in the bundle; entries of one kind share it where they are merged. */
  final String path;

  private ClassPathEntry(File file, Kind kind, String module, boolean isTestCode, String path) {
    this.file = file;
    this.kind = kind;
    this.module = module;
    this.isTestCode = isTestCode;
    this.path = path;
  }

  /** Whether it shares a folder of the bundle with others of its kind. */
  boolean isMerged() {
    return kind == Kind.TEST || kind == Kind.MAIN;
  }

  /** Whether it is a file of its own in the bundle; folders stay folders, since code may look for files in them. */
  boolean isJar() {
    return file.isFile();
  }

  boolean isOwnCode() {
    return kind != Kind.LIBRARY;
  }

  /**
   * Sorts a class path out, keeping its order. Folders of classes that belong to no known source set are the user's own
   * code; files that do not exist are left out, as a JVM does.
   *
   * @param classPath the class path of the {@code test} task
   * @param mainOutputs folders of the main source set
   * @param testOutputs folders of the test source sets, and where tests are looked for
   * @param owners whose all other files are
   * @param module path of the module itself
   */
  static List<ClassPathEntry> sort(
      Iterable<File> classPath, Collection<File> mainOutputs, Collection<File> testOutputs, Owners owners, String module) {
    List<ClassPathEntry> entries = new ArrayList<>();
    int others = 0;
    for (File file : classPath) {
      if (!file.exists()) {
        continue;
      }
      if (mainOutputs.contains(file)) {
        entries.add(new ClassPathEntry(file, Kind.MAIN, module, false, "classes"));
      } else if (testOutputs.contains(file) && file.isDirectory()) {
        String owner = owners.of(file);
        entries.add(new ClassPathEntry(file, Kind.TEST, owner, true, "test-classes"));
      } else {
        String owner = owners.of(file);
        Kind kind = owner == null ? Kind.LIBRARY : Kind.OWN;
        boolean isTestCode = owner != null && Owners.isTestCode(file);
        String name = file.getName().replaceAll("[^A-Za-z0-9._+-]", "_");
        String path = String.format("lib/%03d-%s", others++, name);
        entries.add(new ClassPathEntry(file, kind, owner == null ? module : owner, isTestCode, path));
      }
    }
    return Collections.unmodifiableList(entries);
  }
}
