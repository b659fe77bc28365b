package org.navitas.gradle;

import static org.junit.Assert.assertEquals;

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
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void outputsAreMergedAndJarsNumberedInOrder() throws IOException {
    File tests = folder.newFolder("test");
    File resources = folder.newFolder("test-resources");
    File classes = folder.newFolder("main");
    File library = folder.newFile("junit-4.13.2.jar");
    File lib = folder.newFile("lib.jar");
    List<ClassPathEntry> entries =
        ClassPathEntry.sort(
            Arrays.asList(tests, resources, classes, library, lib),
            Collections.singleton(classes),
            Arrays.asList(tests, resources),
            Collections.singletonMap(lib, ":lib"),
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
  public void filesThatDoNotExistAreLeftOut() {
    assertEquals(0, sort(new File(folder.getRoot(), "missing")).size());
  }

  @Test
  public void anotherFolderIsTheModulesOwnCodeInAJar() throws IOException {
    assertEquals(Arrays.asList("OWN lib/000-generated.jar :app"), texts(sort(folder.newFolder("generated"))));
  }

  @Test
  public void namesThatAZipMayNotHoldAreMadeSafe() throws IOException {
    assertEquals(Arrays.asList("LIBRARY lib/000-a_b_.._.jar :app"), texts(sort(folder.newFile("a b:..\\.jar"))));
  }

  private static List<ClassPathEntry> sort(File file) {
    List<File> none = Collections.emptyList();
    return ClassPathEntry.sort(Collections.singleton(file), none, none, Collections.<File, String>emptyMap(), ":app");
  }

  private static List<String> texts(List<ClassPathEntry> entries) {
    return entries.stream().map(e -> e.kind + " " + e.path + " " + e.module).collect(Collectors.toList());
  }
}
