package org.navitas.gradle.android;

import java.io.File;

/** A variant of an Android module that a bundle is made of. */
public final class AndroidVariant {
  private final String name;
  private final String bundleTask;
  private final File bundle;

  AndroidVariant(String name, String bundleTask, File bundle) {
    this.name = name;
    this.bundleTask = bundleTask;
    this.bundle = bundle;
  }

  /** Such as {@code demoDebug}. */
  public String name() {
    return name;
  }

  /** The task that makes {@link #bundle}. */
  public String bundleTask() {
    return bundleTask;
  }

  public File bundle() {
    return bundle;
  }
}
