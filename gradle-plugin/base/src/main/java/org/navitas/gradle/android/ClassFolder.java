package org.navitas.gradle.android;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A folder of class files. Files that have the right content stay as they are, and the others of an earlier run vanish.
 *
 * <p>Of classes whose names differ only in capitals, it has the first: on most computers with macOS or Windows, one file would
 * replace the other.
 */
final class ClassFolder {
    private final Path root;
    /** Names by how a file system that ignores capitals sees them. */
    private final Map<String, String> names = new HashMap<>();

    private final Map<String, byte[]> withoutPlace = new LinkedHashMap<>();

    ClassFolder(File root) {
        this.root = root.toPath();
    }

    /** Writes a class, unless one of that name was added before. */
    void add(String name, byte[] bytes) throws IOException {
        String first = names.putIfAbsent(name.toLowerCase(Locale.ROOT), name);
        if (first != null) {
            if (!first.equals(name)) {
                withoutPlace.putIfAbsent(name, bytes);
            }
            return;
        }
        Path file = root.resolve(name);
        boolean isSame = Files.isRegularFile(file)
                && Files.size(file) == bytes.length
                && Arrays.equals(Files.readAllBytes(file), bytes);
        if (!isSame) {
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
        }
    }

    /** Returns whether a class of that name was added. */
    boolean contains(String name) {
        return name.equals(names.get(name.toLowerCase(Locale.ROOT))) || withoutPlace.containsKey(name);
    }

    /** Returns the classes that were added but have no file, which another output must contain. */
    Map<String, byte[]> withoutPlace() {
        return withoutPlace;
    }

    /** Removes files that were not added, and folders without files. */
    void removeOthers() throws IOException {
        Files.createDirectories(root);
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!isAdded(file)) {
                    Files.delete(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                String[] left = folder.toFile().list();
                if (!folder.equals(root) && left != null && left.length == 0) {
                    Files.delete(folder);
                }
                return super.postVisitDirectory(folder, failure);
            }
        });
    }

    /** A file system that ignores capitals keeps those of an earlier file when it is written under another name. */
    private boolean isAdded(Path file) throws IOException {
        String name = root.relativize(file).toString().replace(File.separatorChar, '/');
        String added = names.get(name.toLowerCase(Locale.ROOT));
        return added != null && (added.equals(name) || Files.isSameFile(file, root.resolve(added)));
    }
}
