package org.navitas.gradle.android;

import java.util.Arrays;
import java.util.List;

/** The Android Gradle Plugin of a build. */
public final class AgpVersion {
  /** On which the tests run. */
  private static final List<String> TESTED = Arrays.asList("3.1.4", "7.4.2", "8.4.2");

  private static final String[] HOLDERS = {"com.android.Version", "com.android.builder.model.Version"};
  private static final String VARIANTS = "com.android.build.api.variant.ScopedArtifacts";
  private static final String TRANSFORM = "com.android.build.api.transform.Transform";

  private final ClassLoader loader;

  /** @param loader sees the plugin's classes */
  public AgpVersion(ClassLoader loader) {
    this.loader = loader;
  }

  /** Whether its classes can be seen at all. */
  public boolean isVisible() {
    return has(VARIANTS) || has(TRANSFORM);
  }

  /** Whether variants' classes can be transformed by a task: since 7.4. */
  public boolean hasScopedArtifacts() {
    return has(VARIANTS);
  }

  /** Whether there is the Transform API: up to 7.4. */
  public boolean hasTransform() {
    return has(TRANSFORM);
  }

  /** Such as {@code 7.4.2}; {@code unknown} where the plugin does not tell. */
  public String text() {
    for (String holder : HOLDERS) {
      try {
        Object version = Class.forName(holder, true, loader).getField("ANDROID_GRADLE_PLUGIN_VERSION").get(null);
        return String.valueOf(version);
      } catch (ReflectiveOperationException e) {
        continue; // another version has it elsewhere
      }
    }
    return "unknown";
  }

  /** What to tell of it; null for a tested version. */
  public String warning() {
    return TESTED.contains(text())
        ? null
        : "Android Gradle Plugin " + text() + " is untested with Navitas (tested: " + String.join(", ", TESTED) + ")";
  }

  private boolean has(String name) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
