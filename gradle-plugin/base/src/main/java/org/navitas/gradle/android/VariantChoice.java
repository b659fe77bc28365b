package org.navitas.gradle.android;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.navitas.gradle.NavitasExtension;
import org.navitas.gradle.ProbeSwitch;

/**
 * The variants of an Android module that have instrumentation tests and probes, and the selected one. If the build only
 * makes apps to record, these are the variants of the app instead.
 */
public final class VariantChoice {
    private final Project project;
    private final AndroidModule module;
    private final ProbeSwitch probes;
    private final NavitasExtension extension;
    private final List<AndroidVariant> variants = new ArrayList<>();
    private final Map<String, String> leftOut = new LinkedHashMap<>();
    private boolean hasApp;

    VariantChoice(Project project, AndroidModule module, ProbeSwitch probes, NavitasExtension extension) {
        this.project = project;
        this.module = module;
        this.probes = probes;
        this.extension = extension;
    }

    /**
     * Returns whether a variant's bundle has tests: those that exist, unless the build only makes apps to record.
     *
     * @param exist whether the variant has sources of tests; used only if they matter
     * @return whether to build the tests
     */
    public boolean hasTests(BooleanSupplier exist) {
        return !module.isAppOnly() && exist.getAsBoolean();
    }

    /**
     * Returns whether a variant gets probes. Otherwise nothing of it may change.
     *
     * @param name such as {@code demoDebug}
     * @param debuggable whether its APK is debuggable
     * @param hasTests whether its bundle has tests
     * @return false if the build leaves it out
     */
    public boolean getsProbes(String name, boolean debuggable, boolean hasTests) {
        String refusal = probes.refusal(name, debuggable);
        if ((hasTests || module.isAppOnly()) && !refusal.isEmpty()) {
            leftOut.put(name, refusal);
        }
        return refusal.isEmpty();
    }

    /**
     * Adds a variant with tests, or one whose app can be recorded.
     *
     * @param name such as {@code demoDebug}
     * @param hasTests whether its bundle has tests
     * @return the variant, with its bundle
     */
    public AndroidVariant add(String name, boolean hasTests) {
        File bundle = new File(module.folder(name), project.getName() + "-" + name + ".bundle.zip");
        AndroidVariant variant = new AndroidVariant(name, "navitasBundle" + AndroidModule.capitalized(name), bundle);
        if (hasTests || module.isAppOnly()) {
            variants.add(variant);
        }
        hasApp |= !hasTests;
        return variant;
    }

    /**
     * Returns whether the module has an app without tests, which can be recorded.
     *
     * @return false if all variants have tests, or if it is a library
     */
    public boolean hasAppWithoutTests() {
        return hasApp;
    }

    /**
     * Returns the variants that can be profiled, or recorded if the build only makes apps.
     *
     * @return in the order in which they were added
     */
    public List<AndroidVariant> all() {
        return variants;
    }

    /**
     * Returns why variants that could be profiled or recorded get no probes.
     *
     * @return reasons by variant; the module's reason has no name
     */
    public Map<String, String> leftOut() {
        return probes.refusal().isEmpty() ? leftOut : Collections.singletonMap("", probes.refusal());
    }

    /**
     * Returns why nothing can be profiled or recorded.
     *
     * @return the end of a sentence about the module; empty if a variant can be, or if there is nothing to profile or record
     */
    public String refusal() {
        if (!probes.refusal().isEmpty()) {
            return probes.refusal();
        }
        return leftOut.getOrDefault(wanted(), variants.isEmpty() ? String.join(", and ", leftOut.values()) : "");
    }

    /**
     * Returns the name that the build or the command line selects.
     *
     * @return the name, or null if none is selected
     */
    public String wanted() {
        return probes.wanted();
    }

    /**
     * Returns the selected variant, or the only one: a selected name can refer to another module of the build.
     *
     * @return null if there is none or the user must choose
     */
    public AndroidVariant chosen() {
        for (AndroidVariant variant : variants) {
            if (variant.name().equals(wanted())) {
                return variant;
            }
        }
        return variants.size() == 1 && !leftOut.containsKey(wanted()) ? variants.get(0) : null;
    }

    /**
     * Returns the tasks that build the selected variant's bundle.
     *
     * @return task names; empty if there is no variant or the user must choose
     */
    public List<String> tasks() {
        AndroidVariant chosen = chosen();
        return chosen == null ? Collections.emptyList() : Collections.singletonList(chosen.bundleTask());
    }

    /**
     * Returns the bundle of the selected variant.
     *
     * @return the bundle; a missing file if there is nothing to profile or record, or if the build leaves it out
     * @throws GradleException if the user must choose, or if the module's block selects a variant that it does not have
     */
    public File bundle() {
        if (variants.isEmpty() || !refusal().isEmpty()) {
            return module.folder("none");
        }
        AndroidVariant chosen = chosen();
        String configured = extension.getVariant();
        if (chosen == null || configured != null && configured.equals(wanted()) && !configured.equals(chosen.name())) {
            String names = variants.stream().map(AndroidVariant::name).collect(Collectors.joining(", "));
            String kind = module.isAppOnly() ? "of an app" : "with tests";
            String problem = wanted() == null ? "has several variants" : "has no variant '" + wanted() + "' " + kind;
            throw new GradleException("navitas: " + project.getPath() + " " + problem + ": choose one of " + names
                    + " by navitas { variant '" + variants.get(0).name() + "' } or -Pnavitas.variant="
                    + variants.get(0).name());
        }
        return chosen.bundle();
    }
}
