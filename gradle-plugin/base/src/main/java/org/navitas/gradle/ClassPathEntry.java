package org.navitas.gradle;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipFile;

/** One existing file of the test class path: what it contains and its path in the bundle. */
final class ClassPathEntry {
    /** What an entry contains; {@code OWN} is the user's code outside the module's main and test source sets. */
    enum Kind {
        TEST,
        MAIN,
        OWN,
        LIBRARY
    }

    final File file;
    final Kind kind;
    final String module;

    /** Whether it contains test code, of this or another module. */
    final boolean isTestCode;

    /** Path in the bundle; merged entries of one kind share a path. */
    final String path;

    private ClassPathEntry(File file, Kind kind, String module, boolean isTestCode, String path) {
        this.file = file;
        this.kind = kind;
        this.module = module;
        this.isTestCode = isTestCode;
        this.path = path;
    }

    /** Returns whether it shares a folder of the bundle with others of its kind. */
    boolean isMerged() {
        return kind == Kind.TEST || kind == Kind.MAIN;
    }

    /** Returns whether it is one file in the bundle. Folders stay folders, since code can look for files in them. */
    boolean isJar() {
        return file.isFile();
    }

    /** Returns whether it contains a file; {@code path} is that within the jar or folder. */
    boolean contains(String path) {
        if (!isJar()) {
            return new File(file, path).exists();
        }
        try (ZipFile jar = new ZipFile(file)) {
            return jar.getEntry(path) != null;
        } catch (IOException e) {
            return false; // not a jar: a JVM ignores it
        }
    }

    boolean isOwnCode() {
        return kind != Kind.LIBRARY;
    }

    /**
     * Classifies the files of a class path, in its order. Folders of classes outside all known source sets are the user's
     * code. Missing files are skipped, as by a JVM.
     *
     * @param classPath the class path of the {@code test} task
     * @param mainOutputs folders of the main source set
     * @param testOutputs folders of the test source sets, and folders searched for tests
     * @param owners finds the project of all other files
     * @param module path of the module
     */
    static List<ClassPathEntry> sort(
            Iterable<File> classPath,
            Collection<File> mainOutputs,
            Collection<File> testOutputs,
            Owners owners,
            String module) {
        List<ClassPathEntry> entries = new ArrayList<>();
        int others = 0;
        for (File file : classPath) {
            if (!file.exists()) {
                continue;
            }
            if (mainOutputs.contains(file)) {
                entries.add(new ClassPathEntry(file, Kind.MAIN, module, false, "classes"));
            } else if (testOutputs.contains(file) && file.isDirectory()) {
                String owner = owners.of(file);
                entries.add(new ClassPathEntry(file, Kind.TEST, owner, true, "test-classes"));
            } else {
                String owner = owners.of(file);
                Kind kind = owner == null ? Kind.LIBRARY : Kind.OWN;
                boolean isTestCode = owner != null && Owners.isTestCode(file);
                String name = file.getName().replaceAll("[^A-Za-z0-9._+-]", "_");
                String path = String.format("lib/%03d-%s", others++, name);
                entries.add(new ClassPathEntry(file, kind, owner == null ? module : owner, isTestCode, path));
            }
        }
        return Collections.unmodifiableList(entries);
    }
}
