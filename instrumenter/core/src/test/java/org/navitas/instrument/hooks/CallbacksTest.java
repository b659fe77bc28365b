package org.navitas.instrument.hooks;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javassist.bytecode.AnnotationsAttribute;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
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
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.Superclasses;
import org.navitas.instrument.testing.Compiled;
import org.navitas.runtime.Probe;

/** Callbacks call hooks once at their start; calls of inherited methods are hooked in subclasses of any depth. */
@RunWith(Parameterized.class)
public class CallbacksTest {
    private static final MethodChoice EVERY_METHOD = (className, method, code) -> null;
    private static final MethodChoice NO_PROBES = (className, method, code) -> Skipped.EXCLUDED;
    private static final String HOOKS = "org.navitas.instrument.hooks.CallbacksTest$Hooks";
    private static final String TABLE = "start java.util.TimerTask onOne (Ljava/lang/String;)V " + HOOKS + "\n"
            + "start java.util.TimerTask onMany (JDFI[J[[Ljava/lang/String;Z)I " + HOOKS + "\n"
            + "start java.util.TimerTask onLoop (Ljava/util/Iterator;)V " + HOOKS + "\n"
            + "start java.util.TimerTask work (Lkotlin/coroutines/Continuation;)Ljava/lang/Object; " + HOOKS + "\n"
            + "inherited java.util.Observable countObservers ()I " + HOOKS + "\n"
            + "call java.util.Observable hasChanged ()Z " + HOOKS + "\n";
    private static final String SOURCE = "package p;\n"
            + "import java.util.*; import java.util.function.Supplier;\n"
            + "public class Target extends Base implements Supplier<List<String>> {\n"
            + "  @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Own {}\n"
            + "  @Own @Override protected void onOne(String one) {\n"
            + "    try { if (one.isEmpty()) { throw new IllegalStateException(); } seen.add(one); } catch"
            + " (IllegalStateException e) { seen.add(\"caught\"); }\n"
            + "    super.onOne(one);\n"
            + "  }\n"
            + "  protected int onMany(long a, double b, float c, int d, long[] e, String[][] f, boolean g) {\n"
            + "    return (int) (a + b + c + d + e.length + f.length + (g ? 1 : 0));\n"
            + "  }\n"
            + "  protected void onLoop(Iterator<String> all) { while (all.hasNext()) { seen.add(all.next()); } }\n"
            + "  static void onOne(int other) {}\n"
            + "  private void onLoop() {}\n"
            + "  public List<String> get() {\n"
            + "    onOne(\"\"); onOne(\"x\");\n"
            + "    seen.add(\"\" + onMany(1L << 40, 2, 3, 4, new long[5], new String[6][], true));\n"
            + "    onLoop(Arrays.asList(\"a\", \"b\").iterator());\n"
            + "    return seen;\n"
            + "  }\n"
            + "}\n"
            + "class Base {\n"
            + "  protected final List<String> seen = new ArrayList<>();\n"
            + "  protected void onOne(String one) { seen.add(\"base \" + one); }\n"
            + "}\n";
    private static final String KOTLIN_SOURCE = "package p\n"
        + "import kotlin.coroutines.*\n"
        + "open class Base { open suspend fun work(): Any = 1 }\n"
        + "class Work : Base(), java.util.function.Supplier<List<String>> {\n"
        + "  var waiting: Continuation<Unit>? = null\n"
        + "  override suspend fun work(): Any { var n = 0; for (i in 0..2) { suspendCoroutine<Unit> { waiting = it };"
        + " n += i }; return n }\n"
        + "  override fun get(): List<String> {\n"
        + "    val out = ArrayList<String>()\n"
        + "    val f: suspend () -> Any = { work() }\n"
        + "    f.startCoroutine(Continuation(EmptyCoroutineContext) { out.add(\"\" + it.getOrNull()) })\n"
        + "    while (waiting != null) { val next = waiting!!; waiting = null; next.resume(Unit) }\n"
        + "    return out\n"
        + "  }\n"
        + "}\n";

    /** What the hooks were called for. */
    static final List<String> CALLS = Collections.synchronizedList(new ArrayList<>());

    @ClassRule
    public static final TemporaryFolder KOTLIN = new TemporaryFolder();

    @Parameter
    public int release;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Parameters(name = "Java {0}")
    public static List<Integer> releases() {
        return Arrays.asList(8, 17);
    }

