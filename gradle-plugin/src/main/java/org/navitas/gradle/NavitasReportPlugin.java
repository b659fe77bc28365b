package org.navitas.gradle;

import java.util.Arrays;
import java.util.List;
import org.gradle.api.Plugin;
import org.gradle.api.Project;

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
    report.setDescription("Tells where Navitas's bundle of this project lies.");
    boolean bundled = project.getTasks().findByName(NavitasPlugin.BUNDLE) != null;
    if (bundled) {
      report.dependsOn(NavitasPlugin.BUNDLE);
    }
    boolean android = ANDROID.stream().anyMatch(id -> project.getPluginManager().hasPlugin(id));
    String kind = android ? "android" : bundled ? "java" : "other";
    report.settings(project.getPath(), kind, NavitasPlugin.bundle(project));
  }
}
