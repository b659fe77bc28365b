package org.navitas.instrument.probes;

import java.util.Arrays;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ByteArray;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.CallStarts;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.FrameOffsets;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.code.SuspendFunction;

/**
 * Adds probes to methods of one class: {@code enter} or {@code resume} where a call begins, {@code exit} before each
 * return, and {@code thrown} in one handler that rethrows every exception that the method does not catch. Methods that
 * cannot throw ({@link Throwless}) get no handler. {@link CallStarts} finds where calls begin.
 *
 * <p>The handler's stack map frame has no locals and one Throwable on the stack, so it fits every method.
 */
public final class MethodProbes implements CodeProbes {
    private static final String PROBE = "org.navitas.runtime.Probe";
    private static final int PROBE_BYTES = 6;
    private static final int LABEL_PROBE_BYTES = 10;
    private static final int HANDLER_BYTES = 7;
    private static final int MAX_U2 = 65535;
    private static final int FULL_FRAME = 255;
    private static final int OBJECT = 7;
    /** The first class file version whose verifier reads stack maps. */
    private static final int STACK_MAP_VERSION = 50;

    private final ConstPool pool;
    private final boolean stackMaps;
    private final ClassFile file;
    private final int enter;
    private final int exit;
    private final int thrown;
    private final int throwable;
    private final int resume;
    private final int enterByLabel;
    private final Throwless throwless;

    /**
     * Adds all constants that the probes need, except their ids.
     *
     * @param suspends whether the class may contain suspend functions
     */
    public MethodProbes(ClassFile file, boolean suspends) {
        this.file = file;
        pool = file.getConstPool();
        int probe = pool.addClassInfo(PROBE);
        enter = pool.addMethodrefInfo(probe, "enter", "(I)V");
        exit = pool.addMethodrefInfo(probe, "exit", "(I)V");
        thrown = pool.addMethodrefInfo(probe, "thrown", "(I)V");
        throwable = pool.addClassInfo("java.lang.Throwable");
        resume = suspends ? pool.addMethodrefInfo(probe, "resume", "(I)V") : 0;
        enterByLabel = SuspendFunction.isLambda(file) ? pool.addMethodrefInfo(probe, "enter", "(II)V") : 0;
        throwless = new Throwless(file);
        stackMaps = file.getMajorVersion() >= STACK_MAP_VERSION;
        if (stackMaps) {
            pool.addUtf8Info(StackMapTable.tag);
        }
    }

    @Override
    public String add(MethodInfo method, CodeScan scan, int id) throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        StackMapTable frames = (StackMapTable) code.getAttribute(StackMapTable.tag);
        FrameOffsets offsets = FrameOffsets.of(frames);
        CallStarts entries = CallStarts.of(method, scan, file);
        // Javassist does not move a frame at offset 0 when later code grows. javac creates none in constructors.
        if (entries == null || method.isConstructor() && offsets.count > 0 && offsets.first == 0) {
            return Skipped.MALFORMED;
        }
        if (exceedsLimits(code, scan, entries, offsets)) {
            return Skipped.TOO_LARGE;
        }
        boolean canThrow = !throwless.is(method, scan, entries.covered);
        insert(code, entries, id, canThrow);
        if (stackMaps && canThrow) {
            addFrame(code, frames);
        }
        return null;
    }

    private static boolean exceedsLimits(CodeAttribute code, CodeScan scan, CallStarts entries, FrameOffsets frames) {
        int longest = entries.label == 0 ? PROBE_BYTES : LABEL_PROBE_BYTES;
        return scan.exceedsLimits(entries.places, longest, HANDLER_BYTES)
                || code.getMaxStack() >= MAX_U2 - 1
                || code.getExceptionTable().size() + entries.covered.size() > MAX_U2
                || frames.count >= MAX_U2;
    }

    private void insert(CodeAttribute code, CallStarts entries, int id, boolean canThrow) throws BadBytecode {
        CodeIterator iterator = code.iterator();
        ExceptionTable table = code.getExceptionTable();
        int ownHandlers = table.size();
        if (canThrow) {
            byte[] end = probe(id, thrown, HANDLER_BYTES);
            end[PROBE_BYTES] = (byte) Opcode.ATHROW;
            int handler = iterator.append(end);
            for (int[] range : entries.covered) {
                table.add(range[0], range[1], handler, 0);
            }
        }
        // From the last to the first, so that earlier offsets stay valid. The method's handlers cover no entry probe.
        for (int i = entries.places.size() - 1; i >= 0; i--) {
            CallStarts.Place place = entries.places.get(i);
            byte[] begin = begin(place.kind, entries.label, id);
            if (place.forBranches) {
                int length = code.getCodeLength();
                iterator.insertAt(place.pc, begin);
                moveStart(table, ownHandlers, place.pc, code.getCodeLength() - length);
            } else {
                iterator.insertEx(place.pc, begin);
            }
        }
        byte[] leave = probe(id, exit, PROBE_BYTES);
        iterator.begin();
        while (iterator.hasNext()) {
            int pc = iterator.next();
            if (CodeScan.isReturn(iterator.byteAt(pc))) {
                iterator.insertAt(pc, leave);
            }
        }
        code.setMaxStack(Math.max(code.getMaxStack() + (entries.label == 0 ? 1 : 2), 2));
    }

    private static void moveStart(ExceptionTable table, int from, int start, int by) {
        for (int i = from; i < table.size(); i++) {
            if (table.startPc(i) == start) {
                table.setStartPc(i, start + by);
            }
        }
    }

    private byte[] begin(CallStarts.Kind kind, int label, int id) {
        if (kind != CallStarts.Kind.BY_LABEL) {
            return probe(id, kind == CallStarts.Kind.ENTER ? enter : resume, PROBE_BYTES);
        }
        byte[] bytes = probe(id, 0, LABEL_PROBE_BYTES);
        bytes[3] = Opcode.ALOAD_0;
        bytes[4] = (byte) Opcode.GETFIELD;
        ByteArray.write16bit(label, bytes, 5);
        bytes[7] = (byte) Opcode.INVOKESTATIC;
        ByteArray.write16bit(enterByLabel, bytes, 8);
        return bytes;
    }

    private static byte[] probe(int id, int method, int length) {
        byte[] bytes = new byte[length];
        bytes[0] = (byte) Opcode.LDC_W;
        ByteArray.write16bit(id, bytes, 1);
        bytes[3] = (byte) Opcode.INVOKESTATIC;
        ByteArray.write16bit(method, bytes, 4);
        return bytes;
    }

    private void addFrame(CodeAttribute code, StackMapTable frames) throws BadBytecode {
        FrameOffsets offsets = FrameOffsets.of(frames);
        ExceptionTable table = code.getExceptionTable();
        int handler = table.handlerPc(table.size() - 1);
        byte[] old = frames == null ? new byte[2] : frames.get();
        byte[] grown = Arrays.copyOf(old, old.length + 10);
        ByteArray.write16bit(offsets.count + 1, grown, 0);
        int at = old.length;
        grown[at] = (byte) FULL_FRAME;
        ByteArray.write16bit(offsets.count == 0 ? handler : handler - offsets.last - 1, grown, at + 1);
        ByteArray.write16bit(0, grown, at + 3);
        ByteArray.write16bit(1, grown, at + 5);
        grown[at + 7] = OBJECT;
        ByteArray.write16bit(throwable, grown, at + 8);
        AttributeInfo attribute = new AttributeInfo(pool, StackMapTable.tag, grown);
        code.getAttributes().remove(frames);
        code.getAttributes().add(attribute);
    }
}
