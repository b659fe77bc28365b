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
 * Adds {@code navitasReport} to any project. This task reports bundles to the command line. User's builds do not
 * contain this plugin: the init script applies it after the project is evaluated.
 */
public class NavitasReportPlugin implements Plugin<Project> {
  private static final List<String> ANDROID =
      Arrays.asList("com.android.application", "com.android.library", "com.android.dynamic-feature", "com.android.test");

  @Override
  public void apply(Project project) {
    ReportTask report = project.getTasks().create("navitasReport", ReportTask.class);
    report.setDescription("Prints the location of this project's Navitas bundles.");
    NavitasExtension extension = project.getExtensions().findByType(NavitasExtension.class);
    AndroidModule android = extension == null ? null : extension.android;
    if (android != null) {
      // Android's plugin creates its variants after the project is evaluated, possibly later.
      report.dependsOn((Callable<?>) android.variants::tasks);
      report.settings(project.getPath(), "android", project.provider(() -> bundles(android)),
          project.provider(android.variants::leftOut), Framework.of(project));
      report.hasApp(project.provider(android.variants::hasAppWithoutTests));
      return;
    }
    boolean bundled = project.getTasks().findByName(NavitasPlugin.BUNDLE) != null;
    String refusal = bundled ? new ProbeSwitch(new Settings(project), extension).refusal() : "";
    if (bundled && refusal.isEmpty()) {
      report.dependsOn(NavitasPlugin.BUNDLE);
    }
    boolean known = ANDROID.stream().anyMatch(id -> project.getPluginManager().hasPlugin(id));
    Provider<File> bundle = NavitasPlugin.bundle(project);
    report.settings(
        project.getPath(),
        known ? "android" : bundled ? "java" : "other",
        project.provider(() -> Collections.singletonMap("", bundle.get())),
        project.provider(() -> refusal.isEmpty() ? Collections.emptyMap() : Collections.singletonMap("", refusal)),
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
