package org.navitas.census;

import static org.junit.Assert.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** The classes of operations of snippets without their sources, counted by hand. */
@RunWith(Parameterized.class)
public class BytecodeCensusTest {
  @ClassRule public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

  @Parameter(0) public Case each;
  @Parameter(1) public Map<String, ClassCensus> classes;

  @Parameters(name = "{0}")
  public static List<Object[]> cases() throws Exception {
    TEMPORARY.create();
    List<Case> cases = Case.all("bytecode-cases.txt");
    Path sources = Case.write(TEMPORARY.getRoot().toPath(), cases);
    Map<String, ClassCensus> classes = Case.census(Case.javac(sources, cases, "javac", "--release", "11"), null);
    List<Object[]> all = new ArrayList<>();
    cases.forEach(each -> all.add(new Object[] {each, classes}));
    return all;
  }

  @Test
  public void hasOperations() {
    MethodCensus census = each.method(classes);
    assertEquals(MethodCensus.BYTECODE, census.by);
    assertEquals(each.expected, Case.sum(census));
  }
}
