package org.navitas.gradle;

import java.io.File;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.provider.Provider;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;

/**
 * Adds {@code navitasReport} to any project. This task reports bundles to the command line. User's builds do not
 * contain this plugin: the init script applies it after the project is evaluated.
 */
public class NavitasReportPlugin implements Plugin<Project> {
    /** Why modules of other plugins have no bundle, as the end of a sentence about the module; by the plugin's id. */
    private static final Map<String, String> GAPS = new LinkedHashMap<>();

    static {
        GAPS.put("com.android.dynamic-feature", "is a dynamic feature, whose classes get no probes yet");
        GAPS.put("com.android.test", "is a separate module of tests (com.android.test), which Navitas cannot run yet");
        GAPS.put(
                "com.android.kotlin.multiplatform.library",
                "is a Kotlin Multiplatform library, which has probes in the apps that use it, but whose own device"
                        + " tests Navitas cannot run yet");
    }

    @Override
    public void apply(Project project) {
        ReportTask report = project.getTasks().create("navitasReport", ReportTask.class);
        report.setDescription("Prints the location of this project's Navitas bundles.");
        NavitasPlugin plugin = project.getPlugins().findPlugin(NavitasPlugin.class);
        AndroidModule android = plugin == null ? null : plugin.android;
        if (android != null) {
            // Android's plugin creates its variants after the project is evaluated, possibly later.
            report.dependsOn((Callable<?>) android.variants::tasks);
            report.settings(
                    project.getPath(),
                    "android",
                    project.provider(() -> bundles(android)),
                    project.provider(android.variants::leftOut),
                    android.framework());
            report.hasApp(project.provider(android.variants::hasAppWithoutTests));
            return;
        }
        boolean bundled = project.getTasks().findByName(NavitasPlugin.BUNDLE) != null;
        NavitasExtension extension = project.getExtensions().findByType(NavitasExtension.class);
        String refusal = bundled ? new ProbeSwitch(new Settings(project), extension).refusal() : "";
        if (bundled && refusal.isEmpty()) {
            report.dependsOn(NavitasPlugin.BUNDLE);
        }
        String gap = GAPS.keySet().stream()
                .filter(id -> project.getPluginManager().hasPlugin(id))
                .findFirst()
                .orElse(null);
        String reason = gap == null ? refusal : GAPS.get(gap);
        Provider<File> bundle = NavitasPlugin.bundle(project);
        report.settings(
                project.getPath(),
                gap != null || isAndroid(project) ? "android" : bundled ? "java" : "other",
                project.provider(() -> Collections.singletonMap("", bundle.get())),
                project.provider(
                        () -> reason.isEmpty() ? Collections.emptyMap() : Collections.singletonMap("", reason)),
                null);
    }

    private static boolean isAndroid(Project project) {
        return project.getPluginManager().hasPlugin("com.android.application")
                || project.getPluginManager().hasPlugin("com.android.library");
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
