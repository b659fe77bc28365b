package org.navitas.gradle.android;

import java.io.File;

/** A variant of an Android module for which a bundle is built. Immutable. */
public final class AndroidVariant {
    private final String name;
    private final String bundleTask;
    private final File bundle;

    AndroidVariant(String name, String bundleTask, File bundle) {
        this.name = name;
        this.bundleTask = bundleTask;
        this.bundle = bundle;
    }

    /**
     * Returns the variant's name.
     *
     * @return such as {@code demoDebug}
     */
    public String name() {
        return name;
    }

    /**
     * Returns the name of the task that writes {@link #bundle}.
     *
     * @return a task name
     */
    public String bundleTask() {
        return bundleTask;
    }

    /**
     * Returns the bundle.
     *
     * @return the file, which may not exist yet
     */
    public File bundle() {
        return bundle;
    }
}
