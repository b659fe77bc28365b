package org.navitas.gradle;

import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.gradle.api.DefaultTask;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;

/** What the tasks of one module share: its test class path, sorted out when the task runs. */
public abstract class ModuleTask extends DefaultTask {
  private FileCollection classPath;
  private FileCollection mainOutputs;
  private FileCollection testOutputs;
  private FileCollection testFolders;
  private Provider<ArtifactCollection> projectArtifacts;
  private Provider<Map<String, String>> buildFolders;
  private String module;

  /** Sets the class path and makes everything that builds it a dependency; called once, while configuring. */
  void tests(ModuleTests tests, String module) {
    this.classPath = tests.classPath();
    this.mainOutputs = tests.mainOutputs();
    this.testOutputs = tests.testOutputs();
    this.testFolders = tests.testFolders();
    this.projectArtifacts = tests.projectArtifacts();
    this.buildFolders = tests.buildFolders();
    this.module = module;
    dependsOn(mainOutputs, testOutputs, testFolders);
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
    for (ResolvedArtifactResult artifact : projectArtifacts.get()) {
      modules.put(artifact.getFile(), ModulePath.of(artifact.getId().getComponentIdentifier()));
    }
    Set<File> tests = new HashSet<>(testOutputs.getFiles());
    tests.addAll(testFolders.getFiles());
    Owners owners = new Owners(modules, buildFolders.get(), module);
    return ClassPathEntry.sort(classPath, mainOutputs.getFiles(), tests, owners, module);
  }

  /** Whether there is a class where tests are looked for; a module without gets no bundle. */
  @Input
  public boolean getHasTests() {
    return !testClassFiles().isEmpty();
  }

  /** All class files where tests are looked for. */
  FileCollection testClassFiles() {
    return testFolders.getAsFileTree().filter(file -> file.getName().endsWith(".class"));
  }

  /** Existing folders whose classes are looked through for tests. */
  Set<File> testFolders() {
    Set<File> folders = new HashSet<>(testFolders.getFiles());
    folders.removeIf(folder -> !folder.isDirectory());
    return folders;
  }
}
