package org.navitas.instrument.edits;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.testing.Compiled;

/** The ranges of snippets, checked by hand. */
@RunWith(Parameterized.class)
public class EditableBlocksTest {
    @ClassRule
    public static final TemporaryFolder TEMPORARY = new TemporaryFolder();
    /** Names and sources. */
    private static final List<String> SOURCES = new ArrayList<>();

    @Parameter(0)
    public String title;

    @Parameter(1)
    public String name;

    @Parameter(2)
    public String expected;

    @Parameters(name = "{0}")
    public static List<Object[]> cases() throws Exception {
        List<Object[]> cases = new ArrayList<>();
        try (DataInputStream in =
                new DataInputStream(EditableBlocksTest.class.getResourceAsStream("editable-cases.txt"))) {
            String text = new String(Io.read(in), StandardCharsets.UTF_8).replaceAll("(?m)^# .*\n", "");
            for (String part : text.split("(?m)^== ")) {
                if (!part.trim().isEmpty()) {
                    String name = "Snippet" + cases.size();
                    int end = part.indexOf('\n');
                    String[] sides = part.substring(end + 1).split("(?m)^--\n");
                    SOURCES.addAll(Arrays.asList(
                            name, "public class " + name + " {\n" + sides[0].replace("CLASS", name) + "}\n"));
                    cases.add(new Object[] {part.substring(0, end), name, sides[1].trim()});
                }
            }
        }
        assertTrue(cases.size() > 20);
        return cases;
    }

    @BeforeClass
    public static void compile() throws Exception {
        Compiled.into(TEMPORARY.getRoot().toPath(), 8, SOURCES.toArray(new String[0]));
    }

    @Test
    public void hasRanges() throws Exception {
        ClassFile file;
        try (DataInputStream in = new DataInputStream(
                Files.newInputStream(TEMPORARY.getRoot().toPath().resolve(name + ".class")))) {
            file = new ClassFile(in);
        }
        MethodInfo method = file.getMethod("m") != null ? file.getMethod("m") : file.getMethod(MethodInfo.nameInit);
        BasicBlocks blocks = BasicBlocks.of(method.getCodeAttribute());
        EditableBlocks editable = EditableBlocks.of(file, method, blocks);
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < blocks.blocks().size(); i++) {
            EditableBlocks.Range range = editable.range(i);
            ranges.add(range == null ? "-" : range.firstPc + "-" + range.lastPc);
        }
        assertEquals(expected, String.join(" ", ranges));
    }
}
