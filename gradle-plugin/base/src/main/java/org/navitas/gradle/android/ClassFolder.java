package org.navitas.gradle.android;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** A folder of class files. Files that have the right content stay as they are, and the others of an earlier run vanish. */
final class ClassFolder {
  private final Path root;
  private final Set<String> names = new HashSet<>();

  ClassFolder(File root) {
    this.root = root.toPath();
  }

  /** Writes a class, unless one of that name was added before. */
  void add(String name, byte[] bytes) throws IOException {
    if (!names.add(name)) {
      return;
    }
    Path file = root.resolve(name);
    boolean isSame = Files.isRegularFile(file) && Files.size(file) == bytes.length && Arrays.equals(Files.readAllBytes(file), bytes);
    if (!isSame) {
      Files.createDirectories(file.getParent());
      Files.write(file, bytes);
    }
  }

  /** Returns whether a class of that name was added. */
  boolean contains(String name) {
    return names.contains(name);
  }

  /** Removes files that were not added, and folders without files. */
  void removeOthers() throws IOException {
    Files.createDirectories(root);
    Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (!names.contains(root.relativize(file).toString().replace(File.separatorChar, '/'))) {
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
}
