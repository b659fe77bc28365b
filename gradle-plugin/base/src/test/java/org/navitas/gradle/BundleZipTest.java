package org.navitas.gradle;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class BundleZipTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void keepsFirstOfFilesWithSameName() throws IOException {
        File first = folderWith("first", "p/A.class", "1");
        File second = folderWith("second", "p/A.class", "2");
        write(second, "p/B.class", "3");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (BundleZip zip = new BundleZip(bytes)) {
            zip.addFolder("classes/", first);
            zip.addFolder("classes/", second);
        }
        Map<String, byte[]> entries = entries(bytes.toByteArray());
        assertEquals(
                Arrays.asList("classes/p/A.class", "classes/p/B.class"),
                Arrays.asList(entries.keySet().toArray()));
        assertEquals("1", text(entries.get("classes/p/A.class")));
    }

    @Test
    public void emptyFolderAddsNothing() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (BundleZip zip = new BundleZip(bytes)) {
            assertFalse(zip.addFolder("lib/000-x/", folder.newFolder("x")));
            assertTrue(zip.addFolder("lib/001-y/", folderWith("y", "q/C.class", "c")));
        }
        assertEquals(
                Arrays.asList("lib/001-y/q/C.class"),
                Arrays.asList(entries(bytes.toByteArray()).keySet().toArray()));
    }

    @Test
    public void sameContentsGiveSameBytes() throws IOException {
        File one = folderWith("one", "b/B", "b");
        write(one, "a/A", "a");
        File two = folderWith("two", "a/A", "a");
        write(two, "b/B", "b");
        assertArrayEquals(zipOf(one), zipOf(two));
    }

    private static byte[] zipOf(File source) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (BundleZip zip = new BundleZip(bytes)) {
            zip.addFolder("", source);
        }
        return bytes.toByteArray();
    }

    private File folderWith(String name, String path, String text) throws IOException {
        File made = folder.newFolder(name);
        write(made, path, text);
        return made;
    }

    private static void write(File root, String path, String text) throws IOException {
        Path file = root.toPath().resolve(path);
        Files.createDirectories(file.getParent());
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, byte[]> entries(byte[] zip) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), read(in));
            }
        }
        return entries;
    }

    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            bytes.write(b);
        }
        return bytes.toByteArray();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
