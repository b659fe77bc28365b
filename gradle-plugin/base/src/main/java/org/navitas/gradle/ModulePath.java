package org.navitas.gradle;

import org.gradle.api.artifacts.component.ComponentIdentifier;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;

/** The name of a project in maps and reports: {@code :app}, or {@code :<build>:<path>} in an included build. */
public final class ModulePath {
    private ModulePath() {}

    /**
     * Returns a sentence about a module.
     *
     * @param module its path
     * @param text the sentence, which does not name it
     * @return the sentence with the path before it, except for the root project
     */
    public static String before(String module, String text) {
        return module.equals(":") ? text : module + ": " + text;
    }

    /**
     * Returns the path of a component.
     *
     * @param id any component
     * @return the path, or null if the component is not a project
     */
    public static String of(ComponentIdentifier id) {
        ProjectComponentIdentifier project = (ProjectComponentIdentifier) id;
        String path = project.getProjectPath();
        if (project.getBuild().isCurrentBuild()) {
            return path;
        }
        String build = project.getBuild().getName();
        return (build.startsWith(":") ? build : ":" + build) + (path.equals(":") ? "" : path);
    }
}
