package org.navitas.gradle.android;

import groovy.json.JsonOutput;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.navitas.gradle.BundleZip;
import org.navitas.gradle.ModulePath;

/**
 * Packs a variant's APKs with the data that the command line needs (docs/dev/formats.md, "Android bundle"). Not
 * thread-safe.
 */
public final class AndroidBundle {
    private static final String TEST_APK = "test.apk";
    private static final String CLEAR = "clearPackageData";
    private static final String DEBUGGABLE =
            ": debuggable code runs slower than what users get (an app's --variant benchmark is release-like)";

    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final List<Map<String, Object>> appApks = new ArrayList<>();
    private final Map<String, File> apkFiles = new LinkedHashMap<>();
    private final List<Object> warnings = new ArrayList<>();
    private final List<File> appClassPath = new ArrayList<>();
    private final List<File> testClassPath = new ArrayList<>();
    private File map;
    private File mapping;
    private boolean hasClasses;

    /**
     * Creates a bundle.
     *
     * @param setup fields that are known before the build; {@code warnings} is a list among them
     */
    public AndroidBundle(Map<String, Object> setup) {
        fields.put("schema_version", 1);
        fields.put("kind", "android");
        fields.putAll(setup);
        warnings.addAll((List<?>) setup.get("warnings"));
    }

    /**
     * Sets a field of {@code bundle.json}.
     *
     * @param name the field's name
     * @param value a JSON value
     */
    public void put(String name, Object value) {
        fields.put(name, value);
    }

    /**
     * Sets the arguments of the tests' runner.
     *
     * @param arguments values by name
     */
    public void setRunnerArguments(Map<String, String> arguments) {
        fields.put("runner_arguments", arguments);
        fields.put("clear_package_data", Boolean.parseBoolean(arguments.get(CLEAR)));
    }

    /**
     * Adds an APK of the app: the only one, or one for each ABI.
     *
     * @param apk the file
     * @param abi such as {@code arm64-v8a}, or null for the only APK
     */
    public void addApp(File apk, String abi) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("file", abi == null ? "app.apk" : "app-" + abi + ".apk");
        entry.put("abi", abi);
        appApks.add(entry);
        apkFiles.put(String.valueOf(entry.get("file")), apk);
    }

    /**
     * Sets the test APK. Without it, the bundle contains only an app.
     *
     * @param apk the file
     */
    public void setTest(File apk) {
        apkFiles.put(TEST_APK, apk);
    }

    /**
     * Sets the method maps of the app's classes and of their tests.
     *
     * @param maps map files; the last one continues the others
     */
    public void setMaps(List<File> maps) {
        map = maps.get(maps.size() - 1);
        Set<Object> ids = new LinkedHashSet<>();
        Set<Object> classWarnings = new LinkedHashSet<>();
        for (File each : maps) {
            Map<?, ?> summary = ClassWork.summary(each);
            ids.add(summary.get("map_id"));
            classWarnings.addAll((List<?>) summary.get("warnings"));
        }
        Object mapId = ClassWork.summary(map).get("map_id");
        ids.remove(mapId);
        warnings.addAll(classWarnings);
        String module = String.valueOf(fields.get("module"));
        unused("unused_includes", maps)
                .values()
                .forEach(text -> warnings.add(ModulePath.before(module, String.valueOf(text))));
        fields.put("unused_excludes", unused("unused_excludes", maps));
        fields.put("map_id", mapId);
        fields.put("includes_map_ids", new ArrayList<>(ids));
    }

    /** Returns sentences about the patterns that match nothing in any of the maps' classes, by the pattern. */
    private static Map<Object, Object> unused(String field, List<File> maps) {
        Map<Object, Object> unused =
                new LinkedHashMap<>((Map<?, ?>) ClassWork.summary(maps.get(0)).get(field));
        maps.forEach(each ->
                unused.keySet().retainAll(((Map<?, ?>) ClassWork.summary(each).get(field)).keySet()));
        return unused;
    }

    /**
     * Sets the table of names of R8 or ProGuard.
     *
     * @param file the table; null or a missing file if nothing was renamed
     */
    public void setMapping(File file) {
        mapping = file != null && file.isFile() ? file : null;
    }

    /**
     * Sets the classes for a virtual phone.
     *
     * @param app instrumented classes and libraries of the app, in class path order
     * @param test those of the tests
     */
    public void setClassPath(Iterable<File> app, Iterable<File> test) {
        hasClasses = true;
        app.forEach(appClassPath::add);
        test.forEach(testClassPath::add);
    }

    /**
     * Writes the bundle.
     *
     * @param target the file to write
     * @throws IOException if a file cannot be read or written
     */
    public void write(File target) throws IOException {
        if (Boolean.TRUE.equals(fields.get("debuggable"))) {
            Object module = fields.get("module");
            warnings.add((module.equals(":") ? fields.get("project") : module) + DEBUGGABLE);
        }
        Path part = new File(target.getPath() + ".part").toPath();
        File classes = new File(target.getPath() + ".classes");
        try (BundleZip zip = new BundleZip(Files.newOutputStream(part))) {
            Map<String, Object> apks = new LinkedHashMap<>();
            apks.put("app", appApks);
            apks.put("test", apkFiles.containsKey(TEST_APK) ? TEST_APK : null);
            fields.put("apks", apks);
            fields.put("mapping", mapping == null ? null : "mapping.txt");
            fields.put("jvm", hasClasses ? "jvm.zip" : null);
            fields.put("warnings", warnings);
            zip.add("bundle.json", json(fields));
            zip.add("map.json", Files.readAllBytes(map.toPath()));
            for (Map.Entry<String, File> apk : apkFiles.entrySet()) {
                zip.store(apk.getKey(), apk.getValue());
            }
            if (mapping != null) {
                zip.add("mapping.txt", Files.readAllBytes(mapping.toPath()));
            }
            if (hasClasses) {
                writeClasses(classes);
                zip.store("jvm.zip", classes);
            }
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(part);
            throw e;
        } finally {
            Files.deleteIfExists(classes.toPath());
        }
        Files.move(part, target.toPath(), StandardCopyOption.REPLACE_EXISTING);
    }

    private void writeClasses(File target) throws IOException {
        Set<String> classPath = new LinkedHashSet<>();
        try (BundleZip zip = new BundleZip(Files.newOutputStream(target.toPath()))) {
            addJars(zip, "app", appClassPath, classPath);
            addJars(zip, "test", testClassPath, classPath);
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("schema_version", 1);
            document.put("package", fields.get("package"));
            document.put("test_package", fields.get("test_package"));
            document.put("class_path", new ArrayList<>(classPath));
            zip.add("jvm.json", json(document));
        }
    }

    private static void addJars(BundleZip zip, String folder, List<File> files, Set<String> classPath)
            throws IOException {
        int number = 0;
        for (File file : files) {
            String path = String.format("%s/%03d-%s", folder, number++, file.getName());
            if (file.isDirectory()) {
                if (zip.addFolder(path + "/", file)) {
                    classPath.add(path);
                }
            } else if (file.isFile()) {
                zip.store(path, file);
                classPath.add(path);
            }
        }
    }

    private static byte[] json(Map<String, Object> document) {
        return JsonOutput.prettyPrint(JsonOutput.toJson(document)).getBytes(StandardCharsets.UTF_8);
    }
}
