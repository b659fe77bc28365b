package org.navitas.gradle.android;

import org.gradle.api.Project;

/**
 * What differs between generations of the Android Gradle Plugin: how classes get their probes on the way into an APK, and
 * where the APKs lie. Implementations are loaded by name, so that none needs the plugin's classes of another one.
 */
public interface AndroidAdapter {
  /**
   * Called when an Android plugin has just been applied. Adds what it finds to {@code module}, at the latest when the
   * build is configured.
   */
  void apply(Project project, AndroidModule module);
}
