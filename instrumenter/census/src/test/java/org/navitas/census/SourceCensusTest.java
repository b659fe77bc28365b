package org.navitas.census;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** The operations of snippets with their sources, counted by hand. */
@RunWith(Parameterized.class)
public class SourceCensusTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Parameter public Case each;

  @Parameters(name = "{0}")
  public static List<?> cases() throws IOException {
    return Case.all("source-cases.txt");
  }

  @Test
  public void countsOfJavacForJava8() throws Exception {
    Path sources = each.write(temporary.getRoot().toPath());
    check(Case.javac(temporary.getRoot().toPath(), sources, "--release", "8"), sources);
  }

  @Test
  public void countsOfJavac() throws Exception {
    Path sources = each.write(temporary.getRoot().toPath());
    check(Case.javac(temporary.getRoot().toPath(), sources), sources);
  }

  @Test
  public void countsOfEclipse() throws Exception {
    Assume.assumeFalse(each.title.endsWith("(javac)"));
    Path sources = each.write(temporary.getRoot().toPath());
    check(Case.ecj(temporary.getRoot().toPath(), sources), sources);
  }

  private void check(Path classes, Path sources) throws Exception {
    List<MethodCensus> found = Case.census(classes, sources, "m");
    assertEquals(1, found.size());
    MethodCensus census = found.get(0);
    assertEquals(census.note, MethodCensus.SOURCE, census.by);
    assertEquals(each.expected, each.compared(Case.sum(census)));
    assertTrue(census.unmatched.isEmpty());
  }
}
