package org.navitas.gradle;

import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.DefaultTask;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.component.ComponentIdentifier;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.file.FileCollection;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;

/** What the tasks of one module share: its test class path, sorted out when the task runs. */
public abstract class ModuleTask extends DefaultTask {
  private FileCollection classPath;
  private FileCollection mainOutputs;
  private FileCollection testOutputs;
  private ArtifactCollection projectArtifacts;
  private String module;

  /** Sets the class path and makes everything that builds it a dependency; called once, while configuring. */
  void classPath(
      FileCollection classPath,
      FileCollection mainOutputs,
      FileCollection testOutputs,
      ArtifactCollection projectArtifacts,
      String module) {
    this.classPath = classPath;
    this.mainOutputs = mainOutputs;
    this.testOutputs = testOutputs;
    this.projectArtifacts = projectArtifacts;
    this.module = module;
    dependsOn(mainOutputs, testOutputs);
  }

  /**
   * The test class path. It is an input as a whole: which of its files are the user's own can only be told once they are
   * built, while Gradle asks for file inputs when it plans the build.
   */
  @Classpath
  public FileCollection getClassPath() {
    return classPath;
  }

  /** Gradle path of the module. */
  @Input
  public String getModule() {
    return module;
  }

  /** The test class path in order; only of use once its files have been built. */
  List<ClassPathEntry> entries() {
    Map<File, String> modules = new HashMap<>();
    for (ResolvedArtifactResult artifact : projectArtifacts) {
      modules.put(artifact.getFile(), modulePath(artifact.getId().getComponentIdentifier()));
    }
    return ClassPathEntry.sort(classPath, mainOutputs.getFiles(), testOutputs.getFiles(), modules, module);
  }

  /** Whether there is a class in the test outputs; a module without gets no bundle. */
  @Input
  public boolean getHasTests() {
    return !testOutputs.getAsFileTree().filter(file -> file.getName().endsWith(".class")).isEmpty();
  }

  private static String modulePath(ComponentIdentifier id) {
    ProjectComponentIdentifier project = (ProjectComponentIdentifier) id;
    String path = project.getProjectPath();
    if (project.getBuild().isCurrentBuild()) {
      return path;
    }
    String build = project.getBuild().getName();
    return (build.startsWith(":") ? build : ":" + build) + (path.equals(":") ? "" : path);
  }
}
