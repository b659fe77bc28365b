package org.navitas.gradle.android;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.navitas.gradle.CarriedJars;

/** Reads the class files of a folder or jar. */
final class ClassFiles {
    private static final String CLASS = ".class";

    /** Takes a class's path and content. */
    interface Taker {
        void take(String name, byte[] bytes) throws IOException;
    }

    private ClassFiles() {}

    /** Passes on each class, in a constant order; none if the file does not exist. */
    static void each(File file, Taker taker) throws IOException {
        if (file.isDirectory()) {
            Path root = file.toPath();
            List<Path> files;
            try (Stream<Path> walk = Files.walk(root)) {
                files = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
            }
            for (Path each : files) {
                String name = root.relativize(each).toString().replace(File.separatorChar, '/');
                if (isClass(name)) {
                    taker.take(name, Files.readAllBytes(each));
                }
            }
        } else if (file.exists()) {
            try (ZipFile jar = new ZipFile(file)) {
                for (ZipEntry entry : Collections.list(jar.entries())) {
                    if (isClass(entry.getName())) {
                        taker.take(entry.getName(), CarriedJars.read(jar.getInputStream(entry)));
                    }
                }
            }
        }
    }

    /** Selects classes. Resources reach an APK another way, and classes for later Java versions only are not used. */
    private static boolean isClass(String name) {
        return name.endsWith(CLASS) && !name.startsWith("META-INF/") && !name.endsWith("module-info.class");
    }
}
