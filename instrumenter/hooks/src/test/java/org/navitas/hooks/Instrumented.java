package org.navitas.hooks;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.navitas.hooks.threads.HandedThread;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.BulkInstrumenter;

/** Loads classes of the package {@code scenario} with hooks. */
public final class Instrumented {
    private Instrumented() {}

    /** Returns a new object of the hooked class. */
    public static Object create(Class<?> original, Path folder) throws Exception {
        return create(original, folder, "scenario.");
    }

    /**
     * Returns a new object of the hooked class. It uses hooked copies of the libraries, whose classes start with
     * {@code prefix}, and hooks that see those copies.
     */
    public static Object create(Class<?> original, Path folder, String prefix, Path... libraries) throws Exception {
        Path in = folder.resolve("in");
        Path out = folder.resolve("out");
        Files.createDirectories(in.resolve("scenario"));
        File classes = new File(
                original.getProtectionDomain().getCodeSource().getLocation().toURI());
        for (File each : new File(classes, "scenario").listFiles()) {
            Path copy = in.resolve("scenario").resolve(each.getName());
            if (!Files.exists(copy)) {
                Files.copy(each.toPath(), copy);
            }
        }
        List<Input> inputs = new ArrayList<>();
        inputs.add(new Input(in, out, Input.MAIN, ":"));
        for (Path library : libraries) {
            inputs.add(new Input(library, folder.resolve(library.getFileName()), Input.DEPENDENCY, ":"));
        }
        BulkInstrumenter.run(inputs, Options.builder().hooks(true, false).build(), folder.resolve("map.json"));
        List<URL> urls = new ArrayList<>();
        for (Input each : inputs) {
            urls.add(each.out().toUri().toURL());
        }
        urls.add(HandedThread.class.getProtectionDomain().getCodeSource().getLocation());
        List<String> own = libraries.length == 0
                ? Arrays.asList("scenario.")
                : Arrays.asList("scenario.", prefix, "org.navitas.hooks.");
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), original.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null
                        ? loaded
                        : own.stream().anyMatch(name::startsWith) ? findClass(name) : super.loadClass(name, resolve);
            }
        };
        return loader.loadClass(original.getName()).getDeclaredConstructor().newInstance();
    }
}
