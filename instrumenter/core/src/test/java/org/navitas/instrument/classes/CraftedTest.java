package org.navitas.instrument.classes;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;
import org.junit.Test;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.map.IdTable;
import org.navitas.runtime.Probe;

/**
 * Classes that javac does not generate: limits of the format, constructors of other compilers, old and damaged files.
 */
public class CraftedTest {
    private static final MethodChoice EVERY_METHOD = (name, method, code) -> null;
    private static final int JAVA_4 = 48;
    private static final int JAVA_8 = 52;

    private final ClassFile file = new ClassFile(false, "crafted.Target", null);
    private final ConstPool pool = file.getConstPool();

    public CraftedTest() {
        file.setMajorVersion(JAVA_8);
        file.setAccessFlags(AccessFlag.PUBLIC | AccessFlag.SUPER);
    }

    @Test
    public void skipsMethodsThatWouldExceed64Kb() throws Exception {
        // The largest that fits: entry probe 6, exit probe 6, handler 7 bytes.
        addNops("fits", CodeScan.MAX_CODE - 19);
        addNops("exceedsLimits", CodeScan.MAX_CODE - 18);
        ClassInstrumenter done = instrument();
        assertEquals(Collections.singletonList("fits"), names(done));
        assertEquals("exceedsLimits()V", done.info.skipped.get(0).method);
        assertEquals(Skipped.TOO_LARGE, done.info.skipped.get(0).reason);
        call(done, "fits");
        assertEquals(">0 <0", events());
        call(done, "exceedsLimits");
        assertEquals("", events());
    }

    @Test
    public void skipsBranchesThatWouldNeedAnotherFrame() throws Exception {
        // A conditional branch over almost 32 KB: probes before the returns in it would make it too long.
        Bytecode code = new Bytecode(pool, 2, 0);
        code.addIconst(0);
        int branch = code.currentPc();
        code.addOpcode(Opcode.IFEQ);
        code.addIndex(0);
        addMany(code, Opcode.NOP, Short.MAX_VALUE - 10);
        code.addOpcode(Opcode.RETURN);
        code.write16bit(branch + 1, code.currentPc() - branch);
        StackMapTable.Writer frames = new StackMapTable.Writer(8);
        frames.sameFrame(code.currentPc());
        code.addOpcode(Opcode.RETURN);
        add("far", "()V", AccessFlag.STATIC, code, frames);
        ClassInstrumenter done = instrument();
        assertEquals(Skipped.TOO_LARGE, done.info.skipped.get(0).reason);
        call(done, "far");
    }

    @Test
    public void widensGotosBeyond32Kb() throws Exception {
        Bytecode code = new Bytecode(pool, 2, 0);
        code.addOpcode(Opcode.GOTO);
        code.addIndex(Short.MAX_VALUE - 2);
        StackMapTable.Writer frames = new StackMapTable.Writer(8);
        frames.sameFrame(code.currentPc());
        addMany(code, Opcode.NOP, Short.MAX_VALUE - 6);
        code.addOpcode(Opcode.RETURN);
        frames.sameFrame(Short.MAX_VALUE - 6);
        code.addOpcode(Opcode.RETURN);
        add("far", "()V", AccessFlag.STATIC, code, frames);
        ClassInstrumenter done = instrument();
        assertEquals(Collections.singletonList("far"), names(done));
        call(done, "far");
        assertEquals(">0 <0", events());
    }

