package org.navitas.instrument.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ByteArray;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.DuplicateMemberException;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/**
 * Damages class files: blindly (bytes, lengths, the end), and with knowledge of the format, so that many mutants still
 * load and some even pass the verifier.
 */
public final class Mutator {
    /** The ways to damage a class. */
    public enum Kind {
        BYTES,
        LENGTHS,
        TRUNCATED,
        VERSION,
        POOL,
        OPCODE,
        OPERAND,
        LIMITS,
        HANDLERS,
        FLAGS,
        ATTRIBUTES,
        METHODS
    }

    /** First and last opcodes of instructions that the verifier often accepts in place of each other. */
    private static final int[][] ALIKE = {
        {Opcode.ICONST_M1, Opcode.ICONST_5},
        {Opcode.ILOAD, Opcode.ALOAD},
        {Opcode.ILOAD_0, Opcode.ILOAD_3},
        {Opcode.ALOAD_0, Opcode.ALOAD_3},
        {Opcode.ISTORE_0, Opcode.ISTORE_3},
        {Opcode.ASTORE_0, Opcode.ASTORE_3},
        {Opcode.POP, Opcode.SWAP},
        {Opcode.IADD, Opcode.LXOR},
        {Opcode.I2L, Opcode.I2S},
        {Opcode.IFEQ, Opcode.IFLE},
        {Opcode.IF_ICMPEQ, Opcode.IF_ICMPLE},
        {Opcode.IFNULL, Opcode.IFNONNULL},
        {Opcode.IRETURN, Opcode.RETURN},
    };

    private final Random random;

    public Mutator(long seed) {
        random = new Random(seed);
    }

    public Kind kind() {
        return Kind.values()[random.nextInt(Kind.values().length)];
    }

