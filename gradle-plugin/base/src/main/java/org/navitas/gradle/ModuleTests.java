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
 * What of a module is profiled: the tests of one {@code Test} task and the code beside them. Everything is asked for
 * late, since build files may add tasks, source sets and class folders until the last project has been evaluated.
 */
final class ModuleTests {
  /** Project property that names another task than {@code test}. */
  static final String TASK_PROPERTY = "navitas.testTask";

  private final Project project;
  private final PlatformLauncher launcher;

  ModuleTests(Project project) {
    this.project = project;
    launcher = new PlatformLauncher(project);
  }

  /** The chosen task; null where the module has none of that name. */
  Test task() {
    Object name = project.findProperty(TASK_PROPERTY);
    Task found = project.getTasks().findByName(name == null ? "test" : name.toString());
    return found instanceof Test ? (Test) found : null;
  }

  /** Names of {@code Test} tasks that are passed over without having been asked for; none where the user has chosen one. */
  List<String> otherTasks() {
    Test chosen = task();
    if (project.findProperty(TASK_PROPERTY) != null) {
      return Collections.emptyList();
    }
    List<String> names = new ArrayList<>(project.getTasks().withType(Test.class).getNames());
    if (chosen != null) {
      names.remove(chosen.getName());
    }
    return names;
  }

  FileCollection classPath() {
    return late(() -> task() == null ? Collections.emptyList() : task().getClasspath());
  }

  /** What Gradle adds to the class path when it runs the tests. */
  FileCollection addedByGradle() {
    return late(() -> task() == null ? Collections.emptyList() : launcher.missing(task(), runtimeConfiguration()));
  }

  /** Folders whose classes the task looks through for tests. */
  FileCollection testFolders() {
    return late(() -> task() == null ? Collections.emptyList() : task().getTestClassesDirs());
  }

  /** Class files in {@link #testFolders} that the task's {@code include} and {@code exclude} patterns leave to it. */
  FileCollection candidates() {
    return late(() -> task() == null ? Collections.emptyList() : task().getCandidateClassFiles());
  }

  /** Classes and resources of the source sets that the tests come from. */
  FileCollection testOutputs() {
    return late(
        () -> {
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

  /** What other projects have made for the class path. */
  Provider<ArtifactCollection> projectArtifacts() {
    return project.provider(
        () ->
            project
                .getConfigurations()
                .getByName(runtimeConfiguration())
                .getIncoming()
                .artifactView(view -> view.componentFilter(id -> id instanceof ProjectComponentIdentifier))
                .getArtifacts());
  }

  /** Paths of all projects by their build folders. */
  Provider<Map<String, String>> buildFolders() {
    return project.provider(
        () -> {
          Map<String, String> folders = new TreeMap<>();
          for (Project one : project.getRootProject().getAllprojects()) {
            folders.put(one.getLayout().getBuildDirectory().get().getAsFile().getPath(), one.getPath());
          }
          return folders;
        });
  }

  private String runtimeConfiguration() {
    Collection<SourceSet> sets = testSets();
    SourceSet chosen = sets.isEmpty() ? sourceSets().getByName(SourceSet.TEST_SOURCE_SET_NAME) : sets.iterator().next();
    return chosen.getRuntimeClasspathConfigurationName();
  }

  /** Source sets that compile into a folder with tests, but for {@code main}: tests among main code do not make it tests. */
  private Collection<SourceSet> testSets() {
    Set<File> folders = testFolders().getFiles();
    Set<SourceSet> found = new LinkedHashSet<>();
    for (SourceSet one : sourceSets()) {
      if (!one.equals(main()) && !Collections.disjoint(one.getOutput().getClassesDirs().getFiles(), folders)) {
        found.add(one);
      }
    }
    return found;
  }

  private SourceSet main() {
    return sourceSets().getByName(SourceSet.MAIN_SOURCE_SET_NAME);
  }

  private SourceSetContainer sourceSets() {
    // Since Gradle 7.1 there is a typed way, which 4.4 lacks; the property works in all.
    return (SourceSetContainer) project.property("sourceSets");
  }

  private FileCollection late(Callable<Object> files) {
    return project.files(files);
  }
}
