package org.navitas.gradle.android;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.gradle.BundleZip;
import org.navitas.gradle.CarriedJars;

public class ClassFolderTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path root;

    @Before
    public void folder() {
        root = temporary.getRoot().toPath().resolve("classes");
    }

    @Test
    public void writesOnlyWhatChangesAndRemovesTheRest() throws IOException {
        write("a/A.class", "one", "a/B.class", "two", "b/c/C.class", "three");
        for (String name : Arrays.asList("a/A.class", "a/B.class")) {
            Files.setLastModifiedTime(root.resolve(name), FileTime.fromMillis(1000));
        }
        write("a/A.class", "one", "a/B.class", "TWO", "d/D.class", "four");
        assertEquals(1000, Files.getLastModifiedTime(root.resolve("a/A.class")).toMillis());
        assertArrayEquals("TWO".getBytes(), Files.readAllBytes(root.resolve("a/B.class")));
        assertTrue(Files.exists(root.resolve("d/D.class")));
        assertFalse("a folder without files", Files.exists(root.resolve("b")));
        write();
        assertEquals(0, root.toFile().list().length);
    }

    @Test
    public void keepsTheFirstClassOfAName() throws IOException {
        ClassFolder folder = write("a/A.class", "one", "a/A.class", "another");
        assertArrayEquals("one".getBytes(), Files.readAllBytes(root.resolve("a/A.class")));
        assertTrue(folder.contains("a/A.class"));
        assertFalse(folder.contains("a/B.class"));
    }

    @Test
    public void librariesArePackedAgainOnlyIfOneChanges() throws IOException {
        File library = jar("library.jar", "l/L.class", "a/A.class");
        File packed = temporary.getRoot().toPath().resolve("packed.jar").toFile();
        LibraryJar jar = new LibraryJar(
                Arrays.asList(library),
                packed,
                temporary.getRoot().toPath().resolve("work/stamp").toFile());
        jar.write(write("b/B.class", "two"));
        assertEquals(Arrays.asList("l/L.class", "a/A.class"), names(packed));
        assertTrue(packed.setLastModified(5000));
        jar.write(write("b/B.class", "two")); // the time of the packed jar has changed
        assertTrue(packed.lastModified() != 5000);
        long written = packed.lastModified();
        byte[] bytes = Files.readAllBytes(packed.toPath());
        jar.write(write("b/B.class", "TWO"));
        assertEquals(written, packed.lastModified());
        jar.write(write("a/A.class", "one")); // a class of the project hides that of the library
        assertEquals(Arrays.asList("l/L.class"), names(packed));
        jar.write(write("b/B.class", "two"));
        assertArrayEquals(bytes, Files.readAllBytes(packed.toPath()));
        jar("library.jar", "l/L.class", "l/More.class", "a/A.class");
        jar.write(write("b/B.class", "two"));
        assertEquals(Arrays.asList("l/L.class", "l/More.class", "a/A.class"), names(packed));
    }

    @Test
    public void classesThatDifferOnlyInCapitalsAreInTheJar() throws IOException {
        write("a/a.class", "earlier");
        ClassFolder folder = write(
                "a/A.class",
                "one",
                "a/a.class",
                "two",
                "A/A.class",
                "three",
                "a/a.class",
                "hidden",
                "b/B.class",
                "four");
        assertArrayEquals("one".getBytes(), Files.readAllBytes(root.resolve("a/A.class")));
        assertEquals(
                Arrays.asList("A.class"),
                Arrays.asList(root.resolve("a").toFile().list()));
        assertTrue(folder.contains("a/a.class"));
        assertFalse(folder.contains("a/b.class"));
        File packed = temporary.getRoot().toPath().resolve("packed.jar").toFile();
        File library = jar("library.jar", "l/L.class", "a/a.class", "B/B.class");
        LibraryJar jar = new LibraryJar(
                Arrays.asList(library),
                packed,
                temporary.getRoot().toPath().resolve("work/stamp").toFile());
        jar.write(folder);
        assertEquals(Arrays.asList("a/a.class", "A/A.class", "l/L.class", "B/B.class"), names(packed));
        assertEquals("two", text(packed, "a/a.class"));
        jar.write(write("a/A.class", "one", "a/a.class", "edited"));
        assertEquals(Arrays.asList("a/a.class", "l/L.class", "B/B.class"), names(packed));
        assertEquals("edited", text(packed, "a/a.class"));
        jar.write(write("a/A.class", "one"));
        assertEquals(Arrays.asList("l/L.class", "a/a.class", "B/B.class"), names(packed));
    }

    private static String text(File jar, String name) throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            return new String(CarriedJars.read(zip.getInputStream(zip.getEntry(name))));
        }
    }

    private File jar(String name, String... classes) throws IOException {
        File file = new File(temporary.getRoot(), name);
        try (BundleZip zip = new BundleZip(Files.newOutputStream(file.toPath()))) {
            zip.add("META-INF/x.txt", new byte[1]);
            for (String each : classes) {
                zip.add(each, each.getBytes());
            }
        }
        return file;
    }

    private static List<String> names(File jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            return Collections.list(zip.entries()).stream()
                    .map(ZipEntry::getName)
                    .collect(Collectors.toList());
        }
    }

    private ClassFolder write(String... namesAndTexts) throws IOException {
        ClassFolder folder = new ClassFolder(new File(root.toString()));
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            folder.add(namesAndTexts[i], namesAndTexts[i + 1].getBytes());
        }
        folder.removeOthers();
        return folder;
    }
}
