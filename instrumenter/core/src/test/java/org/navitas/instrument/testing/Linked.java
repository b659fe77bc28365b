package org.navitas.instrument.testing;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Checks whether the JVM accepts a class: its format, and its code according to the verifier. */
public final class Linked {
    public static final String FINE = "fine";

    private Linked() {}

    /** Links a class next to classes that it can refer to; returns {@link #FINE}, or the error and its message. */
    public static String alone(byte[] bytes, ClassLoader others) {
        return outcome(new ClassLoader(others) {
            Class<?> define() {
                return defineClass(null, bytes, 0, bytes.length);
            }
        }::define);
    }

    /** Links every class of a jar, except those of newer Java versions; returns the results by name. */
    public static Map<String, String> all(Path jar) throws IOException {
        Map<String, String> outcomes = new TreeMap<>();
        // The jar's classes first: the test class path can contain the same library.
        try (URLClassLoader loader = new OwnFirst(jar.toUri().toURL());
                ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String path = entry.getName();
                if (path.endsWith(".class") && !path.startsWith("META-INF/") && !path.equals("module-info.class")) {
                    String name =
                            path.substring(0, path.length() - ".class".length()).replace('/', '.');
                    outcomes.put(name, outcome(() -> loader.loadClass(name)));
                }
            }
        }
        return outcomes;
    }

    private interface Load {
        Class<?> load() throws ClassNotFoundException;
    }

    private static String outcome(Load load) {
        try {
            load.load().getDeclaredConstructors(); // links and verifies, but does not initialise
            return FINE;
        } catch (ClassNotFoundException | LinkageError | SecurityException e) {
            return e.toString();
        }
    }

    private static final class OwnFirst extends URLClassLoader {
        OwnFirst(URL jar) {
            super(new URL[] {jar}, Linked.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                try {
                    return found != null ? found : findClass(name);
                } catch (ClassNotFoundException e) {
                    return super.loadClass(name, resolve);
                }
            }
        }
    }
}