    /** Returns a damaged copy. */
    public byte[] mutate(byte[] original, Kind kind) throws Exception {
        byte[] bytes = original.clone();
        switch (kind) {
            case BYTES:
                for (int i = random.nextInt(3); i >= 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                return bytes;
            case LENGTHS:
                int at = 8 + random.nextInt(bytes.length - 12);
                int value = random.nextBoolean()
                        ? ByteArray.read32bit(bytes, at) + random.nextInt(5) - 2
                        : random.nextInt() >> random.nextInt(31);
                ByteArray.write32bit(value, bytes, at);
                return bytes;
            case TRUNCATED:
                return Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
            case VERSION:
                ByteArray.write16bit(45 + random.nextInt(23), bytes, 6);
                return bytes;
            case POOL:
                return pool(bytes);
            default:
                return structured(original, kind);
        }
    }

    /** Makes one constant refer to another one. */
    private byte[] pool(byte[] bytes) throws MalformedClassException {
        ClassScan scan = ClassScan.poolOf(bytes);
        int at = scan.poolOffset(1 + random.nextInt(scan.poolCount() - 1));
        if (at > 10) {
            ByteArray.write16bit(random.nextInt(scan.poolCount() + 1), bytes, at + 2 * random.nextInt(2));
        }
        return bytes;
    }

    private byte[] structured(byte[] original, Kind kind) throws Exception {
        ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(original)));
        List<MethodInfo> bodies = new ArrayList<>();
        for (MethodInfo method : file.getMethods()) {
            if (method.getCodeAttribute() != null) {
                bodies.add(method);
            }
        }
        if (bodies.isEmpty()) {
            return original;
        }
        MethodInfo method = bodies.get(random.nextInt(bodies.size()));
        CodeAttribute code = method.getCodeAttribute();
        switch (kind) {
            case OPCODE:
            case OPERAND:
                for (int i = random.nextInt(3); i >= 0; i--) {
                    instruction(
                            code.getCode(),
                            kind == Kind.OPCODE,
                            file.getConstPool().getSize());
                }
                break;
            case LIMITS:
                code.setMaxStack(Math.max(0, code.getMaxStack() + random.nextInt(5) - 1));
                code.setMaxLocals(Math.max(0, code.getMaxLocals() + random.nextInt(5) - 1));
                break;
            case HANDLERS:
                handler(code);
                break;
            case FLAGS:
                method.setAccessFlags(method.getAccessFlags() ^ 1 << random.nextInt(13));
                break;
            case ATTRIBUTES:
                List<AttributeInfo> attributes = random.nextInt(4) == 0 ? method.getAttributes() : code.getAttributes();
                if (attributes.size() > 1 && random.nextBoolean()) {
                    Collections.shuffle(attributes, random);
                } else if (!attributes.isEmpty()) {
                    attributes.remove(random.nextInt(attributes.size()));
                }
                break;
            default:
                copy(file, method);
        }
        return written(file);
    }

    private void instruction(byte[] code, boolean opcode, int constants) throws MalformedClassException {
        CodeScan scan = new CodeScan(code);
        int pc = scan.starts.get(random.nextInt(scan.starts.size()));
        int length = scan.next(pc) - pc;
        if (!opcode && length > 1) {
            code[pc + 1 + random.nextInt(length - 1)] = (byte) random.nextInt(random.nextBoolean() ? 256 : 8);
            return;
        }
        boolean alike = random.nextInt(4) > 0;
        for (int i = 0; i < 200; i++) {
            pc = scan.starts.get(random.nextInt(scan.starts.size()));
            byte before = code[pc];
            if (alike && like(before & 255) == before) {
                continue;
            }
            code[pc] = alike ? like(before & 255) : (byte) random.nextInt(Opcode.JSR_W + 1);
            try {
                new CodeScan(code);
                return;
            } catch (MalformedClassException e) {
                code[pc] = before;
            }
        }
    }

    private byte like(int opcode) {
        for (int[] group : ALIKE) {
            if (group[0] <= opcode && opcode <= group[1]) {
                return (byte) (group[0] + random.nextInt(group[1] - group[0] + 1));
            }
        }
        return (byte) opcode;
    }

    private void handler(CodeAttribute code) throws MalformedClassException {
        ExceptionTable table = code.getExceptionTable();
        List<Integer> starts = new CodeScan(code.getCode()).starts;
        if (table.size() > 0 && random.nextInt(4) > 0) {
            int row = random.nextInt(table.size());
            switch (random.nextInt(4)) {
                case 0:
                    table.setStartPc(row, starts.get(random.nextInt(starts.size())));
                    break;
                case 1:
                    table.setEndPc(row, starts.get(random.nextInt(starts.size())));
                    break;
                case 2:
                    table.setHandlerPc(row, table.handlerPc(random.nextInt(table.size())));
                    break;
                default:
                    table.remove(row);
            }
        } else {
            int from = starts.get(random.nextInt(starts.size()));
            int handler = table.size() > 0 ? table.handlerPc(0) : starts.get(random.nextInt(starts.size()));
            table.add(from, code.getCodeLength(), handler, 0);
        }
    }

    /** Copies a method, with another name or one more parameter. */
    private void copy(ClassFile file, MethodInfo method) throws Exception {
        MethodInfo twin = new MethodInfo(
                file.getConstPool(),
                random.nextBoolean() ? method.getName() : "twin é " + random.nextInt(),
                method.getDescriptor());
        if (random.nextBoolean()) {
            twin.setDescriptor(method.getDescriptor().replace(")", "J)"));
        }
        twin.setAccessFlags(method.getAccessFlags());
        CodeAttribute code = method.getCodeAttribute();
        // The copy's constants are those of the original: CodeAttribute.copy() would look up the class of an
        // invokedynamic.
        twin.setCodeAttribute(new CodeAttribute(
                file.getConstPool(),
                code.getMaxStack(),
                code.getMaxLocals() + 2,
                code.getCode().clone(),
                code.getExceptionTable()));
        AttributeInfo frames = code.getAttribute(StackMapTable.tag);
        if (frames != null) {
            twin.getCodeAttribute().getAttributes().add(frames);
        }
        try {
            file.addMethod(twin);
        } catch (DuplicateMemberException e) {
            file.addMethod2(twin);
        }
    }

    private static byte[] written(ClassFile file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.write(new DataOutputStream(out));
        return out.toByteArray();
    }
}