    /** Hooks for the table of this test. */
    @SuppressWarnings("deprecation")
    public static final class Hooks {
        private Hooks() {}

        public static void onOne(Object self, String one, Class<?> in) {
            CALLS.add(self.getClass().getSimpleName() + " onOne " + one + " in " + in.getSimpleName());
        }

        public static void onMany(
                Object self, long a, double b, float c, int d, long[] e, String[][] f, boolean g, Class<?> in) {
            CALLS.add("onMany " + a + " " + b + " " + c + " " + d + " " + e.length + " " + f.length + " " + g + " in "
                    + in.getSimpleName());
        }

        public static void onLoop(Object self, java.util.Iterator<String> all, Class<?> in) {
            CALLS.add("onLoop " + all.hasNext());
        }

        public static void work(Object self, kotlin.coroutines.Continuation<?> continuation, Class<?> in) {
            CALLS.add("work");
        }

        public static int countObservers(java.util.Observable observable) {
            CALLS.add("count");
            return observable.countObservers();
        }

        public static boolean hasChanged(java.util.Observable observable) {
            CALLS.add("changed");
            return observable.hasChanged();
        }
    }

    @After
    public void leaveNoProbes() {
        Probe.take();
    }

    @Before
    public void forget() {
        CALLS.clear();
    }

    @Test
    public void callbacksCallTheHookOnceAndBehaveAsBefore() throws Exception {
        for (MethodChoice probes : Arrays.asList(NO_PROBES, EVERY_METHOD)) {
            CALLS.clear();
            Path folder = compiled("p.Target", SOURCE);
            List<String> expected = run(folder, "p.Target");
            assertEquals(Collections.emptyList(), CALLS);
            for (String name : Arrays.asList("p/Target.class", "p/Base.class")) {
                instrument(folder.resolve(name), probes, HookTable.of(TABLE));
            }
            assertEquals(expected, run(folder, "p.Target"));
            assertEquals(
                    Arrays.asList(
                            "Target onOne  in Target",
                            "Target onOne  in Base",
                            "Target onOne x in Target",
                            "Target onOne x in Base",
                            "onMany " + (1L << 40) + " 2.0 3.0 4 5 6 true in Target",
                            "onLoop true"),
                    CALLS);
        }
    }

