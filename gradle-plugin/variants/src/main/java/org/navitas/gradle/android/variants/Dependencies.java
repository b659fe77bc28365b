package org.navitas.gradle.android.variants;

import com.android.build.api.variant.Component;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactView;
import org.gradle.api.artifacts.ProjectDependency;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.attributes.Attribute;
import org.navitas.gradle.ModulePath;
import org.navitas.gradle.NewerGradle;

/** What a component depends on. */
final class Dependencies {
    private static final Attribute<String> ARTIFACT_TYPE = Attribute.of("artifactType", String.class);
    private static final String CLASSES_JAR = "android-classes-jar";

    private Dependencies() {}

    /** Returns jars of a component's dependencies: those of the build's projects, or all others. */
    static ArtifactView jars(Component component, boolean own) {
        return component.getRuntimeConfiguration().getIncoming().artifactView(view -> {
            view.componentFilter(id -> id instanceof ProjectComponentIdentifier == own);
            view.attributes(attributes -> attributes.attribute(ARTIFACT_TYPE, CLASSES_JAR));
        });
    }

    /** Returns the paths of projects by those of their jars. */
    static Map<String, String> modules(Set<ResolvedArtifactResult> artifacts) {
        Map<String, String> modules = new HashMap<>();
        for (ResolvedArtifactResult artifact : artifacts) {
            modules.put(
                    artifact.getFile().getPath(), ModulePath.of(artifact.getId().getComponentIdentifier()));
        }
        return modules;
    }

    /** Returns the paths of the projects that a component of a project depends on, without itself if the tested one is an app. */
    static Set<String> projects(Project project, Component component, boolean isApp) {
        Set<String> paths = new HashSet<>();
        for (ProjectDependency dependency :
                component.getRuntimeConfiguration().getAllDependencies().withType(ProjectDependency.class)) {
            Object path = NewerGradle.call(dependency, ProjectDependency.class, "getPath");
            paths.add(
                    path != null
                            ? path.toString()
                            : dependency.getDependencyProject().getPath());
        }
        if (isApp) {
            paths.remove(project.getPath());
        }
        return paths;
    }
}
