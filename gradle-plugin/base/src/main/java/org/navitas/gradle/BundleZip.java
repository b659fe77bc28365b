package org.navitas.gradle;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.GregorianCalendar;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes reproducible zip files: with fixed times, and folders sorted by name. Not thread-safe. */
public final class BundleZip implements Closeable {
    private static final long TIME = new GregorianCalendar(1980, 1, 1).getTimeInMillis();

    private final ZipOutputStream zip;
    private final Set<String> names = new HashSet<>();

    /**
     * Creates a zip file.
     *
     * @param out the stream to write to; {@link #close} closes it
     */
    public BundleZip(OutputStream out) {
        zip = new ZipOutputStream(new BufferedOutputStream(out), StandardCharsets.UTF_8);
        zip.setLevel(Deflater.BEST_SPEED);
    }

    /**
     * Adds an entry, unless one of that name exists.
     *
     * @param name path in the zip file, with slashes
     * @param bytes the contents
     * @return whether the entry was added
     * @throws IOException if writing fails
     */
    public boolean add(String name, byte[] bytes) throws IOException {
        if (!names.add(name)) {
            return false;
        }
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(TIME);
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
        return true;
    }

    /**
     * Adds a file without compression, since it is compressed already, unless an entry of that name exists.
     *
     * @param name path in the zip file, with slashes
     * @param file the file to add
     * @throws IOException if reading or writing fails
     */
    public void store(String name, File file) throws IOException {
        if (!names.add(name)) {
            return;
        }
        CRC32 crc = new CRC32();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(file.toPath()), crc)) {
            copyBytes(in, null);
        }
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(TIME);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(file.length());
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        try (InputStream in = Files.newInputStream(file.toPath())) {
            copyBytes(in, zip);
        }
        zip.closeEntry();
    }

    private static void copyBytes(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            if (out != null) {
                out.write(buffer, 0, n);
            }
        }
    }

    /**
     * Adds all files of a folder. If several have the same name, keeps the first, as on a class path.
     *
     * @param prefix path in the zip file, ending with a slash
     * @param folder the folder to add; may be missing
     * @return whether the folder has files
     * @throws IOException if reading or writing fails
     */
    public boolean addFolder(String prefix, File folder) throws IOException {
        Path root = folder.toPath();
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            add(prefix + root.relativize(file).toString().replace(File.separatorChar, '/'), Files.readAllBytes(file));
        }
        return !files.isEmpty();
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
