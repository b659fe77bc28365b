package org.navitas.instrument.edits;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.run.Summary;
import org.navitas.instrument.testing.Compiled;
import org.navitas.runtime.Probe;

/** Edits of classes in a folder: what the edited code does, what is written again, and errors. */
public class BlockEditsTest {
    /** Blocks of {@code step}: 0 start, 1 condition, 2 body (its range has 8 bytes, then i++ and a jump of 3 each), 3 end. */
    private static final String STEP = "public static int total;\n"
            + "  public static int step(int n) {\n"
            + "    total = 1;\n"
            + "    for (int i = 0; i < n; i++) {\n"
            + "      total += 2;\n"
            + "    }\n"
            + "    total *= 10;\n"
            + "    return total;\n"
            + "  }\n";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path in;
    private Path out;
    private Path map;
    private Path file;

    @Before
    public void folders() throws Exception {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in");
        out = root.resolve("out");
        map = root.resolve("map.json");
        file = root.resolve("edits.txt");
        Compiled.into(
                in,
                8,
                "a.A",
                "package a;\npublic class A {\n  " + STEP + "}\n",
                "a.B",
                "package a;\npublic class B {}\n");
    }

    private void edits(String... lines) throws IOException {
        Files.write(file, Arrays.asList(lines), StandardCharsets.UTF_8);
    }

    private Summary run() throws InstrumentException {
        return run(BlockEdits.read(file));
    }

    private Summary run(BlockEdits edits) throws InstrumentException {
        return BulkInstrumenter.run(
                Collections.singletonList(new Input(in, out, Input.MAIN, ":")),
                Options.builder().edits(edits).build(),
                map);
    }

