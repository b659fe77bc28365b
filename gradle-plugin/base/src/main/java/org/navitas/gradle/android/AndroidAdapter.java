package org.navitas.gradle.android;

import org.gradle.api.Project;

/**
 * Adapts Navitas to one generation of the Android Gradle Plugin: adds probes to classes before they are packed into an
 * APK, and finds the APKs. Implementations are loaded by name, so that none needs the classes of another plugin
 * version.
 */
public interface AndroidAdapter {
    /**
     * Called when an Android plugin has been applied. Adds variants to {@code module} until the build is configured.
     *
     * @param project the project with the Android plugin
     * @param module receives the variants
     */
    void apply(Project project, AndroidModule module);
}
