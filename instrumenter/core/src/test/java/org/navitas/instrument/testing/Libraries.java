package org.navitas.instrument.testing;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import kotlin.Unit;
import kotlinx.coroutines.CoroutineScope;
import org.navitas.instrument.files.Io;

/** Real libraries on the test class path: plain Java of many authors, Kotlin, and Kotlin with coroutines. */
public final class Libraries {
    public static final List<Path> JARS =
            Arrays.asList(jarOf(ImmutableList.class), jarOf(Unit.class), jarOf(CoroutineScope.class));

    private Libraries() {}

    public static Path jarOf(Class<?> one) {
        try {
            return Paths.get(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns every n-th class of a jar. */
    public static List<byte[]> classes(Path jar, int every) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            int number = 0;
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class") && number++ % every == 0) {
                    classes.add(Io.read(zip.getInputStream(entry)));
                }
            }
        }
        return classes;
    }
}
