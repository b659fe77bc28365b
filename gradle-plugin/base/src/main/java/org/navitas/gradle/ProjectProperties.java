package org.navitas.gradle;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.gradle.api.Project;
import org.gradle.api.tasks.testing.Test;

/** The project properties of a build, also if Gradle isolates projects: a project may then not ask its parents. */
public final class ProjectProperties {
    /** Loaded by name, since it needs the class of Gradle 8.5 below. */
    private static final String ISOLATED = "org.navitas.gradle.isolated.IsolatedProperties";

    private static final String FEATURES = "org.gradle.api.configuration.BuildFeatures";

    private final Project project;
    private final Function<String, Object> isolated;

    /**
     * Creates the properties of a project.
     *
     * @param project the project
     */
    public ProjectProperties(Project project) {
        this.project = project;
        this.isolated = isolated(project);
    }

    /**
     * Returns a property.
     *
     * @param name the complete name, such as {@code navitas.variant}
     * @return the value, or null
     */
    public Object find(String name) {
        return isolated == null ? project.findProperty(name) : isolated.apply(name);
    }

    /** Returns whether Gradle isolates projects in this build. */
    boolean areIsolated() {
        return isolated != null;
    }

    @SuppressWarnings("unchecked")
    private static Function<String, Object> isolated(Project project) {
        try {
            Class.forName(FEATURES, false, Test.class.getClassLoader());
            Object properties = project.getObjects().newInstance(Class.forName(ISOLATED));
            return ((BooleanSupplier) properties).getAsBoolean() ? (Function<String, Object>) properties : null;
        } catch (ClassNotFoundException e) {
            return null; // an older Gradle, which cannot isolate projects
        }
    }
}
