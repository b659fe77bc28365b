package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
import org.gradle.api.tasks.testing.Test;

/**
 * What is profiled in a module: the tests of one {@code Test} task and the code they run. All values are evaluated
 * late, since build files can add tasks, source sets and class folders until the last project is evaluated.
 */
final class ModuleTests {
    /** Project property that selects another task than {@code test}. */
    static final String TASK_PROPERTY = "navitas.testTask";

    private final Project project;
    private final ProjectProperties properties;

    ModuleTests(Project project) {
        this.project = project;
        properties = new ProjectProperties(project);
    }

    /** Returns the selected task, or null if the module has none of that name. */
    Test task() {
        Object name = properties.find(TASK_PROPERTY);
        Task found = project.getTasks().findByName(name == null ? "test" : name.toString());
        return found instanceof Test ? (Test) found : null;
    }

    /** Returns the names of {@code Test} tasks that are not profiled; empty if the user has selected a task. */
    List<String> otherTasks() {
        Test chosen = task();
        if (properties.find(TASK_PROPERTY) != null) {
            return Collections.emptyList();
        }
        List<String> names =
                new ArrayList<>(project.getTasks().withType(Test.class).getNames());
        if (chosen != null) {
            names.remove(chosen.getName());
        }
        return names;
    }

    FileCollection classPath() {
        return late(() -> task() == null ? Collections.emptyList() : task().getClasspath());
    }

    /** Returns the JUnit Platform of Gradle, which it adds to a class path without one; empty for other tests. */
    FileCollection platformOfGradle() {
        return late(() -> task() == null || !TestFramework.isPlatform(task())
                ? Collections.emptyList()
                : PlatformLauncher.ofGradle(project.getGradle().getGradleHomeDir()));
    }

    /** Returns the folders whose classes the task searches for tests. */
    FileCollection testFolders() {
        return late(() -> task() == null ? Collections.emptyList() : task().getTestClassesDirs());
    }

    /**
     * Returns the class files in {@link #testFolders} that the task's {@code include} and {@code exclude} patterns
     * select.
     */
    FileCollection candidates() {
        return late(() -> task() == null ? Collections.emptyList() : task().getCandidateClassFiles());
    }

    /** Returns classes and resources of the source sets of the tests. */
    FileCollection testOutputs() {
        return late(() -> {
            List<Object> outputs = new ArrayList<>();
            for (SourceSet one : testSets()) {
                outputs.add(one.getOutput());
            }
            return outputs;
        });
    }

    FileCollection mainOutputs() {
        return late(() -> main().getOutput());
    }

    /** Returns the files on the class path that other projects build. */
    Provider<ArtifactCollection> projectArtifacts() {
        return project.provider(() -> project.getConfigurations()
                .getByName(runtimeConfiguration())
                .getIncoming()
                .artifactView(view -> view.componentFilter(id -> id instanceof ProjectComponentIdentifier))
                .getArtifacts());
    }

    /**
     * Returns the paths of projects by their build folders. Isolated projects may only see their own; that is enough unless a
     * build file names another project's outputs by location.
     */
    Provider<Map<String, String>> buildFolders() {
        return project.provider(() -> {
            Map<String, String> folders = new TreeMap<>();
            for (Project one : properties.areIsolated()
                    ? Collections.singleton(project)
                    : project.getRootProject().getAllprojects()) {
                folders.put(
                        one.getLayout().getBuildDirectory().get().getAsFile().getPath(), one.getPath());
            }
            return folders;
        });
    }

    private String runtimeConfiguration() {
        Collection<SourceSet> sets = testSets();
        SourceSet chosen = sets.isEmpty()
                ? sourceSets().getByName(SourceSet.TEST_SOURCE_SET_NAME)
                : sets.iterator().next();
        return chosen.getRuntimeClasspathConfigurationName();
    }

    /**
     * Returns source sets that compile into a folder with tests, except {@code main}: main code with tests is still main
     * code.
     */
    private Collection<SourceSet> testSets() {
        Set<File> folders = testFolders().getFiles();
        Set<SourceSet> found = new LinkedHashSet<>();
        for (SourceSet one : sourceSets()) {
            if (!one.equals(main())
                    && !Collections.disjoint(one.getOutput().getClassesDirs().getFiles(), folders)) {
                found.add(one);
            }
        }
        return found;
    }

    private SourceSet main() {
        return sourceSets().getByName(SourceSet.MAIN_SOURCE_SET_NAME);
    }

    private SourceSetContainer sourceSets() {
        // Gradle 7.1 added a typed method, which 4.4 lacks; the property works in all versions.
        return (SourceSetContainer) project.property("sourceSets");
    }

    private FileCollection late(Callable<Object> files) {
        return project.files(files);
    }
}
