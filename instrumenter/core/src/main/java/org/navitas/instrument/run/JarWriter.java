package org.navitas.instrument.run;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.navitas.instrument.files.Expansion;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.JarSignature;
import org.navitas.instrument.files.Warnings;
import org.navitas.instrument.map.MethodMap;

/** Writes the instrumented copy of one jar. Copies other entries with their name, time and compression. */
final class JarWriter {
    private static final int BUFFER = 1 << 16;

    private final Contents contents;
    private final byte[] properties;
    private final Warnings warnings;
    private final Map<String, Entry> changed = new HashMap<>();
    private boolean unsign;
    private Expansion expansion;

    /**
     * @param properties the text of {@link MethodMap#PROPERTIES} to add, or null
     */
    JarWriter(Contents contents, byte[] properties, Warnings warnings) {
        this.contents = contents;
        this.properties = properties;
        this.warnings = warnings;
        for (Entry entry : contents.entries) {
            if (entry.changed()) {
                changed.put(entry.path, entry);
            }
        }
    }

    /** Writes the jar to a temporary file in the same folder, then renames it. */
    void write(boolean dropProperties) throws InstrumentException, IOException {
        Path out = contents.input.out();
        Io.createParent(out);
        Path temporary = Io.temporaryFor(out);
        if (changed.isEmpty() && properties == null) {
            Files.copy(contents.input.in(), temporary, StandardCopyOption.REPLACE_EXISTING);
        } else {
            try (ZipFile jar = new ZipFile(contents.input.in().toFile());
                    ZipOutputStream zip =
                            new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(temporary), BUFFER))) {
                copy(jar, zip, dropProperties);
            } catch (IOException | InstrumentException | RuntimeException e) {
                Files.deleteIfExists(temporary);
                throw e;
            }
        }
        Io.replaceFile(temporary, out);
    }

    private void copy(ZipFile jar, ZipOutputStream zip, boolean dropProperties)
            throws IOException, InstrumentException {
        expansion = new Expansion(contents.input.in());
        unsign = !changed.isEmpty()
                && Collections.list(jar.entries()).stream()
                        .anyMatch(entry -> JarSignature.isSignature(entry.getName()));
        if (unsign) {
            warnings.add(
                    "signature removed, since it does not match instrumented classes",
                    contents.input.in().toString());
        }
        Set<String> names = new HashSet<>();
        for (ZipEntry entry : Collections.list(jar.entries())) {
            boolean dropped = dropProperties && entry.getName().equals(MethodMap.PROPERTIES)
                    || unsign && JarSignature.isSignature(entry.getName());
            if (names.add(entry.getName()) && !dropped) {
                copy(jar, entry, zip);
            }
        }
        if (properties != null) {
            ZipEntry entry = new ZipEntry(MethodMap.PROPERTIES);
            entry.setTime(new GregorianCalendar(1980, 1, 1).getTimeInMillis()); // the same time in every time zone
            put(zip, entry, properties);
        }
        zip.setComment(jar.getComment());
    }

    private void copy(ZipFile jar, ZipEntry entry, ZipOutputStream zip) throws IOException, InstrumentException {
        try (InputStream in = expansion.counted(jar.getInputStream(entry))) {
            Entry instrumented = changed.get(entry.getName());
            if (instrumented != null) {
                put(zip, entryLike(entry), instrumented.instrumented(() -> Io.read(in)));
            } else if (unsign && entry.getName().equals(JarFile.MANIFEST_NAME)) {
                put(zip, entryLike(entry), JarSignature.withoutDigests(Io.read(in)));
            } else {
                ZipEntry same = new ZipEntry(entry);
                if (same.getMethod() == ZipEntry.DEFLATED) {
                    same.setCompressedSize(-1); // this deflater may compress to another size
                }
                zip.putNextEntry(same);
                copyBytes(in, zip);
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw Io.failure(contents.input.place(entry.getName()), e);
        }
    }

    private static ZipEntry entryLike(ZipEntry entry) {
        ZipEntry entryLike = new ZipEntry(entry.getName());
        entryLike.setTime(entry.getTime());
        entryLike.setComment(entry.getComment());
        return entryLike;
    }

    private static void put(ZipOutputStream zip, ZipEntry entry, byte[] bytes) throws IOException {
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }

    private static void copyBytes(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[BUFFER];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
    }
}
