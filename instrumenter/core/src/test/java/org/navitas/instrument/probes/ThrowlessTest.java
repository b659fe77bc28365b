package org.navitas.instrument.probes;

import static org.junit.Assert.assertEquals;

import java.io.DataInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.Linked;

/** Methods that cannot throw get probes without a handler, and all others get one. */
public class ThrowlessTest {
    private static final String SOURCE = "public class Some extends Thread {\n"
            + "  int x; long y; Some next; static int count; static final int[] NONE = {};\n"
            + "  public Some() { }\n"
            + "  Some(int x) { this.x = x; }\n"
            + "  Some(String text) { this.x = text.length(); }\n"
            + "  int get() { return x; }\n"
            + "  void set(int to) { x = to; y = 5; next = null; }\n"
            + "  static int counted() { return count++; }\n"
            + "  int ofClass() { return count; }\n"
            + "  static double mix(int a, long b) { double r = 1.5; while (a-- > 0) { r = r * b + a; } return r; }\n"
            + "  static Object self(Object some) { return some; }\n"
            + "  void nothing() { }\n"
            + "  int ofNext() { return next.x; }\n"
            + "  void toNext() { next.x = 1; }\n"
            + "  int either(boolean first) { return (first ? this : next).x; }\n"
            + "  static int ofOther() { return java.awt.Event.ALT_MASK + Other.field; }\n"
            + "  static int ofArray() { return NONE.length; }\n"
            + "  static int divided(int a, int b) { return a / b; }\n"
            + "  static String text() { return \"text\"; }\n"
            + "  static Class<?> type() { return Some.class; }\n"
            + "  static Some cast(Object some) { return (Some) some; }\n"
            + "  static Object made() { return new Object(); }\n"
            + "  static void called() { counted(); }\n"
            + "  synchronized void locked() { }\n"
            + "  static class Other { static int field = 1; }\n"
            + "}\n";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    /** Its object can be used although the initializer of a class or interface above has failed. */
    @Test
    public void staticFieldsOfInheritingClassesCanThrowInInstanceMethods() throws Exception {
        String body = " { static int count; int get() { return count; } static int ofClass() { return count; } }";
        assertEquals(names("<init>()V", "get()I", "ofClass()I"), withoutHandler("a.Plain", "class Plain" + body));
        assertEquals(names("<init>()V", "ofClass()I"), withoutHandler("a.Below", "class Below extends Thread" + body));
        assertEquals(
                names("<init>()V", "ofClass()I"),
                withoutHandler("a.With", "class With implements java.io.Serializable" + body));
    }

    @Test
    public void onlyWhatCannotThrowHasNoHandler() throws Exception {
        assertEquals(
                names(
                        "<init>()V",
                        "<init>(I)V",
                        "get()I",
                        "set(I)V",
                        "counted()I",
                        "mix(IJ)D",
                        "self(Ljava/lang/Object;)Ljava/lang/Object;",
                        "nothing()V"),
                withoutHandler("a.Some", SOURCE));
    }

    private static TreeSet<String> names(String... names) {
        return new TreeSet<>(Arrays.asList(names));
    }

    /** Returns the methods of a class whose probes have no handler. */
    private TreeSet<String> withoutHandler(String name, String source) throws Exception {
        Path folder = temporary.newFolder().toPath();
        Compiled.into(folder, 8, name, "package a;\n" + source);
        ClassInstrumenter done = ClassInstrumenter.instrument(
                Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class")),
                "fallback",
                (owner, method, code) -> null);
        byte[] bytes = done.bytes(new int[done.info.methods.size()]);
        assertEquals(Linked.FINE, Linked.alone(bytes, getClass().getClassLoader()));
        TreeSet<String> without = new TreeSet<>();
        for (Object each : new ClassFile(new DataInputStream(new ByteSource(bytes))).getMethods()) {
            MethodInfo method = (MethodInfo) each;
            if (method.getCodeAttribute().getExceptionTable().size() == 0) {
                without.add(method.getName() + method.getDescriptor());
            }
        }
        return without;
    }
}
