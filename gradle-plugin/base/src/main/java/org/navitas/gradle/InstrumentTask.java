package org.navitas.gradle;

import groovy.json.JsonOutput;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.LocalState;
import org.gradle.api.tasks.Nested;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.run.Summary;

/**
 * Instruments a module's main and test classes and those of the projects it depends on, into separate folders. The
 * output folder has the layout of the bundle. Resources are copied with their classes.
 */
@CacheableTask
public class InstrumentTask extends ModuleTask {
    static final String INSTRUMENTED = "instrumented";
    static final String MAP = "map.json";
    static final String SUMMARY = "summary.json";

    private Provider<List<String>> excludes;
    private Provider<Boolean> instrumentTests;
    private Provider<Boolean> skipTrivial;
    private ProbeChoice choice;
    private Provider<File> outputFolder;
    private Provider<File> blockEdits;
    private Provider<String> refusal;

    void settings(
            Provider<List<String>> excludes,
            Provider<Boolean> instrumentTests,
            Provider<Boolean> skipTrivial,
            ProbeChoice choice,
            Provider<File> outputFolder) {
        this.excludes = excludes;
        this.instrumentTests = instrumentTests;
        this.skipTrivial = skipTrivial;
        this.choice = choice;
        this.outputFolder = outputFolder;
    }

    void blockEdits(Provider<File> file) {
        blockEdits = file;
    }

    void refusal(Provider<String> reason) {
        refusal = reason;
    }

    /**
     * Returns why the module gets no probes.
     *
     * @return the end of a sentence about the module; empty if it gets probes
     */
    @Input
    public String getRefusal() {
        return refusal.get();
    }

    /**
     * Returns the file with blocks to remove or repeat. Other modules can have its classes.
     *
     * @return an edits file, or null
     */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public File getBlockEdits() {
        return blockEdits.getOrNull();
    }

    /**
     * Returns the path and module of each file that gets probes; the map and the names of outputs depend on it.
     *
     * @return one line for each file
     */
    @Input
    public List<String> getPlaces() {
        List<String> places = new ArrayList<>();
        for (ClassPathEntry entry : entries()) {
            if (takes(entry)) {
                places.add(entry.path + " " + entry.module + (entry.isTestCode ? " test" : ""));
            }
        }
        return places;
    }

    /**
     * Returns the exclude patterns.
     *
     * @return as {@link org.navitas.instrument.choice.Options} describes
     */
    @Input
    public List<String> getExcludes() {
        return excludes.get();
    }

    /**
     * Returns whether test classes get probes.
     *
     * @return false to copy them unchanged
     */
    @Input
    public boolean getInstrumentTests() {
        return instrumentTests.get();
    }

    /**
     * Returns whether trivial methods get no probes.
     *
     * @return true to skip them
     */
    @Input
    public boolean getSkipTrivial() {
        return skipTrivial.get();
    }

    /**
     * Returns the kind of probes, the include patterns, and which calls of APIs are hooked.
     *
     * @return a choice
     */
    @Nested
    public ProbeChoice getChoice() {
        return choice;
    }

    /**
     * Returns the folder of instrumented classes.
     *
     * @return an output folder
     */
    @OutputDirectory
    public File getInstrumentedClasses() {
        return new File(outputFolder.get(), INSTRUMENTED);
    }

    /**
     * Returns the method map.
     *
     * @return the file to write
     */
    @OutputFile
    public File getMap() {
        return new File(outputFolder.get(), MAP);
    }

    /**
     * Returns the summary: the map's id and the instrumenter's warnings, for the bundle.
     *
     * @return the file to write
     */
    @OutputFile
    public File getSummary() {
        return new File(outputFolder.get(), SUMMARY);
    }

    /**
     * Returns the instrumenter's state, which lets it keep unchanged classes.
     *
     * @return a local file
     */
    @LocalState
    public File getMapState() {
        return new File(outputFolder.get(), MAP + ".state");
    }

    /** Instruments the classes. */
    @TaskAction
    public void instrument() {
        if (!getRefusal().isEmpty()) {
            throw new GradleException("navitas: " + getModule() + " " + getRefusal());
        }
        if (!getHasTests()) {
            return;
        }
        Path out = getInstrumentedClasses().toPath();
        List<org.navitas.instrument.files.Input> inputs = new ArrayList<>();
        for (ClassPathEntry entry : entries()) {
            if (takes(entry)) {
                String source = !entry.isOwnCode()
                        ? org.navitas.instrument.files.Input.DEPENDENCY
                        : entry.isTestCode ? "test" : "main";
                inputs.add(new org.navitas.instrument.files.Input(
                        entry.file.toPath(), out.resolve(entry.path), source, entry.module));
            }
        }
        boolean hasOwn = inputs.stream()
                .anyMatch(input -> !input.source().equals(org.navitas.instrument.files.Input.DEPENDENCY));
        if (!hasOwn && (inputs.isEmpty() || choice.getIncludes().isEmpty())) {
            throw new GradleException(
                    getPath() + ": nothing to profile: this module has only test code, and test code gets no probes");
        }
        try {
            BlockEdits edits = getBlockEdits() == null
                    ? BlockEdits.none()
                    : BlockEdits.read(getBlockEdits().toPath()).ofOneModule();
            Options options = Options.builder()
                    .include(choice.getIncludes())
                    .exclude(getExcludes())
                    .skipTrivial(getSkipTrivial())
                    .hooks(choice.getHooks(), choice.getHookLibraries())
                    .probes(choice.getProbes())
                    .edits(edits)
                    .build();
            Summary summary = BulkInstrumenter.run(inputs, options, getMap().toPath());
            List<String> warnings = new ArrayList<>(summary.warnings());
            summary.unusedIncludes().values().forEach(text -> warnings.add(ModulePath.before(getModule(), text)));
            warnings.forEach(warning -> getLogger().warn("navitas: {}", warning));
            write(summary, warnings);
            getLogger()
                    .info(
                            "navitas: {} classes, {} methods with probes, {} classes written, {} reused",
                            summary.classes(),
                            summary.methods(),
                            summary.rewritten(),
                            summary.reused());
        } catch (InstrumentException | IOException e) {
            throw new GradleException(getPath() + ": " + e.getMessage(), e);
        }
    }

    private void write(Summary summary, List<String> warnings) throws IOException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("map_id", summary.mapId());
        document.put("warnings", warnings);
        document.put("unused_excludes", summary.unusedExcludes());
        Files.write(getSummary().toPath(), JsonOutput.toJson(document).getBytes(StandardCharsets.UTF_8));
    }

    private boolean takes(ClassPathEntry entry) {
        return entry.isOwnCode() ? getInstrumentTests() || !entry.isTestCode : choice.takes(entry);
    }
}
