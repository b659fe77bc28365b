package org.navitas.gradle.android;

import java.util.Arrays;
import java.util.List;

/** The version and the features of a build's Android Gradle Plugin. */
public final class AgpVersion {
    /** Versions that Navitas is tested with. */
    private static final List<String> TESTED = Arrays.asList("3.1.4", "7.4.2", "8.4.2");

    private static final String[] HOLDERS = {"com.android.Version", "com.android.builder.model.Version"};
    private static final String VARIANTS = "com.android.build.api.variant.ScopedArtifacts";
    private static final String TRANSFORM = "com.android.build.api.transform.Transform";

    private final ClassLoader loader;

    /**
     * Creates the version of the plugin that a class loader contains.
     *
     * @param loader the build's class loader
     */
    public AgpVersion(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * Returns whether the plugin's classes are visible.
     *
     * @return false if another class loader has them
     */
    public boolean isVisible() {
        return has(VARIANTS) || has(TRANSFORM);
    }

    /**
     * Returns whether a task can transform variants' classes.
     *
     * @return true since 7.4
     */
    public boolean hasScopedArtifacts() {
        return has(VARIANTS);
    }

    /**
     * Returns whether the Transform API exists.
     *
     * @return true up to 7.4
     */
    public boolean hasTransform() {
        return has(TRANSFORM);
    }

    /**
     * Returns the version.
     *
     * @return such as {@code 7.4.2}, or {@code unknown}
     */
    public String text() {
        for (String holder : HOLDERS) {
            try {
                Object version = Class.forName(holder, true, loader)
                        .getField("ANDROID_GRADLE_PLUGIN_VERSION")
                        .get(null);
                return String.valueOf(version);
            } catch (ReflectiveOperationException e) {
                continue; // other versions have it elsewhere
            }
        }
        return "unknown";
    }

    /**
     * Returns a warning for an untested version.
     *
     * @return one line, or null for a tested version
     */
    public String warning() {
        return TESTED.contains(text())
                ? null
                : "Android Gradle Plugin " + text() + " is untested with Navitas (tested: " + String.join(", ", TESTED)
                        + ")";
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
