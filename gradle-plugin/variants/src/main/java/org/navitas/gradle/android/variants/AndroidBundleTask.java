package org.navitas.gradle.android.variants;

import com.android.build.api.variant.BuiltArtifact;
import com.android.build.api.variant.BuiltArtifacts;
import com.android.build.api.variant.BuiltArtifactsLoader;
import com.android.build.api.variant.FilterConfiguration;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputDirectory;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.android.AndroidBundle;

/** Packs one variant's APKs, which it finds through Android's metadata. */
@CacheableTask
public abstract class AndroidBundleTask extends DefaultTask {
    /**
     * Fields of the bundle that are known before the build.
     *
     * @return fields by name
     */
    @Input
    public abstract MapProperty<String, Object> getSetup();

    /**
     * The app's package.
     *
     * @return application id
     */
    @Input
    public abstract Property<String> getPackage();

    /**
     * The tests' package.
     *
     * @return application id; absent without tests
     */
    @Input
    public abstract Property<String> getTestPackage();

    /**
     * The runner of the tests.
     *
     * @return a class name; absent without tests
     */
    @Optional
    @Input
    public abstract Property<String> getRunner();

    /**
     * The arguments of the tests' runner.
     *
     * @return values by name
     */
    @Input
    public abstract MapProperty<String, String> getRunnerArguments();

    /**
     * Reads Android's metadata of APKs.
     *
     * @return Android's loader
     */
    @Internal
    public abstract Property<BuiltArtifactsLoader> getLoader();

    /**
     * The folder of the app's APKs.
     *
     * @return absent if a library is tested
     */
    @Optional
    @InputDirectory
    @PathSensitive(PathSensitivity.RELATIVE)
    public abstract DirectoryProperty getAppApks();

    /**
     * The folder of the test APK.
     *
     * @return absent without tests
     */
    @Optional
    @InputDirectory
    @PathSensitive(PathSensitivity.RELATIVE)
    public abstract DirectoryProperty getTestApks();

    /**
     * The table of names of R8 or ProGuard.
     *
     * @return absent if nothing is renamed
     */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getMapping();

    /**
     * The method maps.
     *
     * @return the app's map, then that of its tests, which continues it
     */
    @InputFiles
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract ConfigurableFileCollection getMaps();

    /**
     * The summaries of the maps.
     *
     * @return a file for each map
     */
    @InputFiles
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract ConfigurableFileCollection getSummaries();

    /**
     * Whether the bundle contains classes for a virtual phone.
     *
     * @return true if requested
     */
    @Input
    public abstract Property<Boolean> getVirtual();

    /**
     * Instrumented classes and libraries of the app.
     *
     * @return in class path order
     */
    @Classpath
    public abstract ConfigurableFileCollection getAppClasses();

    /**
     * Instrumented classes and libraries of the tests.
     *
     * @return in class path order
     */
    @Classpath
    public abstract ConfigurableFileCollection getTestClasses();

    /**
     * The bundle.
     *
     * @return the file to write
     */
    @OutputFile
    public abstract RegularFileProperty getBundle();

    /**
     * Writes the bundle.
     *
     * @throws IOException if a file cannot be read or written
     */
    @TaskAction
    public void pack() throws IOException {
        AndroidBundle bundle = new AndroidBundle(getSetup().get());
        bundle.put("package", getPackage().get());
        bundle.put("test_package", getTestPackage().get());
        bundle.put("runner", getRunner().getOrNull());
        bundle.setRunnerArguments(getRunnerArguments().get());
        if (getAppApks().isPresent()) {
            for (BuiltArtifact apk : artifacts(getAppApks()).getElements()) {
                bundle.addApp(new File(apk.getOutputFile()), abi(apk));
            }
        }
        if (getTestApks().isPresent()) {
            bundle.setTest(new File(
                    artifacts(getTestApks()).getElements().iterator().next().getOutputFile()));
        }
        bundle.setMaps(new ArrayList<>(getMaps().getFiles()));
        bundle.setMapping(getMapping().isPresent() ? getMapping().get().getAsFile() : null);
        if (getVirtual().get()) {
            bundle.setClassPath(getAppClasses(), getTestClasses());
        }
        bundle.write(getBundle().get().getAsFile());
    }

    private BuiltArtifacts artifacts(DirectoryProperty folder) {
        Directory directory = folder.get();
        BuiltArtifacts artifacts = getLoader().get().load(directory);
        if (artifacts == null || artifacts.getElements().isEmpty()) {
            throw new GradleException("navitas: " + directory + ": the Android plugin lists no APK there");
        }
        return artifacts;
    }

    private static String abi(BuiltArtifact apk) {
        for (FilterConfiguration filter : apk.getFilters()) {
            if (filter.getFilterType() == FilterConfiguration.FilterType.ABI) {
                return filter.getIdentifier();
            }
        }
        return null;
    }
}
