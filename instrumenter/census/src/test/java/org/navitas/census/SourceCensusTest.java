package org.navitas.census;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** The operations of snippets with their sources, counted by hand. */
@RunWith(Parameterized.class)
public class SourceCensusTest {
    @ClassRule
    public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

    @Parameter(0)
    public String name;

    @Parameter(1)
    public Case each;

    @Parameter(2)
    public Map<String, ClassCensus> classes;

    @Parameters(name = "{0}")
    public static List<Object[]> cases() throws Exception {
        TEMPORARY.create();
        List<Case> cases = Case.all("source-cases.txt");
        List<Case> portable =
                cases.stream().filter(each -> !each.title.endsWith("(javac)")).collect(Collectors.toList());
        Path sources = Case.write(TEMPORARY.getRoot().toPath(), cases);
        List<Object[]> all = new ArrayList<>();
        add(all, "javac", cases, Case.census(Case.javac(sources, cases, "javac"), sources));
        add(
                all,
                "javac for Java 8",
                cases,
                Case.census(Case.javac(sources, cases, "java8", "--release", "8"), sources));
        add(all, "Eclipse", portable, Case.census(Case.eclipse(sources, portable, "-1.8"), sources));
        return all;
    }

    private static void add(List<Object[]> all, String compiler, List<Case> cases, Map<String, ClassCensus> classes) {
        cases.forEach(each -> all.add(new Object[] {each.title + ", " + compiler, each, classes}));
    }

    @Test
    public void hasOperations() {
        MethodCensus census = each.method(classes);
        assertEquals(census.note, MethodCensus.SOURCE, census.by);
        assertEquals(each.expected, each.compared(Case.sum(census)));
        assertTrue(census.unmatched.isEmpty());
    }
}
