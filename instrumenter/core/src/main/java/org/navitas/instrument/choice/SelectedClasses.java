package org.navitas.instrument.choice;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javassist.bytecode.ClassFile;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Expansion;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;

/** Reads the classes of folders and jars that the patterns of {@link Options} select, without changing them. */
public final class SelectedClasses {
    private static final String CLASS = ".class";

    /** A class file that was checked: each length in it stays within the file. */
    public static final class SelectedClass {
        /** The name, with dots. */
        public final String name;
        /** SHA-256 of the file. */
        public final String sha256;
        /** The parsed file. */
        public final ClassFile file;

        private SelectedClass(String name, String sha256, ClassFile file) {
            this.name = name;
            this.sha256 = sha256;
            this.file = file;
        }
    }

    private final Selection selection;
    private final Map<String, SelectedClass> classes = new TreeMap<>();
    private final List<String> skipped = new ArrayList<>();

    private SelectedClasses(Options options) throws InstrumentException {
        selection = new Selection(options, null);
    }

    /**
     * Reads classes. Of two classes of one name, the first is kept, as on a class path. Multi-release classes, in {@code
     * META-INF}, are left out.
     *
     * @param paths folders and jars in class path order
     * @param options selects classes
     * @return the selected classes
     * @throws InstrumentException if a path cannot be read
     */
    public static SelectedClasses read(List<Path> paths, Options options) throws InstrumentException {
        SelectedClasses read = new SelectedClasses(options);
        for (Path path : paths) {
            try {
                if (Files.isDirectory(path)) {
                    read.folder(path);
                } else {
                    read.jar(path);
                }
            } catch (IOException | IllegalArgumentException | java.io.UncheckedIOException e) {
                throw Io.failure(
                        path.toString(),
                        e instanceof IOException ? (IOException) e : new IOException(e.getMessage(), e));
            }
        }
        return read;
    }

    /**
     * Returns the classes.
     *
     * @return an unmodifiable list, by name
     */
    public List<SelectedClass> classes() {
        return Collections.unmodifiableList(new ArrayList<>(classes.values()));
    }

    /**
     * Returns the class files that cannot be read.
     *
     * @return one line for each: its place and the cause
     */
    public List<String> skipped() {
        return Collections.unmodifiableList(skipped);
    }

    private void folder(Path root) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(root, FileVisitOption.FOLLOW_LINKS)) {
            found.filter(file -> file.toString().endsWith(CLASS) && Files.isRegularFile(file))
                    .forEach(file -> files.put(root.relativize(file).toString().replace('\\', '/'), file));
        }
        Input input = new Input(root, root, Input.MAIN, ":", false);
        for (Map.Entry<String, Path> each : files.entrySet()) {
            try (InputStream in = Files.newInputStream(each.getValue())) {
                add(input, each.getKey(), Io.read(in));
            }
        }
    }

    private void jar(Path path) throws IOException {
        Input input = new Input(path, path, Input.MAIN, ":", true);
        Map<String, ZipEntry> entries = new TreeMap<>();
        try (ZipFile jar = new ZipFile(path.toFile())) {
            for (ZipEntry each : Collections.list(jar.entries())) {
                if (each.getName().endsWith(CLASS)) {
                    entries.putIfAbsent(each.getName(), each);
                }
            }
            Expansion expansion = new Expansion(path);
            for (ZipEntry each : entries.values()) {
                try (InputStream in = expansion.counted(jar.getInputStream(each))) {
                    add(input, each.getName(), Io.read(in));
                }
            }
        }
    }

    private void add(Input input, String path, byte[] bytes) {
        if (path.startsWith("META-INF/")) {
            return;
        }
        String place = Io.printable(input.place(path));
        try {
            int major = ClassScan.majorOf(bytes);
            if (major > ClassScan.NEWEST_MAJOR) {
                skipped.add(place + ": class file version " + major + " is " + ClassScan.newer()
                        + "; compile for an older target");
                return;
            }
            ClassScan scan = ClassScan.of(bytes);
            if (selection.of(scan.name, input) != Selection.Verdict.TAKE || classes.containsKey(scan.name)) {
                return;
            }
            if (scan.instrumented) {
                skipped.add(place + ": has probes; use the original class");
                return;
            }
            ClassFile file = new ClassFile(new DataInputStream(new ByteSource(bytes)));
            classes.put(scan.name, new SelectedClass(scan.name, Io.sha256Hex(bytes), file));
        } catch (MalformedClassException | IOException | RuntimeException e) {
            // Javassist throws various unchecked exceptions for malformed classes.
            skipped.add(place + ": damaged class file (" + Io.printable(String.valueOf(e.getMessage())) + ")");
        }
    }
}
