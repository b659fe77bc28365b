package org.navitas.instrument.probes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.testing.Compiled;
import org.navitas.runtime.BlockProbe;

/** Code that counters make longer than a short jump, or than a method may be. */
public class CodeGrowthTest {
    private static final int CALLS = 40;
    private static final int ROUNDS = 3;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void widensJumpsBack() throws Exception {
        byte[] original = compile(
                1000,
                "for (;;) { if (i++ == " + ROUNDS + ") { return sum; }",
                "sum++; }"); // javac would let the last condition jump to the start
        assertTrue(code(original).getCodeLength() < Short.MAX_VALUE);
        ClassInstrumenter done = instrument(original);
        assertTrue(done.info.skipped.isEmpty());
        byte[] counted = done.bytes(new int[] {7, 8});
        assertTrue(code(counted).getCodeLength() > Short.MAX_VALUE);
        BlockProbe.take();
        for (int n = 0; n < CALLS; n++) {
            assertEquals(call(original, n), call(counted, n));
        }
        long[] counters = BlockProbe.take().get(8);
        BasicBlocks blocks = BasicBlocks.of(code(original));
        CounterPlacement placement = CounterPlacement.of(method(original), blocks);
        assertEquals(CALLS, CounterPlacementTest.value(placement, 0, counters));
        assertEquals(
                ROUNDS * CALLS,
                CounterPlacementTest.value(placement, blocks.blocks().size() - 1, counters));
    }

    @Test
    public void leavesCodeThatWouldBeTooLong() throws Exception {
        check(2000, "", "return sum;"); // 64 KB
        check(1000, "while (i++ < " + ROUNDS + ") {", "} return sum;"); // a conditional jump over 32 KB
    }

    @Test
    public void doesNotCountTheIdOfThreads() throws Exception {
        File folder = temporary.newFolder();
        Compiled.into(
                folder.toPath(),
                8,
                "Worker",
                "public class Worker extends Thread { public long getId() { return 7; } }");
        ClassInstrumenter done = instrument(Files.readAllBytes(folder.toPath().resolve("Worker.class")));
        assertEquals("getId()J", done.info.skipped.get(0).method);
        assertEquals(1, done.info.methods.size());
    }

    private void check(int conditions, String start, String end) throws Exception {
        byte[] original = compile(conditions, start, end);
        ClassInstrumenter done = instrument(original);
        assertEquals("too_large", done.info.skipped.get(0).reason);
        assertEquals(call(original, 5), call(done.bytes(new int[] {7}), 5));
        Map<Integer, long[]> counts = BlockProbe.take();
        assertEquals("only the constructor is counted", 0, counts.size());
    }

    private static ClassInstrumenter instrument(byte[] original) {
        return ClassInstrumenter.instrument(original, "fallback", (c, m, code) -> null, null, Probes.BLOCKS);
    }

    private byte[] compile(int conditions, String start, String end) throws Exception {
        File folder = temporary.newFolder();
        String body = IntStream.range(0, conditions)
                .mapToObj(i -> "if (n % " + (i % 37 + 1) + " == 0) { sum = sum * " + (i + 1000) + " + i; }")
                .collect(Collectors.joining("\n"));
        Compiled.into(
                folder.toPath(),
                8,
                "Long",
                "public class Long { public static int m(int n) { int sum = 0; int i = 0; " + start + body + end
                        + "} }");
        return Files.readAllBytes(folder.toPath().resolve("Long.class"));
    }

    private static MethodInfo method(byte[] bytes) throws Exception {
        return new ClassFile(new DataInputStream(new ByteArrayInputStream(bytes))).getMethod("m");
    }

    private static CodeAttribute code(byte[] bytes) throws Exception {
        return method(bytes).getCodeAttribute();
    }

    private static Object call(byte[] bytes, int n) throws Exception {
        Class<?> made = new ClassLoader(CodeGrowthTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass("Long", bytes, 0, bytes.length);
            }
        }.define();
        Method method = made.getMethod("m", int.class);
        return method.invoke(null, n);
    }
}
