package org.navitas.gradle.android;

/** The parts of a variant's classes that have method maps of their own. */
public enum ClassPart {
  /** Other projects of the build, whose classes get probes one by one. */
  LIBRARIES("Libraries"),
  /** The app; with other projects that are not apart. */
  APP("App"),
  /** The tests. */
  TESTS("Tests");

  /** The name of its folder, and in those of tasks. */
  public final String text;

  ClassPart(String text) {
    this.text = text;
  }

  /**
   * Returns the part of classes that are not apart.
   *
   * @param isTest whether they are the tests
   * @return the tests or the app
   */
  public static ClassPart of(boolean isTest) {
    return isTest ? TESTS : APP;
  }
}
