package org.navitas.gradle;

import groovy.json.JsonOutput;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskAction;

/**
 * Reports a project and its bundles to the command line, as a line on standard output for each bundle: {@code
 * navitas-project {"module": ":app", "kind": "java|android|other", "variant": NAME|null, "bundle": PATH|null,
 * "framework": [PATH, …]|null, "left_out": TEXT|null, "has_app": BOOLEAN, "java": VERSION}}. {@code left_out} is why a
 * module, or a variant with tests, gets no probes. {@code has_app} says that the module has an app without tests. {@code
 * java} is the version that Gradle runs on. Never up to date.
 */
public class ReportTask extends DefaultTask {
    private String module;
    private String kind;
    private Provider<Map<String, File>> bundles;
    private Provider<Map<String, String>> leftOut;
    private FileCollection framework;
    private Provider<Boolean> hasApp;

    /**
     * Sets the task's inputs.
     *
     * @param module Gradle path of the project
     * @param kind {@code java}, {@code android} or {@code other}
     * @param bundles by variant; the name is empty if there are no variants, and a missing file means no bundle
     * @param leftOut why variants get no probes, as the end of a sentence about the module; the module's reason has no name
     * @param framework Android's framework for a virtual phone, or null if not requested
     */
    void settings(
            String module,
            String kind,
            Provider<Map<String, File>> bundles,
            Provider<Map<String, String>> leftOut,
            FileCollection framework) {
        this.module = module;
        this.kind = kind;
        this.bundles = bundles;
        this.leftOut = leftOut;
        this.framework = framework;
        getOutputs().upToDateWhen(task -> false);
    }

    /** Sets whether the module has an app without tests, which can be recorded; null for a module without apps. */
    void hasApp(Provider<Boolean> hasApp) {
        this.hasApp = hasApp;
    }

    /**
     * Returns the reported variants.
     *
     * @return names
     */
    public Set<String> variants() {
        Set<String> names = new TreeSet<>(bundles.get().keySet());
        names.addAll(leftOut.get().keySet());
        names.remove("");
        return names;
    }

    /** Prints the report. */
    @TaskAction
    public void report() {
        List<String> files = framework == null ? null : new ArrayList<>();
        if (framework != null) {
            framework.forEach(file -> files.add(file.getAbsolutePath()));
        }
        if (leftOut.get().containsKey("")) {
            System.out.println("navitas: " + module + " " + leftOut.get().get(""));
        }
        Map<String, File> all = new TreeMap<>(bundles.get());
        leftOut.get().keySet().forEach(variant -> all.put(variant, null));
        all.forEach((variant, bundle) -> {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("module", module);
            line.put("kind", kind);
            line.put("variant", variant.isEmpty() ? null : variant);
            line.put("bundle", bundle != null && bundle.exists() ? bundle.getAbsolutePath() : null);
            line.put("framework", files);
            line.put("left_out", leftOut.get().get(variant));
            line.put("has_app", hasApp != null && hasApp.get());
            line.put("java", System.getProperty("java.version"));
            // toJson escapes non-ASCII characters, so the console's encoding does not matter.
            System.out.println("navitas-project " + JsonOutput.toJson(line));
        });
    }
}
