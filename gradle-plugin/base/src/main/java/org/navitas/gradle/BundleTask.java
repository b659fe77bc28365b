package org.navitas.gradle;

import groovy.json.JsonOutput;
import groovy.json.JsonSlurper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputDirectory;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Nested;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/**
 * Packs a bundle: what is needed to run a module's tests elsewhere. It contains instrumented classes, libraries, the
 * runtime, the JUnit listener, and how the {@code test} task would start its JVM. A module without tests gets no
 * bundle.
 */
@CacheableTask
public class BundleTask extends ModuleTask {
    private static final String TEST_LIST = "tests.txt";

    private Provider<File> outputFolder;
    private Provider<Boolean> instrumentTests;
    private ProbeChoice choice;
    private Provider<File> bundle;
    private FileCollection candidates;
    private FileCollection platform;
    private Provider<Map<String, Object>> setup;

    /**
     * Sets the task's inputs and outputs.
     *
     * @param outputFolder the output folder of {@link InstrumentTask}
     * @param instrumentTests whether test classes have probes
     * @param choice the kind of probes, and which classes of libraries get some
     * @param bundle the file to write
     * @param candidates class files that the build searches for tests
     * @param platform the JUnit Platform of Gradle, for tests on it
     * @param setup fields of {@code bundle.json} that are known before the build; {@code warnings} is a list among them
     */
    void settings(
            Provider<File> outputFolder,
            Provider<Boolean> instrumentTests,
            ProbeChoice choice,
            Provider<File> bundle,
            FileCollection candidates,
            FileCollection platform,
            Provider<Map<String, Object>> setup) {
        this.outputFolder = outputFolder;
        this.instrumentTests = instrumentTests;
        this.choice = choice;
        this.bundle = bundle;
        this.candidates = candidates;
        this.platform = platform;
        this.setup = setup;
    }

    /**
     * Returns the folder of instrumented classes.
     *
     * @return the output folder of {@link InstrumentTask}
     */
    @InputDirectory
    @PathSensitive(PathSensitivity.RELATIVE)
    public File getInstrumentedClasses() {
        return new File(outputFolder.get(), InstrumentTask.INSTRUMENTED);
    }

    /**
     * Returns the method map and the summary.
     *
     * @return existing files; empty for a module without tests
     */
    @InputFiles
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public List<File> getMapAndSummary() {
        return Arrays.asList(
                new File(outputFolder.get(), InstrumentTask.MAP), new File(outputFolder.get(), InstrumentTask.SUMMARY));
    }

    /**
     * Returns whether test classes have probes.
     *
     * @return false if they are packed without probes
     */
    @Input
    public boolean getInstrumentTests() {
        return instrumentTests.get();
    }

    /**
     * Returns the kind of probes, and which classes of libraries get some.
     *
     * @return a choice
     */
    @Nested
    public ProbeChoice getChoice() {
        return choice;
    }

    /**
     * Returns the path in the bundle of each file of the class path.
     *
     * @return one line for each file, in class path order
     */
    @Input
    public List<String> getPlaces() {
        List<String> places = new ArrayList<>();
        for (ClassPathEntry entry : entries()) {
            places.add(entry.kind + " " + entry.path + (entry.isTestCode ? " test" : ""));
        }
        return places;
    }

    /**
     * Returns the classes that the build searches for tests.
     *
     * @return class names, sorted
     */
    @Input
    public Set<String> getCandidates() {
        return TestSelection.classNames(candidates, testFolders());
    }

    /**
     * Returns the JUnit Platform of Gradle, which a bundle gets if the test class path lacks it.
     *
     * @return jars; empty if the tests do not use the platform
     */
    @Classpath
    public FileCollection getPlatform() {
        return platform;
    }

    /**
     * Returns fields of {@code bundle.json} that are known before the build.
     *
     * @return fields by name
     */
    @Input
    public Map<String, Object> getSetup() {
        return setup.get();
    }

    /**
     * Returns the bundle.
     *
     * @return the file to write
     */
    @OutputFile
    public File getBundle() {
        return bundle.get();
    }

