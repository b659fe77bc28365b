package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ClassPathEntryTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void mergesOutputsAndNumbersJarsInOrder() throws IOException {
        File tests = folder.newFolder("test");
        File resources = folder.newFolder("test-resources");
        File classes = folder.newFolder("main");
        File library = folder.newFile("junit-4.13.2.jar");
        File lib = folder.newFile("lib.jar");
        List<ClassPathEntry> entries = ClassPathEntry.sort(
                Arrays.asList(tests, resources, classes, library, lib),
                Collections.singleton(classes),
                Arrays.asList(tests, resources),
                new Owners(Collections.singletonMap(lib, ":lib"), Collections.<String, String>emptyMap(), ":app"),
                ":app");
        assertEquals(
                Arrays.asList(
                        "TEST test-classes :app",
                        "TEST test-classes :app",
                        "MAIN classes :app",
                        "LIBRARY lib/000-junit-4.13.2.jar :app",
                        "OWN lib/001-lib.jar :lib"),
                texts(entries));
    }

    @Test
    public void skipsMissingFiles() {
        assertEquals(0, sort(new File(folder.getRoot(), "missing")).size());
    }

    @Test
    public void unknownFolderIsCodeOfTheModule() throws IOException {
        assertEquals(Arrays.asList("OWN lib/000-generated :app"), texts(sort(folder.newFolder("generated"))));
    }

    @Test
    public void mainFolderWithTestsIsMainCode() throws IOException {
        File both = folder.newFolder("both");
        List<File> one = Collections.singletonList(both);
        assertEquals(Arrays.asList("MAIN classes :app"), texts(ClassPathEntry.sort(one, one, one, owners(), ":app")));
    }

    @Test
    public void recognisesOutputsOfOtherProjectsByPath() throws IOException {
        File classes = made("lib/build/classes/java/main");
        File tests = made("lib/build/classes/java/integrationTest");
        File jar = new File(made("lib/build/libs"), "lib.jar");
        File fixtures = new File(jar.getParentFile(), "lib-test-fixtures.jar");
        File copied = new File(made("lib/build/downloads"), "guava.jar");
        for (File file : Arrays.asList(jar, fixtures, copied)) {
            assertTrue(file.createNewFile());
        }
        List<ClassPathEntry> entries = ClassPathEntry.sort(
                Arrays.asList(classes, tests, jar, fixtures, copied), noFiles(), noFiles(), owners(), ":app");
        assertEquals(
                Arrays.asList(
                        "OWN lib/000-main :lib",
                        "OWN lib/001-integrationTest :lib",
                        "OWN lib/002-lib.jar :lib",
                        "OWN lib/003-lib-test-fixtures.jar :lib",
                        "LIBRARY lib/004-guava.jar :app"),
                texts(entries));
        assertEquals(
                Arrays.asList(false, true, false, true, false),
                entries.stream().map(entry -> entry.isTestCode).collect(Collectors.toList()));
    }

    @Test
    public void recognisesTestCodeByWholeWords() throws IOException {
        for (String name :
                new String[] {"test", "testFixtures", "functional-test", "integrationTest", "unitTests", "test-java"}) {
            assertTrue(name, Owners.isTestCode(folder.newFolder(name)));
        }
        for (String name : new String[] {"main", "latest", "contest", "attestation"}) {
            assertFalse(name, Owners.isTestCode(folder.newFolder(name)));
        }
    }

    @Test
    public void replacesInvalidCharactersInZipNames() throws IOException {
        assertEquals(Arrays.asList("LIBRARY lib/000-a_b_.._.jar :app"), texts(sort(folder.newFile("a b:..\\.jar"))));
    }

    private File made(String path) {
        File made = new File(folder.getRoot(), path);
        assertTrue(made.mkdirs());
        return made;
    }

    private Owners owners() {
        String build = new File(folder.getRoot(), "lib/build").getPath();
        return new Owners(Collections.<File, String>emptyMap(), Collections.singletonMap(build, ":lib"), ":app");
    }

    private static List<File> noFiles() {
        return Collections.emptyList();
    }

    private List<ClassPathEntry> sort(File file) {
        return ClassPathEntry.sort(Collections.singleton(file), noFiles(), noFiles(), owners(), ":app");
    }

    private static List<String> texts(List<ClassPathEntry> entries) {
        return entries.stream().map(e -> e.kind + " " + e.path + " " + e.module).collect(Collectors.toList());
    }
}
