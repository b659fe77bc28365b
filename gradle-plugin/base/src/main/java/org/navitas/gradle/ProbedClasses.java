package org.navitas.gradle;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The classes with probes of a bundle whose class path has the class files that the build made, because its tests look at
 * class files. The agent of the same name gives them to the JVM (instrumenter/phone).
 */
final class ProbedClasses {
    static final String FILE = "probed.zip";
    private static final List<String> READERS = Arrays.asList(
            "com/tngtech/archunit/core/importer/ClassFileImporter.class", "jdepend/framework/JDepend.class");
    private static final Pattern RELEASE = Pattern.compile("^META-INF/versions/[0-9]+/");

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final BundleZip zip = new BundleZip(bytes);

    private ProbedClasses() {}

    /** Returns an empty object if the class path has a library that looks at class files, else null. */
    static ProbedClasses ifNeeded(List<ClassPathEntry> classPath) {
        return classPath.stream()
                        .anyMatch(entry -> entry.isJar() && READERS.stream().anyMatch(entry::contains))
                ? new ProbedClasses()
                : null;
    }

    /**
     * Adds the classes of a jar or folder that have probes.
     *
     * @param built what the build made
     * @param probed the same with probes
     */
    void add(File built, File probed) throws IOException {
        if (built.isFile()) {
            try (FileSystem from = FileSystems.newFileSystem(built.toPath(), (ClassLoader) null);
                    FileSystem to = FileSystems.newFileSystem(probed.toPath(), (ClassLoader) null)) {
                add(from.getPath("/"), to.getPath("/"));
            }
        } else {
            add(built.toPath(), probed.toPath());
        }
    }

    private void add(Path built, Path probed) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(built)) {
            files = walk.filter(file -> file.toString().endsWith(".class"))
                    .sorted()
                    .collect(Collectors.toList());
        }
        for (Path file : files) {
            String name = built.relativize(file).toString().replace(File.separatorChar, '/');
            byte[] before = Files.readAllBytes(file);
            byte[] after = Files.readAllBytes(probed.resolve(name));
            if (!Arrays.equals(before, after)) {
                CRC32 crc = new CRC32();
                crc.update(before, 0, before.length);
                zip.add(
                        Long.toHexString(crc.getValue()) + "/"
                                + RELEASE.matcher(name).replaceFirst(""),
                        after);
            }
        }
    }

    /** Returns the zip file. Nothing can be added afterwards. */
    byte[] bytes() throws IOException {
        zip.close();
        return bytes.toByteArray();
    }
}