    /**
     * Writes the bundle; deletes it if the module has no tests.
     *
     * @throws IOException if a file cannot be read or written
     */
    @TaskAction
    public void pack() throws IOException {
        Path target = getBundle().toPath();
        if (!getHasTests()) {
            Files.deleteIfExists(target);
            return;
        }
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try (BundleZip zip = new BundleZip(Files.newOutputStream(part))) {
            Map<?, ?> summary =
                    (Map<?, ?>) new JsonSlurper().parse(getMapAndSummary().get(1), "UTF-8");
            zip.add("bundle.json", json(manifest(zip, summary)));
            zip.add("map.json", Files.readAllBytes(getMapAndSummary().get(0).toPath()));
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw e;
        }
        Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Adds the class path. The classes with probes go into {@code apart}, unless it is null. */
    private Set<String> addClassPath(BundleZip zip, String mapId, ProbedClasses apart) throws IOException {
        Set<String> classPath = new LinkedHashSet<>();
        List<ClassPathEntry> entries = entries();
        int others = 0;
        for (ClassPathEntry entry : entries) {
            boolean plain = entry.isOwnCode() ? entry.isTestCode && !getInstrumentTests() : !choice.takes(entry);
            File from = plain ? entry.file : new File(getInstrumentedClasses(), entry.path);
            if (apart != null && !plain) {
                apart.add(entry.file, from);
                from = entry.file;
                plain = true;
            }
            others += entry.isMerged() ? 0 : 1;
            if (entry.isJar()) {
                zip.add(entry.path, Files.readAllBytes(from.toPath()));
                classPath.add(entry.path);
            } else if ((plain || !classPath.contains(entry.path)) && zip.addFolder(entry.path + "/", from)) {
                classPath.add(entry.path);
            }
        }
        for (File library : added(entries)) {
            String path = String.format("lib/%03d-%s", others++, library.getName());
            zip.add(path, Files.readAllBytes(library.toPath()));
            classPath.add(path);
        }
        // The instrumenter writes the map's id to only one of its outputs; the runtime finds it here.
        zip.add("classes/META-INF/navitas/map.properties", ("map_id=" + mapId + "\n").getBytes(StandardCharsets.UTF_8));
        classPath.add("classes");
        for (String jar : CarriedJars.ofBundle(choice.getHooks(), choice.getProbes())) {
            String path = String.format("lib/%03d-%s", others++, jar);
            zip.add(path, CarriedJars.bytes(jar));
            classPath.add(path);
        }
        return classPath;
    }

    /** Returns the libraries that Gradle adds to the class path when it runs the tests. */
    private Collection<File> added(List<ClassPathEntry> entries) {
        boolean usesPlatform =
                TestFramework.JUNIT_PLATFORM.equals(((Map<?, ?>) getSetup().get("test_task")).get("framework"));
        return usesPlatform
                ? PlatformLauncher.missing(entries, platform.getFiles(), getModule())
                : Collections.emptySet();
    }

    /**
     * Returns the folders of classes to search for tests, or {@link #TEST_LIST} if the build excludes some of the
     * classes.
     */
    private List<String> testRoots(BundleZip zip, Collection<String> excludedTests) throws IOException {
        Set<File> folders = testFolders();
        Set<String> roots = new TreeSet<>();
        for (ClassPathEntry entry : entries()) {
            if (folders.remove(entry.file)) {
                roots.add(entry.path);
            }
        }
        if (excludedTests.isEmpty() && folders.isEmpty()) {
            return new ArrayList<>(roots);
        }
        zip.add(TEST_LIST, (String.join("\n", getCandidates()) + "\n").getBytes(StandardCharsets.UTF_8));
        return Collections.singletonList(TEST_LIST);
    }

    private Map<String, Object> manifest(BundleZip zip, Map<?, ?> summary) throws IOException {
        String mapId = String.valueOf(summary.get("map_id"));
        Set<String> excludedTests = TestSelection.classNames(testClassFiles(), testFolders());
        excludedTests.removeAll(getCandidates());
        Map<String, Object> manifest = new LinkedHashMap<>();
        manifest.put("schema_version", 1);
        manifest.putAll(getSetup());
        manifest.put("map_id", mapId);
        manifest.put("hooks", choice.getHooks());
        manifest.put("probes", choice.getProbes().text());
        ProbedClasses apart = ProbedClasses.ifNeeded(entries());
        manifest.put("class_path", addClassPath(zip, mapId, apart));
        if (apart != null) {
            zip.add(ProbedClasses.FILE, apart.bytes());
            manifest.put("probed_classes", ProbedClasses.FILE);
        }
        manifest.put("test_roots", testRoots(zip, excludedTests));
        Map<Object, Object> task = new LinkedHashMap<>((Map<?, ?>) getSetup().get("test_task"));
        task.put("left_out", excludedTests);
        manifest.put("test_task", task);
        List<Object> warnings = new ArrayList<>((List<?>) getSetup().get("warnings"));
        warnings.addAll((List<?>) summary.get("warnings"));
        manifest.put("warnings", warnings);
        manifest.put("unused_excludes", summary.get("unused_excludes"));
        return manifest;
    }

    private static byte[] json(Map<String, Object> document) {
        return JsonOutput.prettyPrint(JsonOutput.toJson(document)).getBytes(StandardCharsets.UTF_8);
    }
}
