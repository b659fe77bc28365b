package org.navitas.instrument.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInfo;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.Expansion;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.Parallel;
import org.navitas.instrument.files.Release;
import org.navitas.instrument.files.Warnings;
import org.navitas.instrument.hooks.HookTable;

/** Reads inputs and instruments the classes that an earlier run's state does not contain. */
final class Inventory {
    private static final String CLASS = ".class";
    private static final String JAR = ".jar";
    private static final String META_INF = "META-INF/";
    private static final int JAR_MAGIC = 0x504B0304;
    /** Bytes of instrumented classes that are kept until they are written; further classes are instrumented twice. */
    private static final long MAX_KEPT = 64 << 20;

    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:");

    private final Selection selection;
    private final Map<String, ClassInfo> known;
    private final Warnings warnings;
    private final AtomicLong keptBytes = new AtomicLong();
    /** Number of skipped classes of known frameworks, by the include pattern that selects them. */
    final Map<String, Integer> frameworks = new ConcurrentSkipListMap<>();

    /** Opens a file of an input for reading. */
    private interface Opened {
        InputStream open() throws IOException;
    }

    Inventory(Options options, HookTable hooks, RunState old, Warnings warnings) throws InstrumentException {
        this.selection = new Selection(options, hooks);
        this.known = old.rules.equals(Selection.rules(options, hooks)) ? old.classes : Collections.emptyMap();
        this.warnings = warnings;
    }

    Contents read(Input input) throws InstrumentException {
        try {
            return Files.isDirectory(input.in()) ? readFolder(input) : readJar(input);
        } catch (IOException | IllegalArgumentException e) {
            // ZipFile throws IllegalArgumentException for some invalid names.
            throw Io.failure(input.in().toString(), e instanceof IOException ? (IOException) e : new IOException(e));
        }
    }

