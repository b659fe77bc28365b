package org.navitas.gradle.android.transform;

import com.android.build.FilterData;
import com.android.build.gradle.api.BaseVariant;
import com.android.build.gradle.api.BaseVariantOutput;
import com.android.build.gradle.api.TestVariant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.FileCollection;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.android.AndroidBundle;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.ClassPart;
import org.navitas.gradle.android.ClassWork;

/** Packs one variant's APKs, which it finds through the variant's outputs. */
public class ApkBundleTask extends DefaultTask {
    private static final String ABI = "ABI";

    private AndroidModule module;
    private BaseVariant variant;
    private TestVariant test;
    private boolean isApp;
    private File target;
    private Map<String, Object> setup;
    private FileCollection libraries;
    private FileCollection testLibraries;

    /**
     * Sets the task's inputs and outputs.
     *
     * @param module the Android module
     * @param variant the variant to pack
     * @param test its tests, or null for an app without tests
     * @param isApp whether the module is an app
     * @param target the bundle to write
     * @param setup fields of the bundle that are known before the build
     * @param libraries what the app's classes need on a virtual phone, or null if not requested
     * @param testLibraries what the tests' classes need, or null
     */
    void settings(
            AndroidModule module,
            BaseVariant variant,
            TestVariant test,
            boolean isApp,
            File target,
            Map<String, Object> setup,
            FileCollection libraries,
            FileCollection testLibraries) {
        this.module = module;
        this.variant = variant;
        this.test = test;
        this.isApp = isApp;
        this.target = target;
        this.setup = setup;
        this.libraries = libraries;
        this.testLibraries = testLibraries;
    }

    /**
     * Returns fields of the bundle that are known before the build.
     *
     * @return fields by name
     */
    @Input
    public Map<String, Object> getSetup() {
        return setup;
    }

    /**
     * Returns the arguments of the tests' runner.
     *
     * @return values by name
     */
    @Input
    public Map<String, String> getRunnerArguments() {
        return variant.getMergedFlavor().getTestInstrumentationRunnerArguments();
    }

    /**
     * Returns the APKs.
     *
     * @return the app's and the tests' APKs
     */
    @InputFiles
    public List<File> getApks() {
        List<File> apks = new ArrayList<>();
        for (BaseVariant each : Arrays.asList(isApp ? variant : null, test)) {
            if (each != null) {
                each.getOutputs().forEach(output -> apks.add(output.getOutputFile()));
            }
        }
        return apks;
    }

    /**
     * Returns the method maps and the summaries.
     *
     * @return existing files
     */
    @InputFiles
    public List<File> getMaps() {
        List<File> maps = new ArrayList<>();
        for (boolean isTest : test == null ? new boolean[] {false} : new boolean[] {false, true}) {
            File map = module.map(variant.getName(), ClassPart.of(isTest));
            maps.add(map);
            maps.add(ClassWork.summaryFile(map));
        }
        return maps;
    }

    /**
     * Returns what the app's classes need on a virtual phone.
     *
     * @return libraries, or null
     */
    @Optional
    @Classpath
    public FileCollection getLibraries() {
        return libraries;
    }

    /**
     * Returns what the tests' classes need on a virtual phone.
     *
     * @return libraries, or null
     */
    @Optional
    @Classpath
    public FileCollection getTestLibraries() {
        return testLibraries;
    }

    /**
     * Returns the bundle.
     *
     * @return the file to write
     */
    @OutputFile
    public File getBundle() {
        return target;
    }

    /**
     * Writes the bundle.
     *
     * @throws IOException if a file cannot be read or written
     */
    @TaskAction
    public void pack() throws IOException {
        AndroidBundle bundle = new AndroidBundle(setup);
        bundle.setRunnerArguments(getRunnerArguments());
        bundle.put("package", isApp ? variant.getApplicationId() : test.getApplicationId());
        bundle.put("test_package", (test == null ? variant : test).getApplicationId());
        if (isApp) {
            for (BaseVariantOutput output : variant.getOutputs()) {
                bundle.addApp(output.getOutputFile(), abi(output));
            }
        }
        List<File> maps = new ArrayList<>(Collections.singletonList(getMaps().get(0)));
        if (test != null) {
            bundle.setTest(test.getOutputs().iterator().next().getOutputFile());
            maps.add(getMaps().get(2));
        }
        bundle.setMaps(maps);
        bundle.setMapping(variant.getBuildType().isMinifyEnabled() ? variant.getMappingFile() : null);
        if (libraries != null) {
            bundle.setClassPath(classes(false, libraries), test == null ? testLibraries : classes(true, testLibraries));
        }
        bundle.write(getBundle());
    }

    private List<File> classes(boolean ofTests, FileCollection andLibraries) throws IOException {
        List<File> files = new ArrayList<>();
        File list = VariantClasses.outputsFile(module, variant.getName(), ofTests);
        for (String line : list.exists() ? Files.readAllLines(list.toPath()) : Collections.<String>emptyList()) {
            files.add(new File(line));
        }
        andLibraries.forEach(files::add);
        return files;
    }

    private static String abi(BaseVariantOutput output) {
        for (FilterData filter : output.getFilters()) {
            if (filter.getFilterType().equals(ABI)) {
                return filter.getIdentifier();
            }
        }
        return null;
    }
}
