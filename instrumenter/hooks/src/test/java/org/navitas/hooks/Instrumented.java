package org.navitas.hooks;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.navitas.instrument.BulkInstrumenter;
import org.navitas.instrument.Input;
import org.navitas.instrument.Options;

/** Loads classes of the package {@code scenario} with hooks. */
final class Instrumented {
    private Instrumented() {}

    /** Returns a new object of the hooked class. */
    static Object create(Class<?> original, Path folder) throws Exception {
        Path in = folder.resolve("in");
        Path out = folder.resolve("out");
        Files.createDirectories(in.resolve("scenario"));
        File classes = new File(original.getProtectionDomain().getCodeSource().getLocation().toURI());
        for (File each : new File(classes, "scenario").listFiles()) {
            Path copy = in.resolve("scenario").resolve(each.getName());
            if (!Files.exists(copy)) {
                Files.copy(each.toPath(), copy);
            }
        }
        Input input = new Input(in, out, "main", ":");
        BulkInstrumenter.run(Collections.singletonList(input), Options.builder().hooks(true, false).build(), folder.resolve("map.json"));
        ClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()}, original.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : name.startsWith("scenario.") ? findClass(name) : super.loadClass(name, resolve);
            }
        };
        return loader.loadClass(original.getName()).getDeclaredConstructor().newInstance();
    }
}
