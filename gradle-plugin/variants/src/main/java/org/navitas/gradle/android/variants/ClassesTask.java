package org.navitas.gradle.android.variants;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.Provider;
import org.gradle.api.provider.SetProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.LocalState;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.android.ClassOptions;
import org.navitas.gradle.android.ClassOutputs;
import org.navitas.gradle.android.ClassSource;
import org.navitas.gradle.android.ClassWork;
import org.navitas.gradle.android.KnownIds;
import org.navitas.gradle.android.ProbeNotice;

/** Instruments the classes of one component before they go to the dexer, or gives ids to those that Android instruments. */
@CacheableTask
public abstract class ClassesTask extends DefaultTask {
    private static final String RESOURCE_IDS = "R.jar";

    /**
     * All jars of the component.
     *
     * @return in class path order
     */
    @Classpath
    public abstract ListProperty<RegularFile> getAllJars();

    /**
     * All class folders of the component.
     *
     * @return in class path order
     */
    @Classpath
    public abstract ListProperty<Directory> getAllDirectories();

    /**
     * Jars of the build's other projects; some are in {@link #getAllJars}.
     *
     * @return jars
     */
    @Classpath
    public abstract ConfigurableFileCollection getProjectJars();

    /**
     * Paths of projects.
     *
     * @return by the paths of their jars
     */
    @Internal
    public abstract MapProperty<String, String> getModules();

    /**
     * Which classes get probes.
     *
     * @return the options
     */
    @Internal
    public abstract Property<ClassOptions> getOptions();

    /**
     * The options as a task input.
     *
     * @return {@link ClassOptions#text}
     */
    @Input
    public Provider<String> getOptionsText() {
        return getOptions().map(ClassOptions::text);
    }

    /**
     * The file with blocks to remove or repeat, the one of {@link #getOptions}.
     *
     * @return absent without edits
     */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getBlockEdits();

    /**
     * Whether the component contains tests.
     *
     * @return true for tests
     */
    @Input
    public abstract Property<Boolean> getTests();

    /**
     * Whether the component's own classes get probes.
     *
     * @return false to copy them unchanged
     */
    @Input
    public abstract Property<Boolean> getInstrumentOwn();

    /**
     * Whether the component includes libraries.
     *
     * @return false for the component's own classes only
     */
    @Input
    public abstract Property<Boolean> getWhole();

    /**
     * The module's folder of outputs. A jar in it has the module's own classes, which another plugin has processed, unless it
     * is in {@link #getNavitasFolder}.
     *
     * @return the folder
     */
    @Internal
    public abstract DirectoryProperty getBuildFolder();

    /**
     * Navitas' own folder of outputs, which has the libraries that it adds.
     *
     * @return a folder in {@link #getBuildFolder}
     */
    @Internal
    public abstract DirectoryProperty getNavitasFolder();

    /**
     * What each of {@link #getAllJars} is, which its path or its name decides: an input, since Gradle ignores these.
     *
     * @return {@link ClassSource#text} in class path order
     */
    @Input
    public Provider<List<String>> getOrigins() {
        return getAllJars()
                .map(jars -> jarSources(jars).stream().map(ClassSource::text).collect(Collectors.toList()));
    }

    /**
     * Whether the output contains the class with the map's id.
     *
     * @return true for the first map of a process
     */
    @Input
    public abstract Property<Boolean> getWritesMapClass();

    /**
     * What the build says about the APK.
     *
     * @return absent for the tests of an app, whose own APK is named
     */
    @Internal
    public abstract Property<ProbeNotice> getNotice();

    /**
     * The map that the one of these classes continues.
     *
     * @return absent for the first classes of an app
     */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getEarlierMap();

    /**
     * The instrumented classes of projects.
     *
     * @return the folder to write
     */
    @OutputDirectory
    public abstract DirectoryProperty getClasses();

    /**
     * The classes of libraries, and resource ids.
     *
     * @return the jar to write
     */
    @OutputFile
    public abstract RegularFileProperty getLibraries();

    /**
     * The method map.
     *
     * @return the file to write
     */
    @OutputFile
    public abstract RegularFileProperty getMap();

    /**
     * The summary, {@link ClassWork#summaryFile} of the map.
     *
     * @return the file to write
     */
    @OutputFile
    public abstract RegularFileProperty getSummary();

    /**
     * Patterns of classes that Android leaves out, such as {@code org/example/**}.
     *
     * @return empty unless the build sets some
     */
    @Input
    public abstract SetProperty<String> getLeftOut();

    /**
     * The ids of methods, for {@link ModuleProbes}.
     *
     * @return the file to write; absent if Android adds no probes
     */
    @Optional
    @OutputFile
    public abstract RegularFileProperty getIds();

    /**
     * Instrumented copies that are kept for the next run.
     *
     * @return a local folder
     */
    @LocalState
    public abstract RegularFileProperty getWork();

    /**
     * The state, {@link ClassWork#stateFile} of the map.
     *
     * @return a local file
     */
    @LocalState
    public abstract RegularFileProperty getMemory();

    /**
     * Instruments the classes.
     *
     * @throws IOException if a file cannot be read or written
     */
    @TaskAction
    public void instrument() throws IOException {
        File earlier = getEarlierMap().isPresent() ? getEarlierMap().get().getAsFile() : null;
        ClassOutputs outputs = new ClassOutputs(
                getMap().get().getAsFile(),
                getClasses().get().getAsFile(),
                getLibraries().get().getAsFile(),
                getWork().get().getAsFile(),
                getWritesMapClass().get());
        ClassOptions options = getOptions().get();
        for (String pattern : getLeftOut().get()) {
            options = options.without(pattern.replace('/', '.'));
        }
        ClassWork.intoFolderAndJar(sources(), options, earlier, outputs, getLogger());
        if (getIds().isPresent()) {
            KnownIds.save(getMap().get().getAsFile(), getIds().get().getAsFile());
        }
        if (getNotice().isPresent()) {
            getNotice().get().print(getLogger());
        }
    }

    private List<ClassSource> sources() {
        List<ClassSource> sources = new ArrayList<>();
        getAllDirectories().get().forEach(folder -> sources.add(own(folder.getAsFile())));
        sources.addAll(jarSources(getAllJars().get()));
        return sources;
    }

    private List<ClassSource> jarSources(List<RegularFile> jars) {
        Map<String, String> modules = getModules().get();
        return jars.stream().map(jar -> source(jar.getAsFile(), modules)).collect(Collectors.toList());
    }

    private ClassSource source(File jar, Map<String, String> modules) {
        String project = modules.get(jar.getPath());
        if (project != null) {
            return ClassSource.own(jar, project, false);
        }
        if (jar.getName().equals(RESOURCE_IDS)) {
            return ClassSource.plain(jar);
        }
        boolean isProcessed =
                isIn(getBuildFolder(), jar) && !isIn(getNavitasFolder(), jar); // by another plugin of the module
        return getWhole().get() && !isProcessed
                ? ClassSource.library(jar, getOptions().get().module)
                : own(jar);
    }

    private static boolean isIn(DirectoryProperty folder, File file) {
        return file.toPath().startsWith(folder.get().getAsFile().toPath());
    }

    private ClassSource own(File file) {
        return getInstrumentOwn().get()
                ? ClassSource.own(file, getOptions().get().module, getTests().get())
                : ClassSource.plain(file);
    }
}