    private Object step(int n) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {out.toUri().toURL()}, getClass().getClassLoader())) {
            Method step = loader.loadClass("a.A").getMethod("step", int.class);
            Object result = step.invoke(null, n);
            Probe.take();
            return result;
        }
    }

    private String problem(String... lines) throws IOException {
        edits(lines);
        String message = assertThrows(InstrumentException.class, this::run).getMessage();
        assertTrue(message, message.startsWith(file.toString()));
        return message.substring(file.toString().length());
    }

    @Test
    public void removedCodeDoesNotRun() throws Exception {
        edits("remove\ta.A\tstep(I)I\t2");
        run();
        assertEquals(10, step(4));
        edits("remove\ta.A\tstep(I)I\t3");
        run();
        assertEquals(9, step(4));
    }

    @Test
    public void repeatedCodeRunsInSequence() throws Exception {
        edits("repeat\ta.A\tstep(I)I\t2\t3", "", "repeat\ta.A\tstep(I)I\t3\t2");
        run();
        assertEquals((1 + 4 * 3 * 2) * 100, step(4));
    }

    @Test
    public void methodsKeepTheirBlocksAndLines() throws Exception {
        edits("repeat\ta.A\tstep(I)I\t2\t300", "remove\ta.A\tstep(I)I\t3");
        byte[] original = Files.readAllBytes(in.resolve("a/A.class"));
        BasicBlocks before = blocks(original);
        BasicBlocks after = blocks(BlockEdits.read(file).apply("a.A", original));
        assertEquals(lines(before), lines(after));
        assertEquals(before.blocks().get(1).successors, after.blocks().get(1).successors);
        assertEquals(300 * 8 + 3, after.blocks().get(2).lastPc - after.blocks().get(2).firstPc);
    }

    private static BasicBlocks blocks(byte[] bytes) throws Exception {
        ClassFile parsed = new ClassFile(new DataInputStream(new ByteSource(bytes)));
        return BasicBlocks.of(parsed.getMethod("step").getCodeAttribute());
    }

    private static List<String> lines(BasicBlocks blocks) {
        return blocks.blocks().stream()
                .map(block -> blocks.lineOf(block.firstPc) + " " + blocks.lineOf(block.lastPc))
                .collect(Collectors.toList());
    }

    @Test
    public void classesAreWrittenAgainOnlyIfTheirEditsChange() throws Exception {
        edits("remove\ta.A\tstep(I)I\t2");
        assertEquals(2, run().rewritten());
        byte[] edited = Files.readAllBytes(out.resolve("a/A.class"));
        assertEquals(0, run().rewritten());
        assertArrayEquals(edited, Files.readAllBytes(out.resolve("a/A.class")));
        edits("repeat\ta.A\tstep(I)I\t2\t2");
        assertEquals(1, run().rewritten());
        assertEquals((1 + 4 * 2 * 2) * 10, step(4));
        assertEquals(1, run(BlockEdits.none()).rewritten());
        assertEquals(90, step(4));
        edits("remove\ta.A\tstep(I)I\t2");
        assertEquals(1, run().rewritten());
        assertArrayEquals(edited, Files.readAllBytes(out.resolve("a/A.class")));
    }

    @Test
    public void classesWithoutProbesAreEdited() throws Exception {
        edits("remove\ta.A\tstep(I)I\t2");
        Options options = Options.builder()
                .exclude(Collections.singletonList("a.A#*"))
                .edits(BlockEdits.read(file))
                .build();
        BulkInstrumenter.run(Collections.singletonList(new Input(in, out, Input.MAIN, ":")), options, map);
        assertEquals(10, step(4));
        byte[] original = Files.readAllBytes(in.resolve("a/A.class"));
        assertArrayEquals(BlockEdits.read(file).apply("a.A", original), Files.readAllBytes(out.resolve("a/A.class")));
    }

    @Test
    public void errorsNameTheLineAndTheCause() throws Exception {
        assertEquals(":1: 'delete' is not an edit; write remove or repeat", problem("delete\ta.A\tstep(I)I\t2"));
        assertEquals(
                ":2: remove needs a class, a method and a block, separated by tabs",
                problem("", "remove\ta.A\tstep(I)I"));
        assertEquals(
                ":1: repeat needs a class, a method and a block, and a number of times, separated by tabs",
                problem("repeat\ta.A\tstep(I)I\t2"));
        assertEquals(":1: the block 'x' is not a number", problem("remove\ta.A\tstep(I)I\tx"));
        assertEquals(":1: the block '-1' is negative", problem("remove\ta.A\tstep(I)I\t-1"));
        assertEquals(":1: code can run 2 to 1000 times, not 1", problem("repeat\ta.A\tstep(I)I\t2\t1"));
        assertEquals(":1: code can run 2 to 1000 times, not 1001", problem("repeat\ta.A\tstep(I)I\t2\t1001"));
        assertEquals(
                ":2: block 2 of a.A.step(I)I is also edited in line 1",
                problem("remove\ta.A\tstep(I)I\t2", "repeat\ta.A\tstep(I)I\t2\t2"));
        assertEquals(":1: class a.C is not among the classes to instrument", problem("remove\ta.C\tstep(I)I\t2"));
        assertEquals(":1: class a.A has no method step()V with code", problem("remove\ta.A\tstep()V\t2"));
        assertEquals(":1: class a.A has no block 4 in step(I)I, only 0 to 3", problem("remove\ta.A\tstep(I)I\t4"));
        assertEquals(
                ":1: class a.A has a block 1 in step(I)I that cannot be edited; the census says which can",
                problem("remove\ta.A\tstep(I)I\t1"));
    }

    @Test
    public void unreadableFilesAreNamed() throws Exception {
        file = temporary.getRoot().toPath().resolve("missing.txt");
        assertEquals(
                file + ": no such file or folder",
                assertThrows(InstrumentException.class, this::run).getMessage());
        Files.write(file, new byte[] {(byte) 0xff});
        assertEquals(
                file + ": is not UTF-8 text",
                assertThrows(InstrumentException.class, this::run).getMessage());
    }

    @Test
    public void codeThatWouldBeTooLongIsRefused() throws Exception {
        StringBuilder body = new StringBuilder("  static int t;\n  static void step(int n) {\n");
        for (int i = 0; i < 20; i++) {
            body.append("    t += n * ").append(1000 + i).append(";\n");
        }
        Compiled.into(in, 8, "a.B", "package a;\npublic class B {\n" + body + "  }\n}\n");
        assertEquals(
                ":1: class a.B would have too long code in step(I)V; repeat less",
                problem("repeat\ta.B\tstep(I)V\t0\t1000"));
    }

    @Test
    public void methodsWithTooManyVariablesCannotBeEdited() throws Exception {
        ClassFile parsed = new ClassFile(false, "a.Many", null);
        Bytecode many = new Bytecode(parsed.getConstPool(), 1, 1);
        for (int i = 0; i < 9_000; i++) {
            many.addOpcode(Opcode.ICONST_0);
            many.addOpcode(Opcode.POP);
            many.addOpcode(Opcode.ICONST_0);
            many.addOpcode(Opcode.IFEQ);
            many.addIndex(3);
        }
        many.addOpcode(Opcode.RETURN);
        MethodInfo method = new MethodInfo(parsed.getConstPool(), "many", "()V");
        method.setAccessFlags(AccessFlag.STATIC);
        method.setCodeAttribute(many.toCodeAttribute());
        BasicBlocks blocks = BasicBlocks.of(method.getCodeAttribute());
        assertEquals(9_001, blocks.blocks().size());
        assertEquals(1, EditableBlocks.of(parsed, method, blocks).range(0).lastPc);
        method.getCodeAttribute().setMaxLocals(65_535);
        assertNull(EditableBlocks.of(parsed, method, blocks).range(0));
    }

    @Test
    public void oneModuleOfSeveralCanLackClasses() throws Exception {
        edits("remove\ta.C\tstep(I)I\t2", "remove\ta.A\tstep(I)I\t2");
        run(BlockEdits.read(file).ofOneModule());
        assertEquals(10, step(4));
    }

    @Test
    public void classesWithProbesAreRefused() throws Exception {
        run(BlockEdits.none());
        in = out;
        out = temporary.getRoot().toPath().resolve("again");
        assertEquals(":1: class a.A already has probes; use the original class", problem("remove\ta.A\tstep(I)I\t2"));
    }
}
