package org.navitas.phone;

import android.util.Log;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Finds the classes in folders and jars, and the classes named in lists, sorted by name. */
final class TestRoots {
    private static final String SUFFIX = ".class";
    /** A text file with one class name per line. */
    private static final String LIST_SUFFIX = ".txt";

    private final ClassLoader loader;
    private final Predicate<String> isSearched;

    TestRoots(ClassLoader loader) {
        this(loader, name -> true);
    }

    /** Only loads classes whose name {@code isSearched} accepts. */
    TestRoots(ClassLoader loader, Predicate<String> isSearched) {
        this.loader = loader;
        this.isSearched = isSearched;
    }

    /**
     * Returns the test classes. Roots are separated as in a class path. Logs a missing root, and a class that cannot be
     * loaded.
     */
    List<Class<?>> classes(String roots, Predicate<Class<?>> isTest) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String root : roots.split(File.pathSeparator)) {
            File file = new File(root);
            if (file.isDirectory()) {
                inFolder(file, "", names);
            } else if (file.getName().endsWith(LIST_SUFFIX) && file.isFile()) {
                names.addAll(Files.readAllLines(file.toPath(), StandardCharsets.UTF_8));
            } else if (file.isFile()) {
                inJar(file, names);
            } else if (!root.isEmpty()) {
                Log.w(InstrumentMain.TAG, "test root " + root + " does not exist");
            }
        }
        List<Class<?>> found = new ArrayList<>();
        for (String name : names) {
            if (!isSearched.test(name)) {
                continue;
            }
            try {
                Class<?> one = Class.forName(name, false, loader);
                if (isTest.test(one)) {
                    found.add(one);
                }
            } catch (ClassNotFoundException | LinkageError e) {
                Log.w(InstrumentMain.TAG, "cannot load " + name + ", so it is not searched for tests: " + e);
            }
        }
        return found;
    }

    private static void inFolder(File folder, String prefix, Set<String> names) {
        File[] files = folder.listFiles();
        for (File file : files == null ? new File[0] : files) {
            if (file.isDirectory()) {
                inFolder(file, prefix + file.getName() + ".", names);
            } else {
                add(prefix + file.getName(), names);
            }
        }
    }

    private static void inJar(File file, Set<String> names) throws IOException {
        try (JarFile jar = new JarFile(file)) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                add(entries.nextElement().getName().replace('/', '.'), names);
            }
        }
    }

    private static void add(String file, Set<String> names) {
        boolean isClass = file.endsWith(SUFFIX) && !file.startsWith("META-INF") && !file.endsWith("-info" + SUFFIX);
        if (isClass) {
            names.add(file.substring(0, file.length() - SUFFIX.length()));
        }
    }
}
