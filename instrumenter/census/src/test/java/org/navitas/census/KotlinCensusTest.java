package org.navitas.census;

import static org.junit.Assert.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** The classes of operations of snippets of Kotlin, counted by hand. */
@RunWith(Parameterized.class)
public class KotlinCensusTest {
  @ClassRule public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

  @Parameter(0) public Case each;
  @Parameter(1) public Map<String, ClassCensus> classes;

  @Parameters(name = "{0}")
  public static List<Object[]> cases() throws Exception {
    TEMPORARY.create();
    List<Case> cases = Case.all("kotlin-cases.txt");
    StringBuilder text = new StringBuilder();
    cases.forEach(each -> text.append("class ").append(each.className()).append(" {\n").append(each.code).append("}\n"));
    Path root = TEMPORARY.getRoot().toPath();
    Path source = Files.write(root.resolve("Snippets.kt"), text.toString().getBytes(StandardCharsets.UTF_8));
    Path classes = root.resolve("classes");
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ExitCode exit = new K2JVMCompiler().exec(new PrintStream(said), "-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "1.8",
        "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), source.toString());
    assertEquals(said.toString(), ExitCode.OK, exit);
    Map<String, ClassCensus> found = Case.census(classes, null);
    List<Object[]> all = new ArrayList<>();
    cases.forEach(each -> all.add(new Object[] {each, found}));
    return all;
  }

  @Test
  public void hasOperations() {
    MethodCensus census = each.method(classes);
    assertEquals(MethodCensus.BYTECODE, census.by);
    assertEquals(each.expected, Case.sum(census));
  }
}
