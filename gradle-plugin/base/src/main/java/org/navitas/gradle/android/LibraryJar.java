package org.navitas.gradle.android;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.navitas.gradle.BundleZip;

/** A jar with the classes of libraries. It is written only if one of them has changed, since packing them takes seconds. */
final class LibraryJar {
    /** Increases with every change of what the jar contains, or of how it is written. */
    private static final String VERSION = "1\n";

    private final List<File> sources;
    private final File jar;
    private final Path stamp;

    /**
     * @param sources jars in class path order
     * @param jar the jar to write
     * @param stamp a file that is kept for the next run
     */
    LibraryJar(List<File> sources, File jar, File stamp) {
        this.sources = sources;
        this.jar = jar;
        this.stamp = stamp.toPath();
    }

    /**
     * Writes the jar if it is not up to date. Leaves out classes of the folder, which comes first on the class path, but takes those
     * for which the folder has no place.
     */
    void write(ClassFolder folder) throws IOException {
        Map<String, byte[]> added = folder.withoutPlace();
        if (added.isEmpty() && isCurrent(folder)) {
            return;
        }
        Files.deleteIfExists(stamp);
        boolean isComplete = added.isEmpty();
        try (BundleZip zip = new BundleZip(Files.newOutputStream(jar.toPath()))) {
            for (Map.Entry<String, byte[]> each : added.entrySet()) {
                zip.add(each.getKey(), each.getValue());
            }
            for (File source : sources) {
                isComplete &= add(source, folder, zip);
            }
        }
        if (isComplete) { // else it depends on the folder, too
            Files.createDirectories(stamp.getParent());
            Files.write(stamp, state());
        }
    }

    private static boolean add(File source, ClassFolder folder, BundleZip zip) throws IOException {
        boolean[] isComplete = {true};
        ClassFiles.each(source, (name, bytes) -> {
            if (folder.contains(name)) {
                isComplete[0] = false;
            } else {
                zip.add(name, bytes);
            }
        });
        return isComplete[0];
    }

    private boolean isCurrent(ClassFolder folder) throws IOException {
        if (!Files.exists(stamp) || !Arrays.equals(Files.readAllBytes(stamp), state())) {
            return false;
        }
        try (ZipFile zip = new ZipFile(jar)) {
            return Collections.list(zip.entries()).stream().noneMatch(entry -> folder.contains(entry.getName()));
        }
    }

    /** Describes the jar and its sources; differs if one of them was written since. */
    private byte[] state() {
        StringBuilder text = new StringBuilder(VERSION);
        append(text, jar);
        sources.forEach(source -> append(text, source));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder text, File file) {
        text.append(file.getPath())
                .append(' ')
                .append(file.length())
                .append(' ')
                .append(file.lastModified())
                .append('\n');
    }
}
