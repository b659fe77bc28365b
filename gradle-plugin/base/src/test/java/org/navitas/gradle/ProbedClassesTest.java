package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ProbedClassesTest {
    private static final String ARCH_UNIT = "com/tngtech/archunit/core/importer/ClassFileImporter.class";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void onlyALibraryThatLooksAtClassFilesNeedsThem() throws IOException {
        File notAJar = folder.newFile("libnative.so");
        assertNull(ProbedClasses.ifNeeded(classPath(jar("junit.jar", "org/junit/Test.class", "1"), notAJar)));
        assertNotNull(ProbedClasses.ifNeeded(classPath(notAJar, jar("a.jar", ARCH_UNIT, "1"))));
    }

    @Test
    public void changedClassesAreFoundByWhatTheBuildMade() throws IOException {
        File built = folder.newFolder("built", "p").getParentFile();
        File probed = folder.newFolder("probed", "p").getParentFile();
        for (File root : Arrays.asList(built, probed)) {
            write(new File(root, "p/A.class"), root.getName());
            write(new File(root, "p/Same.class"), "same");
            write(new File(root, "p/text.txt"), root.getName());
        }
        ProbedClasses classes = ProbedClasses.ifNeeded(classPath(jar("a.jar", ARCH_UNIT, "1")));
        classes.add(built, probed);
        classes.add(
                jar("9.jar", "META-INF/versions/9/p/A.class", "built for 9"),
                jar("9p.jar", "META-INF/versions/9/p/A.class", "9"));
        Map<String, String> expected = new TreeMap<>();
        expected.put(crc("built") + "/p/A.class", "probed");
        expected.put(crc("built for 9") + "/p/A.class", "9");
        assertEquals(expected, entries(classes.bytes()));
    }

    private static List<ClassPathEntry> classPath(File... files) {
        Owners owners = new Owners(Collections.emptyMap(), Collections.emptyMap(), ":");
        return ClassPathEntry.sort(Arrays.asList(files), Collections.emptySet(), Collections.emptySet(), owners, ":");
    }

    private File jar(String name, String entry, String text) throws IOException {
        File file = new File(folder.getRoot(), name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file.toPath()))) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private static void write(File file, String text) throws IOException {
        Files.write(file.toPath(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }

    private static Map<String, String> entries(byte[] bytes) throws IOException {
        Map<String, String> entries = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), new String(CarriedJars.read(zip), StandardCharsets.UTF_8));
            }
        }
        return entries;
    }
}
