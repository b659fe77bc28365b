package org.navitas.gradle.android;

import java.io.File;
import org.navitas.instrument.Input;

/** A folder or jar of classes on their way into an APK. */
public final class ClassSource {
  final File file;
  final String module;
  /** As of an {@link Input}; null: copied as it is. */
  final String kind;

  private ClassSource(File file, String module, String kind) {
    this.file = file;
    this.module = module;
    this.kind = kind;
  }

  /** Code of the user's projects, or of their tests. */
  public static ClassSource own(File file, String module, boolean isTest) {
    return new ClassSource(file, module, isTest ? Input.TEST : Input.MAIN);
  }

  /** Third-party code: gets probes only where an include pattern names it. */
  public static ClassSource library(File file, String module) {
    return new ClassSource(file, module, Input.DEPENDENCY);
  }

  /** What gets no probes. */
  public static ClassSource plain(File file) {
    return new ClassSource(file, "", null);
  }

  boolean mayGetProbes(ClassOptions options) {
    return kind != null && (!kind.equals(Input.DEPENDENCY) || options.mayNameLibraries()) && file.exists();
  }
}
