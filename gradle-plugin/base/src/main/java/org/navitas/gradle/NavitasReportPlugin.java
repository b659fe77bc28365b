package org.navitas.gradle;

import java.io.File;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.provider.Provider;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;
import org.navitas.gradle.android.Framework;

/**
 * Adds {@code navitasReport}, by which the command line learns of bundles, to any project. It is not part of a user's
 * build: the init script applies it when the project has been evaluated.
 */
public class NavitasReportPlugin implements Plugin<Project> {
  private static final List<String> ANDROID =
      Arrays.asList("com.android.application", "com.android.library", "com.android.dynamic-feature", "com.android.test");

  @Override
  public void apply(Project project) {
    ReportTask report = project.getTasks().create("navitasReport", ReportTask.class);
    report.setDescription("Tells where Navitas's bundles of this project lie.");
    NavitasExtension extension = project.getExtensions().findByType(NavitasExtension.class);
    AndroidModule android = extension == null ? null : extension.android;
    if (android != null) {
      // Android's plugin makes its variants when the project has been evaluated, which may be later than now.
      report.dependsOn((Callable<?>) android.variants::tasks);
      report.settings(project.getPath(), "android", project.provider(() -> bundles(android)), Framework.of(project));
      return;
    }
    boolean bundled = project.getTasks().findByName(NavitasPlugin.BUNDLE) != null;
    if (bundled) {
      report.dependsOn(NavitasPlugin.BUNDLE);
    }
    boolean known = ANDROID.stream().anyMatch(id -> project.getPluginManager().hasPlugin(id));
    Provider<File> bundle = NavitasPlugin.bundle(project);
    report.settings(
        project.getPath(),
        known ? "android" : bundled ? "java" : "other",
        project.provider(() -> Collections.singletonMap("", bundle.get())),
        null);
  }

  private static Map<String, File> bundles(AndroidModule android) {
    Map<String, File> bundles = new TreeMap<>();
    AndroidVariant chosen = android.variants.chosen();
    for (AndroidVariant variant : android.variants.all()) {
      if (chosen == null || variant == chosen) {
        bundles.put(variant.name(), variant == chosen ? variant.bundle() : null);
      }
    }
    return bundles.isEmpty() ? Collections.singletonMap("", null) : bundles;
  }
}
