package org.navitas.instrument.hooks;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.Checksum;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.testing.Compiled;

/** Calls of the platform are replaced by calls of hooks, in code of every class file version, and all others stay. */
@RunWith(Parameterized.class)
public class CallSitesTest {
    private static final MethodChoice NO_PROBES = (className, method, code) -> Skipped.EXCLUDED;
    private static final String HOOKS = "org.navitas.instrument.hooks.CallSitesTest$Hooks";
    private static final HookTable TABLE = HookTable.of("# a comment\n\n"
            + "call java.util.zip.CRC32 update ([BII)V " + HOOKS + "\n"
            + "call java.util.zip.Checksum,java.util.zip.CRC32 getValue ()J " + HOOKS + "\n"
            + "static java.nio.file.Files exists (Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z " + HOOKS + "\n"
            + "new java.util.ArrayList " + HOOKS + "$Noted ()V,(I)V,(Ljava/util/Collection;)V\n");
    private static final String SOURCE = "package p;\n"
        + "import java.util.*; import java.util.function.Supplier; import java.util.zip.*; import java.nio.file.*;\n"
        + "public class Target implements Supplier<List<String>> {\n"
        + "  static class Sub extends ArrayList<String> { Sub() { super(3); } }\n"
        + "  public static class Own extends CRC32 implements Supplier<List<String>> {\n"
        + "    public List<String> get() { update(new byte[] {1, 2}, 0, 2); return Arrays.asList(\"\" + getValue());"
        + " }\n"
        + "  }\n"
        + "  public List<String> get() {\n"
        + "    List<String> out = new ArrayList<>(Arrays.asList(\"a\"));\n"
        + "    CRC32 crc = new CRC32();\n"
        + "    for (int i = 0; i < 3; i++) { try { crc.update(new byte[] {1, 2, 3}, 0, 3 + i / 2); }\n"
        + "      catch (ArrayIndexOutOfBoundsException e) { out.add(\"caught\"); } }\n"
        + "    Checksum sum = crc;\n"
        + "    out.add(String.valueOf(sum.getValue() == crc.getValue() ? \"same\" : \"different\"));\n"
        + "    out.add(String.valueOf(Files.exists(Paths.get(\"/\"))));\n"
        + "    out.add(new Sub().getClass().getSuperclass().getSimpleName());\n"
        + "    out.add(new ArrayList<>(out.isEmpty() ? new ArrayList<>(2) : out).getClass().getSimpleName());\n"
        + "    return out;\n"
        + "  }\n"
        + "}\n";

    /** What the hooks were called for. */
    static final List<String> CALLS = Collections.synchronizedList(new ArrayList<>());

    @Parameter
    public int release;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Parameters(name = "Java {0}")
    public static List<Integer> releases() {
        return Arrays.asList(8, 11, 17);
    }

    /** Hooks for the table of this test. */
    public static final class Hooks {
        private Hooks() {}

        public static void update(CRC32 crc, byte[] bytes, int from, int length) {
            CALLS.add("update " + length);
            crc.update(bytes, from, length);
        }

        public static long getValue(Checksum sum) {
            CALLS.add("getValue");
            return sum.getValue();
        }

        public static boolean exists(Path path, java.nio.file.LinkOption... options) {
            CALLS.add("exists " + path);
            return Files.exists(path, options);
        }

        /** A list that counts how often one is created. */
        public static class Noted<T> extends ArrayList<T> {
            private static final long serialVersionUID = 1;

            public Noted() {
                CALLS.add("list");
            }

            public Noted(int capacity) {
                super(capacity);
                CALLS.add("list " + capacity);
            }

            public Noted(java.util.Collection<? extends T> elements) {
                super(elements);
                CALLS.add("list of " + elements.size());
            }
        }
    }

    @Before
    public void forget() {
        CALLS.clear();
    }

    @Test
    public void hooksAreCalledAndResultsStayTheSame() throws Exception {
        List<String> expected = run(compiled("p/Target.class"));
        assertEquals(Collections.emptyList(), CALLS);
        ClassInstrumenter done = ClassInstrumenter.instrument(compiled("p/Target.class"), "p.Target", NO_PROBES, TABLE);
        List<String> found = run(done.bytes(new int[0]));
        assertEquals("Noted", found.get(found.size() - 1));
        assertEquals(expected.subList(0, expected.size() - 1), found.subList(0, found.size() - 1));
        assertEquals(
                Arrays.asList(
                        "list of 1",
                        "update 3",
                        "update 3",
                        "update 4",
                        "getValue",
                        "getValue",
                        "exists /",
                        "list of 5"),
                CALLS);
    }

    @Test
    public void callOfASuperclassConstructorStays() throws Exception {
        byte[] original = compiled("p/Target$Sub.class");
        ClassInstrumenter done = ClassInstrumenter.instrument(original, "p.Target$Sub", NO_PROBES, TABLE);
        assertFalse(done.info.hooked);
        assertArrayEquals(original, done.bytes(new int[0]));
    }

    @Test
    public void inheritedMethodThatAClassCallsOnItselfIsHooked() throws Exception {
        byte[] original = compiled("p/Target$Own.class");
        List<String> expected = run(original);
        ClassInstrumenter done = ClassInstrumenter.instrument(original, "p.Target$Own", NO_PROBES, TABLE);
        assertEquals(expected, run(done.bytes(new int[0])));
        assertEquals(Arrays.asList("update 2", "getValue"), CALLS);
    }

    @Test
    public void classIsCreatedAsBeforeIfItsHookLacksAConstructor() throws Exception {
        byte[] original = compiled("p/Target.class");
        HookTable table = HookTable.of("new java.util.ArrayList " + HOOKS + "$Noted ()V,(I)V");
        assertArrayEquals(
                original,
                ClassInstrumenter.instrument(original, "p.Target", NO_PROBES, table)
                        .bytes(new int[0]));
    }

    @Test
    public void classWithoutHookedCallsStays() throws Exception {
        byte[] original = compiled("p/Target.class");
        ClassInstrumenter done = ClassInstrumenter.instrument(
                original, "p.Target", NO_PROBES, HookTable.of("new java.util.Date x.Y ()V"));
        assertArrayEquals(original, done.bytes(new int[0]));
    }

    private byte[] compiled(String path) throws IOException {
        Path folder = temporary.getRoot().toPath().resolve("classes");
        Compiled.into(folder, release, "p.Target", SOURCE);
        return Files.readAllBytes(folder.resolve(path));
    }

    @SuppressWarnings("unchecked")
    private List<String> run(byte[] target) throws Exception {
        byte[] sub = compiled("p/Target$Sub.class");
        Class<?> type = new ClassLoader(CallSitesTest.class.getClassLoader()) {
            Class<?> define() {
                defineClass(null, sub, 0, sub.length);
                return defineClass(null, target, 0, target.length);
            }

            @Override
            public InputStream getResourceAsStream(String name) {
                return null;
            }
        }.define();
        return ((Supplier<List<String>>) type.getDeclaredConstructor().newInstance()).get();
    }
}
