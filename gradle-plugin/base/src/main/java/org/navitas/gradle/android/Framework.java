package org.navitas.gradle.android;

import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.Dependency;
import org.gradle.api.artifacts.ModuleDependency;
import org.gradle.api.attributes.Usage;
import org.gradle.api.file.FileCollection;

/** Android's framework for a virtual phone, from the repositories of the user's build. */
final class Framework {
    private static final String ROBOLECTRIC = "org.robolectric:robolectric:4.16.1";
    private static final String ANDROID = "org.robolectric:android-all-instrumented:13-robolectric-9030017-i7";
    private static final String JUNIT = "junit:junit:4.13.2";

    private Framework() {}

    /** Returns jars and AARs, which the project resolves. */
    static FileCollection of(Project project) {
        ModuleDependency android = (ModuleDependency) project.getDependencies().create(ANDROID);
        android.setTransitive(false);
        return detached(
                        project,
                        project.getDependencies().create(ROBOLECTRIC),
                        project.getDependencies().create(JUNIT))
                .plus(detached(project, android));
    }

    private static FileCollection detached(Project project, Dependency... dependencies) {
        Configuration configuration = project.getConfigurations().detachedConfiguration(dependencies);
        configuration
                .getAttributes()
                .attribute(Usage.USAGE_ATTRIBUTE, project.getObjects().named(Usage.class, Usage.JAVA_RUNTIME));
        return configuration;
    }
}
