package org.navitas.census;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.SelectedClasses;
import org.navitas.instrument.files.InstrumentException;

/** What the census does with whole folders: notes, errors, and the text. */
public class CensusTest {
    private static final String LOOP =
            "class A {\n  int m(int n) {\n    while (n > 3) {\n      n /= 2;\n    }\n    return n;\n  }\n}\n";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path root;
    private Path sources;
    private Path classes;

    @Before
    public void folders() throws IOException {
        root = temporary.getRoot().toPath();
        sources = Files.createDirectories(root.resolve("src"));
        classes = Files.createDirectories(root.resolve("classes"));
    }

    private void write(String file, String text) throws IOException {
        Files.write(sources.resolve(file), text.getBytes(StandardCharsets.UTF_8));
    }

    private void compile(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(Arrays.asList("-nowarn", "-d", classes.toString()));
        Collections.addAll(arguments, options);
        for (String name : sources.toFile().list()) {
            if (name.endsWith(".java")) {
                arguments.add(sources.resolve(name).toString());
            }
        }
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0])));
    }

    private Map<String, MethodCensus> methods(List<String> notes) throws InstrumentException {
        SelectedClasses read = SelectedClasses.read(Collections.singletonList(classes), Options.defaults());
        Map<String, MethodCensus> found = new TreeMap<>();
        for (ClassCensus each :
                Census.count(read, Collections.singletonList(sources), Collections.singletonList(classes), notes)) {
            each.methods.forEach(method -> found.put(each.name + "." + method.name, method));
        }
        return found;
    }

    private String json() throws InstrumentException {
        return Census.json(
                Collections.singletonList(classes),
                Collections.singletonList(sources),
                Collections.emptyList(),
                Options.defaults());
    }

    @Test
    public void blocksHaveLinesAndSuccessors() throws Exception {
        write("A.java", LOOP);
        compile("-g");
        assertTrue(
                json(),
                json().contains("{\"pc\": [0, 2], \"lines\": [3, 3], \"next\": [1, 2], \"handlers\": [], \"plus\": [0,"
                        + " 1], \"minus\": [], \"operations\": "));
        assertTrue(json(), json().contains("\"note\": null, \"counters\": 3, \"blocks\": "));
        assertTrue(json(), json().contains("{\"name\": \"GC\", \"class\": \"Library\"}"));
    }

    @Test
    public void editableRangesHaveTheirOperations() throws Exception {
        write(
                "A.java",
                LOOP.replace("n /= 2;", "n /= 2;\n      System.gc();")
                        .replace("return n;", "System.gc();\n    n *= 3;\n    return n;"));
        compile("-g");
        MethodCensus census = methods(new ArrayList<>()).get("A.m");
        assertEquals(MethodCensus.SOURCE, census.by);
        // The body first stores the variable of the condition. After the loop, all up to the return can be edited.
        assertEquals(
                Arrays.asList("{}", "{}", "{Assign_int_int=1, Multi_int_int=1, System.gc=1}"),
                texts(census.editCounts));
        assertEquals(
                "{Assign_int_int=1, Multi_int_int=1, Return_int=1, System.gc=1}",
                census.counts.get(2).toString());
        assertTrue(json(), json().contains("\"editable\": [15, 21], \"edit_operations\": [["));
        assertTrue(json(), json().contains("\"editable\": null, \"edit_operations\": []"));
    }

    private static List<String> texts(List<Map<String, Integer>> counts) {
        List<String> texts = new ArrayList<>();
        counts.forEach(each -> texts.add(each.toString()));
        return texts;
    }

    @Test
    public void equalInputsGiveEqualBytes() throws Exception {
        write("A.java", LOOP);
        compile("-g");
        String first = json();
        assertEquals(first, json());
        write("A.java", LOOP.replace("n > 3", "n > 4"));
        compile("-g");
        assertNotEquals(first, json());
    }

    @Test
    public void classesWithoutLinesAreCountedByBytecode() throws Exception {
        write("A.java", LOOP);
        compile("-g:none");
        List<String> notes = new ArrayList<>();
        assertEquals("no line numbers", methods(notes).get("A.m").note);
        assertTrue(
                notes.toString(),
                notes.toString().contains("A: has no line numbers, so its sources are not used; compile with -g"));
    }

    @Test
    public void methodsThatDoNotCompileAreCountedByBytecode() throws Exception {
        write("A.java", LOOP.replace("}\n}\n", "}\n  int o(int n) {\n    return n * 2;\n  }\n}\n"));
        compile("-g");
        write("A.java", LOOP.replace("}\n}\n", "}\n  int o(int n) {\n    return n * missing;\n  }\n}\n"));
        List<String> notes = new ArrayList<>();
        Map<String, MethodCensus> found = methods(notes);
        assertEquals("line 9 does not compile", found.get("A.o").note);
        assertEquals(MethodCensus.BYTECODE, found.get("A.o").by);
        assertEquals(MethodCensus.SOURCE, found.get("A.m").by);
        assertTrue(notes.toString(), notes.get(0).contains("A.java:9: does not compile (cannot find symbol"));
    }

    @Test
    public void unparsableSourcesAreNamed() throws Exception {
        write("A.java", LOOP);
        compile("-g");
        write("A.java", LOOP.replace("while (", "while (" + "("));
        List<String> notes = new ArrayList<>();
        assertEquals(MethodCensus.BYTECODE, methods(notes).get("A.m").by);
        assertTrue(notes.toString(), notes.get(0).contains("A.java:3: does not compile"));
    }

    @Test
    public void sourcesOfAnotherBuildAreNamed() throws Exception {
        write("A.java", LOOP);
        compile("-g");
        write("A.java", "\n\n\n\n\n\n\n\n" + LOOP);
        List<String> notes = new ArrayList<>();
        assertEquals(MethodCensus.BYTECODE, methods(notes).get("A.m").by);
        assertTrue(notes.toString(), notes.get(0).startsWith("A: methods are on other lines than in its source"));
    }

    @Test
    public void otherOperationsThanTheSourcesAreListedAsUnmatched() throws Exception {
        write("A.java", LOOP.replace("return n;", "return n - n % 3;"));
        compile("-g");
        write("A.java", LOOP.replace("return n;", "return n - n % 3;").replace("n /= 2", "n *= 2"));
        MethodCensus census = methods(new ArrayList<>()).get("A.m");
        assertEquals(MethodCensus.SOURCE, census.by);
        assertEquals("Multi_int_int", census.unmatched.get(0).operation);
        assertEquals(4, census.unmatched.get(0).line);
        assertEquals(1, census.unmatched.size());
    }

    @Test
    public void unknownStatementsOfLaterJavaFallBack() throws Exception {
        write("A.java", LOOP.replace("    return n;\n", "    return switch (n) { case 1 -> 2; default -> 3; };\n"));
        compile("-g");
        MethodCensus census = methods(new ArrayList<>()).get("A.m");
        assertEquals(MethodCensus.BYTECODE, census.by);
        assertTrue(census.note, census.note.contains("SWITCH_EXPRESSION"));
    }

    @Test
    public void largeMethodsAreCounted() throws Exception {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < 4000; i++) {
            body.append("    n = n * 3 + n;\n");
        }
        write("A.java", LOOP.replace("    return n;\n", body + "    return n;\n"));
        compile("-g");
        Map<String, Integer> sum = Case.sum(methods(new ArrayList<>()).get("A.m"));
        assertEquals(4000, sum.get("Multi_int_int").intValue());
        assertEquals(4001, sum.get("Assign_int_int").intValue());
    }

    @Test
    public void damagedClassFilesAreNamed() throws Exception {
        write("A.java", LOOP);
        compile("-g");
        byte[] bytes = Files.readAllBytes(classes.resolve("A.class"));
        Files.write(classes.resolve("B.class"), Arrays.copyOf(bytes, bytes.length / 2));
        assertTrue(json(), json().contains("B.class: damaged class file (ends too early)"));
    }

    @Test
    public void foldersWithoutClassesAreErrors() {
        try {
            json();
            fail();
        } catch (InstrumentException e) {
            assertEquals("no class to count", e.getMessage());
        }
    }

    @Test
    public void missingFoldersAreErrors() {
        try {
            Census.json(
                    Collections.singletonList(root.resolve("none")),
                    Collections.emptyList(),
                    Collections.emptyList(),
                    Options.defaults());
            fail();
        } catch (InstrumentException e) {
            assertTrue(e.getMessage(), e.getMessage().endsWith("none: no such file or folder"));
        }
    }

    @Test
    public void kotlinIsCountedByBytecode() throws Exception {
        write(
                "K.kt",
                "class K {\n"
                        + "  fun m(a: IntArray, f: Float): Float {\n"
                        + "    var s = 0\n"
                        + "    for (x in a) {\n"
                        + "      s += x\n"
                        + "    }\n"
                        + "    return s * f\n"
                        + "  }\n"
                        + "}\n");
        Case.kotlinc(sources.resolve("K.kt"), classes);
        List<String> notes = new ArrayList<>();
        MethodCensus census = methods(notes).get("K.m");
        assertEquals("no source", census.note);
        Map<String, Integer> sum = Case.sum(census);
        assertEquals(1, sum.get("Multi_float_float").intValue());
        assertEquals(1, sum.get("Convert_int_float").intValue());
        assertEquals(1, sum.get("Array Reference").intValue());
        assertEquals(1, sum.get("Intrinsics.checkNotNullParameter").intValue());
        assertTrue(
                notes.toString(),
                notes.get(0).endsWith("K.kt: Kotlin sources are not read; their classes are counted by bytecode"));
    }

    @Test
    public void inlinedCodeOfKotlinHasTheLineOfItsCall() throws Exception {
        write(
                "K.kt",
                "inline fun twice(x: Int): Int {\n"
                        + "  val y = x * 2\n"
                        + "  return y\n"
                        + "}\n\n"
                        + "class K {\n"
                        + "  fun m(a: List<Int>): List<Int> =\n"
                        + "    a.map {\n"
                        + "      it + 1\n"
                        + "    }\n\n"
                        + "  fun own(a: Int): Int {\n"
                        + "    return twice(a)\n"
                        + "  }\n"
                        + "}\n");
        Case.kotlinc(sources.resolve("K.kt"), classes);
        Map<String, MethodCensus> found = methods(new ArrayList<>());
        List<String> places = new ArrayList<>();
        for (BlockPlace place : found.get("K.m").places) {
            assertTrue("line " + place.lastLine, place.firstLine >= 7 && place.lastLine <= 10);
            place.inlined.forEach(each -> places.add(each.file));
        }
        assertEquals(Collections.nCopies(places.size(), "_Collections.kt"), places);
        assertTrue(places.size() >= 3);
        BlockPlace own = found.get("K.own").places.get(0);
        assertEquals("13 13", own.firstLine + " " + own.lastLine);
        assertEquals(
                "K.kt 2 3",
                own.inlined.get(0).file + " " + own.inlined.get(0).firstLine + " " + own.inlined.get(0).lastLine);
        assertTrue(
                json(),
                json().contains("\"lines\": [13, 13], \"inlined\": [{\"file\": \"K.kt\", \"lines\": [2, 3]}],"
                        + " \"next\": []"));
    }

    @Test
    public void patternSwitchesCountWhereTheyBegin() throws Exception {
        List<Case> snippets = Case.all("pattern-cases.txt");
        Map<String, ClassCensus> all = Case.census(Case.eclipse(Case.write(root, snippets), snippets, "-21"), null);
        MethodCensus census = snippets.get(0).method(all);
        // The start, and two guards that can fail, lead to the second block, which looks for the next case.
        assertEquals(
                3,
                census.blocks.blocks().stream()
                        .filter(each -> each.successors.contains(1))
                        .count());
        assertEquals(1, census.counts.get(1).get("SwitchBootstraps.typeSwitch").intValue());
        assertEquals(1, census.counts.get(0).get("Switch").intValue());
        assertEquals(1, Case.sum(census).get("Switch").intValue());
        // Without guards, nothing leads back.
        MethodCensus plain = snippets.get(1).method(all);
        assertEquals(
                plain.counts.toString(),
                1,
                plain.counts.stream().filter(each -> each.containsKey("Switch")).count());
        plain.counts.forEach(each -> assertEquals(
                each.toString(), each.containsKey("SwitchBootstraps.typeSwitch"), each.containsKey("Switch")));
    }

    @Test
    public void methodsThatTheCompilerLinksAreLibraryFunctions() throws Exception {
        List<Case> snippets = Case.all("pattern-cases.txt");
        ClassCensus record = Case.census(Case.eclipse(Case.write(root, snippets), snippets, "-21"), null)
                .get(snippets.get(2).className() + "$R");
        List<String> functions = new ArrayList<>();
        for (MethodCensus method : record.methods) {
            Case.sum(method).keySet().stream()
                    .filter(each -> each.startsWith("ObjectMethods."))
                    .forEach(functions::add);
            assertFalse(method.name, Case.sum(method).containsKey("Lambda Creation"));
        }
        assertEquals(
                Arrays.asList("ObjectMethods.equals", "ObjectMethods.hashCode", "ObjectMethods.toString"),
                functions.stream().sorted().collect(Collectors.toList()));
    }

    @Test
    public void everyInstructionHasARow() throws Exception {
        List<String> known = new ArrayList<>();
        for (String[] row : OperationTable.rows("instructions.txt", 3)) {
            known.addAll(Arrays.asList(row[0].split(" ")));
            assertTrue(row[0], row.length == 3 && row[2].length() > 5);
        }
        for (String mnemonic : javassist.bytecode.Mnemonic.OPCODE) {
            assertEquals(mnemonic, 1, Collections.frequency(known, mnemonic));
        }
    }

    @Test
    public void everyOperationOfATableHasAClass() {
        for (String[] row : OperationTable.rows("instructions.txt", 3)) {
            for (String operation : row[1].split(" \\+ ")) {
                boolean special = operation.equals("-") || operation.equals("*");
                assertTrue(
                        operation, special || !OperationTable.classOf(operation).equals(OperationTable.LIBRARY));
            }
        }
    }
}