    private Contents readFolder(Input input) throws IOException, InstrumentException {
        Map<String, Path> files = new TreeMap<>();
        Path root = input.in();
        Files.walkFileTree(
                root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.isRegularFile()) {
                            files.put(
                                    root.relativize(file)
                                            .toString()
                                            .replace(file.getFileSystem().getSeparator(), "/"),
                                    file);
                        } else {
                            warnings.add("not copied, since it is not a regular file", file.toString());
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        List<Entry> entries = Parallel.map(files.entrySet(), file -> readFile(input, file.getKey(), file.getValue()));
        for (Entry entry : entries) {
            note(input, entry);
            if (entry.path.endsWith(JAR)) {
                warnIfNestedJar(input, entry.path, () -> Files.newInputStream(files.get(entry.path)));
            }
        }
        return new Contents(input, false, entries, null);
    }

    private Entry readFile(Input input, String path, Path file) throws InstrumentException {
        try {
            if (path.endsWith(CLASS) && Release.of(path, false) == Release.ANY) {
                try (InputStream in = Files.newInputStream(file)) {
                    return entry(input, path, Io.read(in));
                }
            }
            return new Entry(path, Io.sha256Hex(file), null, null, null, null, false);
        } catch (IOException e) {
            throw Io.failure(file.toString(), e);
        }
    }

    private Contents readJar(Input input) throws IOException, InstrumentException {
        Set<String> names = new HashSet<>();
        List<ZipEntry> classes = new ArrayList<>();
        List<Entry> entries;
        boolean isMultiRelease;
        try (ZipFile jar = new ZipFile(input.in().toFile())) {
            isMultiRelease = isMultiRelease(input, jar);
            for (ZipEntry each : Collections.list(jar.entries())) {
                String path = each.getName();
                rejectUnsafeName(input, path);
                if (!names.add(path)) {
                    warnings.add("duplicate entry in the jar, only the first is copied", input.place(path));
                } else if (path.endsWith(CLASS) && Release.of(path, isMultiRelease) != Release.NONE) {
                    classes.add(each);
                } else if (path.endsWith(JAR)) {
                    warnIfNestedJar(input, path, () -> jar.getInputStream(each));
                }
            }
            Expansion expansion = new Expansion(input.in());
            entries = Parallel.map(classes, each -> readEntry(input, jar, each, expansion));
        }
        entries.forEach(entry -> note(input, entry));
        return new Contents(input, true, entries, Io.sha256Hex(input.in()));
    }

    private boolean isMultiRelease(Input input, ZipFile jar) {
        try {
            return Release.isIn(jar);
        } catch (IOException e) {
            warnings.add(
                    "an invalid manifest, so classes in META-INF/versions are copied without probes",
                    input.place(JarFile.MANIFEST_NAME));
            return false;
        }
    }

    private Entry readEntry(Input input, ZipFile jar, ZipEntry each, Expansion expansion) throws InstrumentException {
        try (InputStream in = expansion.counted(jar.getInputStream(each))) {
            return entry(input, each.getName(), Io.read(in));
        } catch (IOException e) {
            throw Io.failure(input.place(each.getName()), e);
        }
    }

    private static void rejectUnsafeName(Input input, String path) throws InstrumentException {
        boolean absolute = path.startsWith("/")
                || path.startsWith("\\")
                || DRIVE.matcher(path).lookingAt();
        boolean climbs = ("/" + path.replace('\\', '/') + "/").contains("/../");
        if (path.isEmpty() || absolute || climbs || path.indexOf('\0') >= 0) {
            throw new InstrumentException(input.place(path) + ": the entry's name leads out of the jar; refused");
        }
    }

    private void warnIfNestedJar(Input input, String path, Opened file) throws InstrumentException {
        byte[] start = new byte[Integer.BYTES];
        try (InputStream in = file.open()) {
            boolean isJar =
                    in.read(start) == start.length && ByteBuffer.wrap(start).getInt() == JAR_MAGIC;
            if (isJar && !input.source().equals(Input.DEPENDENCY)) {
                warnings.add(
                        "a jar within an input, copied without probes (make it an input of its own)",
                        input.place(path));
            }
        } catch (IOException e) {
            throw Io.failure(input.place(path), e);
        }
    }

    /** Instruments one class, in any thread. Reports nothing; {@link #note} adds the warnings. */
    private Entry entry(Input input, String path, byte[] bytes) throws InstrumentException {
        String sha256 = Io.sha256Hex(bytes);
        ClassInfo info = known.get(sha256);
        ClassScan scan = info != null ? null : ClassScan.orNull(bytes);
        String name = info != null ? info.name : scan != null ? scan.name : Release.className(path);
        boolean before = info != null
                ? Skipped.ALREADY_INSTRUMENTED.equals(info.untouchedReason())
                : scan != null && scan.instrumented;
        Selection.Verdict verdict = selection.of(name, input);
        switch (verdict) {
            case TAKE:
                BlockEdits edits = path.startsWith(META_INF)
                        ? BlockEdits.none()
                        : selection.edits(); // the census has no blocks of these
                boolean edited = edits.names(name);
                ClassInstrumenter work = info != null && !edited
                        ? null
                        : ClassInstrumenter.instrument(
                                bytes, name, selection, selection.hooks(), selection.probes(), edits);
                info = work == null ? info : work.info;
                boolean kept = work != null && (edited || keep(info, bytes)); // an entry cannot make the edits again
                Entry taken = new Entry(path, sha256, verdict, selection.hooks(), info, kept ? work : null, before);
                taken.probes = selection.probes();
                return taken;
            case HOOK:
                ClassInstrumenter hooked = ClassInstrumenter.hook(bytes, name, selection.hooks());
                boolean changed = hooked.info.changed();
                return new Entry(
                        path,
                        sha256,
                        verdict,
                        selection.hooks(),
                        changed ? hooked.info : null,
                        changed && keep(hooked.info, bytes) ? hooked : null,
                        before);
            case EXCLUDED:
                return new Entry(
                        path, sha256, verdict, null, ClassInfo.untouched(name, Skipped.EXCLUDED, null), null, before);
            case FRAMEWORK:
                frameworks.merge(Selection.frameworkOf(name), 1, Integer::sum);
                return new Entry(path, sha256, verdict, null, null, null, before);
            default:
                return new Entry(path, sha256, verdict, null, null, null, before);
        }
    }

    private boolean keep(ClassInfo info, byte[] bytes) {
        return info.changed() && keptBytes.addAndGet(bytes.length) <= MAX_KEPT;
    }

    /** Adds the warnings for an entry. Called in the order of entries. */
    private void note(Input input, Entry entry) {
        String path = entry.path;
        ClassInfo info = entry.info;
        String reason = info == null ? null : info.untouchedReason();
        if (Skipped.UNSUPPORTED_VERSION.equals(reason)) {
            warnings.add(
                    "skipped, " + ClassScan.newer() + " (compile for an older target)",
                    input.place(path) + " (" + info.problem + ")");
        } else if (Skipped.MALFORMED.equals(reason)) {
            warnings.add("skipped, malformed class file", input.place(path) + " (" + info.problem + ")");
        } else if (Skipped.ALREADY_INSTRUMENTED.equals(reason)) {
            warnings.add("skipped, already instrumented (its ids belong to another map)", input.place(path));
        }
    }
}
