package org.navitas.phone;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The agent that gives classes their probes when a JVM loads them, while the class path has the class files that the build
 * made: for tests that look at class files. Thread-safe.
 *
 * <p>Its argument is a zip file with the classes with probes: {@code <CRC-32 of the build's class file>/<name>.class}.
 */
public final class ProbedClasses implements ClassFileTransformer {
    private static final SortedSet<String> CHANGED = Collections.synchronizedSortedSet(new TreeSet<>());

    private final ZipFile probed;
    private final Set<String> names;

    private ProbedClasses(ZipFile probed) {
        this.probed = probed;
        names = probed.stream()
                .map(entry -> entry.getName().replaceFirst("^[^/]*/", ""))
                .collect(Collectors.toSet());
    }

    /**
     * Starts before the app.
     *
     * @param file the zip file
     * @param instrumentation the JVM's
     * @throws IOException if the zip file cannot be read
     */
    public static void premain(String file, Instrumentation instrumentation) throws IOException {
        instrumentation.addTransformer(new ProbedClasses(new ZipFile(file)));
    }

    /** Returns the class with probes, also for class loaders of the app; null for other classes. */
    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] built) {
        String file = name + ".class";
        if (!names.contains(file)) {
            return null;
        }
        CRC32 crc = new CRC32();
        crc.update(built, 0, built.length);
        ZipEntry entry = probed.getEntry(Long.toHexString(crc.getValue()) + "/" + file);
        if (entry != null) {
            byte[] bytes = new byte[(int) entry.getSize()];
            try (DataInputStream in = new DataInputStream(probed.getInputStream(entry))) {
                in.readFully(bytes);
                return bytes;
            } catch (IOException e) {
                // The JVM would ignore an exception: the class gets no probes.
            }
        }
        CHANGED.add(name.replace('/', '.'));
        return null;
    }

    /** Returns a warning about the classes that have no probes although they should; null if there are none. */
    static String warning() {
        if (CHANGED.isEmpty()) {
            return null;
        }
        String others = CHANGED.size() == 1 ? "" : " and " + (CHANGED.size() - 1) + " more";
        return "classes that were changed before they were loaded have no probes, and their energy counts as their"
                + " callers': "
                + CHANGED.first() + others;
    }
}
