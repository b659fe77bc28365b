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
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ClassFolderTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
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

  private ClassFolder write(String... namesAndTexts) throws IOException {
    ClassFolder folder = new ClassFolder(new File(root.toString()));
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      folder.add(namesAndTexts[i], namesAndTexts[i + 1].getBytes());
    }
    folder.removeOthers();
    return folder;
  }
}
