package org.navitas.gradle.android;

import groovy.json.JsonOutput;
import groovy.json.JsonSlurper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.logging.Logger;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.map.MapClass;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.run.Summary;

/** Instruments the classes of one variant, or of its tests. */
public final class ClassWork {
    private ClassWork() {}

    /**
     * Adds probes to classes.
     *
     * @param inputs folders and jars in class path order
     * @param options which classes get probes
     * @param earlierMap the map that this one continues, or null
     * @param map the method map to write; the summary, which {@link #summary} reads, is in the same folder
     * @param log receives the warnings
     * @return the map's id
     * @throws GradleException if the classes cannot be instrumented
     */
    public static String instrument(List<Input> inputs, ClassOptions options, File earlierMap, File map, Logger log) {
        return instrument(inputs, options, earlierMap, map, false, log);
    }

    private static String instrument(
            List<Input> inputs, ClassOptions options, File earlierMap, File map, boolean isPart, Logger log) {
        try {
            Path earlier = earlierMap == null ? null : earlierMap.toPath();
            Summary summary = BulkInstrumenter.run(inputs, options.options(isPart), map.toPath(), earlier);
            List<String> warnings = options.isNothing() ? Collections.emptyList() : summary.warnings();
            warnings.forEach(warning -> log.warn("navitas: {}", warning));
            log.info(
                    "navitas: {} classes, {} methods with probes, {} classes written, {} reused",
                    summary.classes(),
                    summary.methods(),
                    summary.rewritten(),
                    summary.reused());
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("map_id", summary.mapId());
            document.put("warnings", warnings);
            document.put("unused_includes", summary.unusedIncludes());
            document.put("unused_excludes", summary.unusedExcludes());
            Files.write(summaryFile(map).toPath(), JsonOutput.toJson(document).getBytes(StandardCharsets.UTF_8));
            return summary.mapId();
        } catch (InstrumentException | IOException e) {
            throw new GradleException("navitas: " + options.module + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the summary of a map: its id and the instrumenter's warnings.
     *
     * @param map a method map
     * @return a file in the same folder
     */
    public static File summaryFile(File map) {
        return new File(map.getParentFile(), map.getName() + ".summary");
    }

    /**
     * Returns the instrumenter's state for a map.
     *
     * @param map a method map
     * @return a file in the same folder
     */
    public static File stateFile(File map) {
        return new File(map.getParentFile(), map.getName() + ".state");
    }

    static Map<?, ?> summary(File map) {
        return (Map<?, ?>) new JsonSlurper().parse(summaryFile(map), "UTF-8");
    }

    /**
     * Adds probes to all classes of an APK. Writes those of projects to a folder, since Android then dexes only the files
     * that changed, and those of libraries to a jar.
     *
     * @param sources folders and jars in class path order
     * @param options which classes get probes
     * @param earlierMap the map that this one continues, or null
     * @param outputs the files and folders to write
     * @param log receives the warnings
     * @throws IOException if a file cannot be read or written
     */
    public static void intoFolderAndJar(
            List<ClassSource> sources, ClassOptions options, File earlierMap, ClassOutputs outputs, Logger log)
            throws IOException {
        List<Input> inputs = new ArrayList<>();
        Map<ClassSource, File> copies = new LinkedHashMap<>();
        for (ClassSource source : sources) {
            if (source.mayGetProbes(options)) {
                String suffix = source.file.isDirectory() ? "" : ".jar";
                File copy = new File(outputs.work, inputs.size() + suffix);
                inputs.add(new Input(source.file.toPath(), copy.toPath(), source.kind, source.module));
                copies.put(source, copy);
            }
        }
        boolean isPart = earlierMap == null && !outputs.writesMapClass;
        if (inputs.isEmpty() && isPart) { // there are no other modules: the map is empty
            Path none = Files.createDirectories(new File(outputs.work, "none").toPath());
            inputs.add(new Input(none, none.resolveSibling("none-instrumented"), Input.MAIN, options.module));
        }
        String mapId = inputs.isEmpty()
                ? sameMap(options, earlierMap, outputs.map)
                : instrument(inputs, options, earlierMap, outputs.map, isPart, log);
        ClassFolder classes = new ClassFolder(outputs.folder);
        if (outputs.writesMapClass) {
            classes.add(MapClass.PATH, MapClass.bytes(mapId));
        }
        List<File> libraries = new ArrayList<>();
        for (ClassSource source : sources) {
            File from = copies.getOrDefault(source, source.file);
            if (source.changesOften()) {
                ClassFiles.each(from, classes::add);
            } else {
                libraries.add(from);
            }
        }
        classes.removeOthers();
        new LibraryJar(libraries, outputs.jar, new File(outputs.work, "libraries.txt")).write(classes);
    }

    /** If no class gets probes, the map is the app's. */
    private static String sameMap(ClassOptions options, File earlierMap, File map) throws IOException {
        if (earlierMap == null) {
            throw new GradleException("navitas: " + options.module + ": there are no classes to profile");
        }
        Files.copy(earlierMap.toPath(), map.toPath(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(summaryFile(earlierMap).toPath(), summaryFile(map).toPath(), StandardCopyOption.REPLACE_EXISTING);
        return String.valueOf(summary(map).get("map_id"));
    }
}
