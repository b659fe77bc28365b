package org.navitas.instrument.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Expansion;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.Parallel;

/**
 * Which class extends which, for all classes of the inputs. Inputs that cannot be read are left to the {@link Inventory},
 * which reports them.
 */
public final class Superclasses {
    private static final String CLASS = ".class";
    private static final String ROOT = "java.lang.Object";

    private Superclasses() {}

    /** Returns the superclass of each class that extends another one than Object, by its name; names have dots. */
    public static Map<String, String> of(List<Input> inputs) throws InstrumentException {
        Map<String, String> found = new HashMap<>();
        for (Input input : inputs) {
            try {
                for (String[] names : Files.isDirectory(input.in()) ? ofFolder(input.in()) : ofJar(input.in())) {
                    if (names != null && !names[1].equals(ROOT)) {
                        found.putIfAbsent(names[0], names[1]); // as the class path, the first one counts
                    }
                }
            } catch (IOException | RuntimeException e) {
                continue; // ZipFile and streams throw unchecked exceptions, too
            }
        }
        return found;
    }

    private static List<String[]> ofFolder(Path folder) throws IOException, InstrumentException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file -> file.toString().endsWith(CLASS) && Files.isRegularFile(file))
                    .collect(Collectors.toList());
        }
        return Parallel.map(files, file -> names(() -> Files.newInputStream(file)));
    }

    private static List<String[]> ofJar(Path file) throws IOException, InstrumentException {
        try (ZipFile jar = new ZipFile(file.toFile())) {
            Expansion expansion = new Expansion(file);
            List<ZipEntry> classes = new ArrayList<>(Collections.list(jar.entries()));
            classes.removeIf(
                    entry -> !entry.getName().endsWith(CLASS) || entry.getName().startsWith("META-INF/"));
            return Parallel.map(classes, entry -> names(() -> expansion.counted(jar.getInputStream(entry))));
        }
    }

    private static String[] names(Opened file) {
        try (InputStream in = file.open()) {
            return ClassScan.namesOf(Io.read(in));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Opens a class file. */
    private interface Opened {
        InputStream open() throws IOException;
    }
}
