package org.navitas.census;

import static org.junit.Assert.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

/** The classes of operations of snippets of Java and Kotlin without their sources, counted by hand. */
@RunWith(Parameterized.class)
public class BytecodeCensusTest {
    @ClassRule
    public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

    @Parameter(0)
    public Case each;

    @Parameter(1)
    public Map<String, ClassCensus> classes;

    @Parameters(name = "{0}")
    public static List<Object[]> cases() throws Exception {
        TEMPORARY.create();
        Path root = TEMPORARY.getRoot().toPath();
        List<Object[]> all = new ArrayList<>();
        List<Case> java = Case.all("bytecode-cases.txt");
        add(java, Case.javac(Case.write(root, java), java, "javac", "--release", "11"), all);
        List<Case> patterns = Case.all("pattern-cases.txt");
        Path newer = Files.createDirectory(root.resolve("newer"));
        add(patterns, Case.eclipse(Case.write(newer, patterns), patterns, "-21"), all);
        List<Case> kotlin = Case.all("kotlin-cases.txt");
        StringBuilder text = new StringBuilder();
        kotlin.forEach(each -> text.append("class ")
                .append(each.className())
                .append(" {\n")
                .append(each.code)
                .append("}\n"));
        Path source = Files.write(root.resolve("Snippets.kt"), text.toString().getBytes(StandardCharsets.UTF_8));
        add(kotlin, Case.kotlinc(source, root.resolve("kotlinc")), all);
        return all;
    }

    private static void add(List<Case> cases, Path folder, List<Object[]> all) throws Exception {
        Map<String, ClassCensus> classes = Case.census(folder, null);
        cases.forEach(each -> all.add(new Object[] {each, classes}));
    }

    @Test
    public void hasOperations() {
        MethodCensus census = each.method(classes);
        assertEquals(MethodCensus.BYTECODE, census.by);
        assertEquals(each.expected, Case.sum(census));
    }
}
