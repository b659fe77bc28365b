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

/** Base class of the tasks of one module. Classifies the test class path when the task runs. */
public abstract class ModuleTask extends DefaultTask {
    private FileCollection classPath;
    private FileCollection mainOutputs;
    private FileCollection testOutputs;
    private FileCollection testFolders;
    private Provider<ArtifactCollection> projectArtifacts;
    private Provider<Map<String, String>> buildFolders;
    private String module;

    /** Sets the class path and depends on everything that builds it; called once, at configuration time. */
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
     * Returns the test class path. The whole class path is one input: only when its files are built is it known which of
     * them are the user's, but Gradle needs file inputs when it plans the build.
     *
     * @return files in class path order
     */
    @Classpath
    public FileCollection getClassPath() {
        return classPath;
    }

    /**
     * Returns the Gradle path of the module.
     *
     * @return such as {@code :app}
     */
    @Input
    public String getModule() {
        return module;
    }

    /** Returns the test class path in order. Call it only when its files are built. */
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

    /**
     * Returns whether the folders of tests contain a class; a module without classes gets no bundle.
     *
     * @return whether there is a class
     */
    @Input
    public boolean getHasTests() {
        return !testClassFiles().isEmpty();
    }

    /** Returns all class files in the folders of tests. */
    FileCollection testClassFiles() {
        return testFolders.getAsFileTree().filter(file -> file.getName().endsWith(".class"));
    }

    /** Returns the existing folders that are searched for tests. */
    Set<File> testFolders() {
        Set<File> folders = new HashSet<>(testFolders.getFiles());
        folders.removeIf(folder -> !folder.isDirectory());
        return folders;
    }
}