    @Test
    public void constructorWithSeveralSuperCallsEntersOnceEach() throws Exception {
        // if (flag) super(); else super(); with one uninitialised this on the stack for both
        Bytecode code = new Bytecode(pool, 2, 2);
        code.addAload(0);
        code.addIload(1);
        int branch = code.currentPc();
        code.addOpcode(Opcode.IFEQ);
        code.addIndex(0);
        code.addInvokespecial("java.lang.Object", "<init>", "()V");
        int jump = code.currentPc();
        code.addOpcode(Opcode.GOTO);
        code.addIndex(0);
        int other = code.currentPc();
        code.write16bit(branch + 1, other - branch);
        code.addInvokespecial("java.lang.Object", "<init>", "()V");
        int end = code.currentPc();
        code.write16bit(jump + 1, end - jump);
        code.addOpcode(Opcode.RETURN);
        StackMapTable.Writer frames = new StackMapTable.Writer(32);
        int[] initialised = {StackMapTable.OBJECT, StackMapTable.INTEGER};
        int[] data = {pool.getThisClassInfo(), 0};
        frames.fullFrame(
                other,
                new int[] {StackMapTable.THIS, StackMapTable.INTEGER},
                new int[2],
                new int[] {StackMapTable.THIS},
                new int[1]);
        frames.fullFrame(end - other - 1, initialised, data, new int[0], new int[0]);
        add("<init>", "(Z)V", 0, code, frames);
        ClassInstrumenter done = instrument();
        Class<?> target = define(done);
        target.getConstructor(boolean.class).newInstance(true);
        target.getConstructor(boolean.class).newInstance(false);
        assertEquals(">0 <0 >0 <0", events());
    }

    @Test
    public void constructorCanPassThisThroughLocalsAndStack() throws Exception {
        Bytecode code = new Bytecode(pool, 6, 3);
        code.addAload(0);
        code.addAstore(2);
        code.addIconst(1);
        code.addAload(2);
        code.addOpcode(Opcode.SWAP);
        code.addOpcode(Opcode.DUP_X1);
        code.addOpcode(Opcode.POP);
        code.addOpcode(Opcode.DUP);
        code.addOpcode(Opcode.POP);
        code.addInvokespecial("java.lang.Object", "<init>", "()V");
        code.addOpcode(Opcode.POP);
        code.addOpcode(Opcode.RETURN);
        add("<init>", "(Z)V", 0, code, null);
        Class<?> target = define(instrument());
        target.getConstructor(boolean.class).newInstance(true);
        assertEquals(">0 <0", events());
    }

    @Test
    public void skipsConstructorsThatCallNoOther() throws Exception {
        Bytecode code = new Bytecode(pool, 2, 2);
        code.addOpcode(Opcode.ACONST_NULL);
        code.addOpcode(Opcode.ATHROW);
        add("<init>", "()V", 0, code, null);
        addNops("other", 3);
        ClassInstrumenter done = instrument();
        assertEquals("<init>()V", done.info.skipped.get(0).method);
        assertEquals(Skipped.MALFORMED, done.info.skipped.get(0).reason);
        call(done, "other");
        assertEquals(">0 <0", events());
    }

    @Test
    public void instrumentsJava4ClassesWithSubroutines() throws Exception {
        file.setMajorVersion(JAVA_4);
        Bytecode code = new Bytecode(pool, 2, 1);
        code.addOpcode(Opcode.JSR);
        code.addIndex(4);
        code.addOpcode(Opcode.RETURN);
        code.addAstore(0);
        code.addOpcode(Opcode.RET);
        code.add(0);
        add("old", "()V", AccessFlag.STATIC, code, null);
        ClassInstrumenter done = instrument();
        call(done, "old");
        assertEquals(">0 <0", events());
    }

    @Test
    public void fillsInIdsOfAnySizeAndKeepsConstants() throws Exception {
        // The class contains an int that instrumentation would use as a placeholder.
        int wanted = 0x4E561000;
        Bytecode code = new Bytecode(pool, 2, 1);
        code.addLdc(pool.addIntegerInfo(wanted));
        code.addOpcode(Opcode.IRETURN);
        add("constant", "()I", AccessFlag.STATIC, code, null);
        addNops("other", 3);
        ClassInstrumenter done = instrument();
        Class<?> target = define(done.bytes(new int[] {IdTable.MAX_METHODS, 70000}));
        assertEquals(wanted, target.getMethod("constant").invoke(null));
        target.getMethod("other").invoke(null);
        int last = IdTable.MAX_METHODS;
        assertEquals(">" + last + " <" + last + " >70000 <70000", events());
    }