    @Test
    public void methodsWithACallAreMarkedAndOthersStay() throws Exception {
        Path file = compiled("p.Target", SOURCE).resolve("p/Target.class");
        instrument(file, NO_PROBES, HookTable.of(TABLE));
        ClassFile done = new ClassFile(new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file))));
        Map<String, List<String>> marks = new HashMap<>();
        for (MethodInfo method : done.getMethods()) {
            AnnotationsAttribute visible = (AnnotationsAttribute) method.getAttribute(AnnotationsAttribute.visibleTag);
            List<String> names = new ArrayList<>();
            if (visible != null) {
                Arrays.stream(visible.getAnnotations()).forEach(each -> names.add(each.getTypeName()));
            }
            marks.put(method.getName() + method.getDescriptor(), names);
        }
        assertEquals(Arrays.asList("p.Target$Own", Callbacks.MARK), marks.get("onOne(Ljava/lang/String;)V"));
        assertEquals(Collections.singletonList(Callbacks.MARK), marks.get("onLoop(Ljava/util/Iterator;)V"));
        assertEquals(Collections.emptyList(), marks.get("onOne(I)V"));
        assertEquals(Collections.emptyList(), marks.get("onLoop()V"));
        assertEquals(Collections.emptyList(), marks.get("get()Ljava/util/List;"));
    }

    @Test
    public void suspendFunctionCallsTheHookOncePerCallNotPerSegment() throws Exception {
        Path folder = KOTLIN.getRoot().toPath().resolve("work");
        if (!Files.exists(folder)) { // the Kotlin compiler is slow
            Compiled.kotlin(folder, "Work.kt", KOTLIN_SOURCE);
        }
        for (MethodChoice probes : Arrays.asList(NO_PROBES, EVERY_METHOD)) {
            CALLS.clear();
            Path copy = temporary.newFolder().toPath();
            for (String name : Arrays.asList("Base", "Work", "Work$get$f$1", "Work$work$1")) {
                Path from = folder.resolve("p/" + name + ".class");
                if (Files.exists(from)) {
                    Files.createDirectories(copy.resolve("p"));
                    Files.copy(from, copy.resolve("p/" + name + ".class"));
                    instrument(copy.resolve("p/" + name + ".class"), probes, HookTable.of(TABLE));
                }
            }
            for (Path rest : Files.newDirectoryStream(folder.resolve("p"))) {
                if (!Files.exists(copy.resolve("p").resolve(rest.getFileName()))) {
                    Files.copy(rest, copy.resolve("p").resolve(rest.getFileName()));
                }
            }
            assertEquals(Collections.singletonList("3"), run(copy, "p.Work"));
            assertEquals(Collections.singletonList("work"), CALLS);
        }
    }

    @Test
    public void inheritedMethodsAreHookedInSubclassesOfAnyDepth() throws Exception {
        Path folder = compiled(
                "p.Deep",
                "package p;\n"
                        + "import java.util.*; import java.util.function.Supplier;\n"
                        + "public class Deep extends Middle implements Supplier<List<String>> {\n"
                        + "  public List<String> get() {\n"
                        + "    Deep other = this; Middle middle = other;\n"
                        + "    return Arrays.asList(countObservers() + \" \" + other.countObservers() + \" \" +"
                        + " middle.countObservers() + hasChanged());\n"
                        + "  }\n"
                        + "}\n"
                        + "class Middle extends Observable {}\n");
        Map<String, String> superclasses =
                Superclasses.of(Collections.singletonList(new Input(folder, folder, Input.MAIN, ":")));
        assertEquals("p.Middle", superclasses.get("p.Deep"));
        assertEquals("java.util.Observable", superclasses.get("p.Middle"));
        HookTable plain = HookTable.of(TABLE);
        HookTable table = plain.withSubclasses(superclasses);
        assertFalse(plain.id().equals(table.id()));
        assertEquals(plain, plain.withSubclasses(new HashMap<>()));
        byte[] original = Files.readAllBytes(folder.resolve("p/Deep.class"));
        assertArrayEquals(
                original,
                ClassInstrumenter.instrument(original, "p.Deep", NO_PROBES, plain)
                        .bytes(new int[0]));
        instrument(folder.resolve("p/Deep.class"), NO_PROBES, table);
        assertEquals(Collections.singletonList("0 0 0false"), run(folder, "p.Deep"));
        assertEquals("only inherited lines", Arrays.asList("count", "count", "count"), CALLS);
    }

    @Test
    public void superclassesInACircleEnd() {
        Map<String, String> circle = new HashMap<>();
        circle.put("a.A", "a.B");
        circle.put("a.B", "a.A");
        HookTable table = HookTable.of(TABLE);
        assertEquals(table, table.withSubclasses(circle));
    }

    @Test
    public void hierarchyOfSeveralInputsDecides() throws Exception {
        Path library = temporary.getRoot().toPath().resolve("library");
        Path out = temporary.getRoot().toPath().resolve("out");
        Compiled.into(
                library,
                release,
                "q.Middle",
                "package q; public class Middle extends Thread { public static int used; }");
        Map<String, String> found = Superclasses.of(Arrays.asList(
                new Input(compiled("p.Target", SOURCE), out, Input.MAIN, ":"),
                new Input(library, out, Input.DEPENDENCY, ":"),
                new Input(library.resolve("absent.jar"), out, Input.DEPENDENCY, ":")));
        assertEquals("java.lang.Thread", found.get("q.Middle"));
        assertEquals("p.Base", found.get("p.Target"));
        assertFalse("extends Object", found.containsKey("p.Base"));
    }

    private Path compiled(String name, String source) throws Exception {
        Path folder = temporary.newFolder().toPath();
        Compiled.into(folder, release, name, source);
        return folder;
    }

    private static void instrument(Path file, MethodChoice probes, HookTable table) throws Exception {
        byte[] original = Files.readAllBytes(file);
        ClassInstrumenter done = ClassInstrumenter.instrument(original, "unknown", probes, table);
        assertEquals(null, done.info.problem);
        Files.write(file, done.bytes(new int[done.info.methods.size()]));
        assertTrue(original.length <= Files.size(file));
    }

    @SuppressWarnings("unchecked")
    private static List<String> run(Path folder, String name) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, CallbacksTest.class.getClassLoader())) {
            return new ArrayList<>(((Supplier<List<String>>)
                            loader.loadClass(name).getDeclaredConstructor().newInstance())
                    .get());
        }
    }
}