    @Test
    public void skipsClassWithFullConstantPool() throws Exception {
        addNops("some", 3);
        for (int i = pool.getSize(); i < 65530; i++) {
            pool.addIntegerInfo(i);
        }
        byte[] original = bytes();
        ClassInstrumenter done = ClassInstrumenter.instrument(original, "fallback", EVERY_METHOD);
        assertEquals(Skipped.TOO_LARGE, done.info.skipped.get(0).reason);
        assertArrayEquals(original, done.bytes(new int[0]));
    }

    @Test
    public void skipsNewerVersions() throws Exception {
        addNops("some", 3);
        file.setMajorVersion(ClassScan.NEWEST_MAJOR + 1);
        byte[] original = bytes();
        ClassInstrumenter done = ClassInstrumenter.instrument(original, "crafted.Name", EVERY_METHOD);
        assertEquals(Skipped.UNSUPPORTED_VERSION, done.info.untouchedReason());
        assertEquals("class file version 70", done.info.problem);
        assertArrayEquals(original, done.bytes(new int[0]));
        file.setMajorVersion(ClassScan.NEWEST_MAJOR);
        assertEquals(1, instrument().info.methods.size());
    }

    @Test
    public void methodWithoutCodeMakesClassMalformed() throws Exception {
        file.addMethod(new MethodInfo(pool, "empty", "()V"));
        assertEquals("method empty has no code", instrument().info.problem);
    }

    @Test
    public void secondRunChangesNothing() throws Exception {
        addNops("some", 3);
        byte[] once = instrument().bytes(new int[] {5});
        ClassInstrumenter again = ClassInstrumenter.instrument(once, "fallback", EVERY_METHOD);
        assertEquals(Skipped.ALREADY_INSTRUMENTED, again.info.untouchedReason());
        assertEquals("crafted.Target", again.info.name);
        assertArrayEquals(once, again.bytes(new int[0]));
    }

    private void addNops(String name, int length) throws Exception {
        Bytecode code = new Bytecode(pool, 0, 0);
        addMany(code, Opcode.NOP, length - 1);
        code.addOpcode(Opcode.RETURN);
        add(name, "()V", AccessFlag.STATIC, code, null);
    }

    private static void addMany(Bytecode code, int opcode, int count) {
        for (int i = 0; i < count; i++) {
            code.addOpcode(opcode);
        }
    }

    private void add(String name, String descriptor, int flags, Bytecode code, StackMapTable.Writer frames)
            throws Exception {
        MethodInfo method = new MethodInfo(pool, name, descriptor);
        method.setAccessFlags(AccessFlag.PUBLIC | flags);
        CodeAttribute attribute = code.toCodeAttribute();
        if (frames != null) {
            attribute.setAttribute(frames.toStackMapTable(pool));
        }
        attribute.setMaxStack(code.getMaxStack());
        method.setCodeAttribute(attribute);
        file.addMethod(method);
    }

    private byte[] bytes() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    private ClassInstrumenter instrument() throws Exception {
        return ClassInstrumenter.instrument(bytes(), "fallback", EVERY_METHOD);
    }

    private static List<String> names(ClassInstrumenter done) {
        return done.info.methods.stream().map(method -> method.name).collect(Collectors.toList());
    }

    private static void call(ClassInstrumenter done, String method) throws Exception {
        define(done).getMethod(method).invoke(null);
    }

    private static Class<?> define(ClassInstrumenter done) {
        return define(done.bytes(IntStream.range(0, done.info.methods.size()).toArray()));
    }

    private static Class<?> define(byte[] bytes) {
        return new ClassLoader(CraftedTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass("crafted.Target", bytes, 0, bytes.length);
            }
        }.define();
    }

    private static String events() {
        return String.join(" ", Probe.take());
    }
}
