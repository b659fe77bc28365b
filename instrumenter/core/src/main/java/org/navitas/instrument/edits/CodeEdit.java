package org.navitas.instrument.edits;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ByteArray;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.LocalVariableAttribute;
import javassist.bytecode.LocalVariableTypeAttribute;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.files.ByteSink;

/**
 * Makes the code of a method in which ranges are removed or repeated. A removed range leaves one {@code nop}, so that its
 * block keeps an instruction: the edited code has the same blocks in the same order.
 *
 * <p>Jumps, handlers, stack map frames, lines and local variables move along. Other attributes of the code are left out,
 * since they can contain offsets; the verifier needs none of them.
 */
final class CodeEdit {
    private final CodeAttribute code;
    private final CodeScan scan;
    private final TreeMap<Integer, Copies> edits = new TreeMap<>();
    /** New offsets of instructions and of the code's end. In a repeated range, those of the first copy. */
    private final int[] moved;

    private byte[] written;

    /** A range, and the number of times that it runs. */
    private static final class Copies {
        final int start;
        final int length;
        final int times;

        Copies(EditableBlocks.Range range, int times) {
            this.start = range.firstPc;
            this.length = range.end - range.firstPc;
            this.times = times;
        }

        /** Bytes from the end of the first copy to the end of the last one. */
        int rest() {
            return Math.max(0, times - 1) * length;
        }
    }

    private CodeEdit(CodeAttribute code, Map<EditableBlocks.Range, Integer> times) throws MalformedClassException {
        this.code = code;
        scan = new CodeScan(code.getCode());
        times.forEach((range, number) -> edits.put(range.firstPc, new Copies(range, number)));
        moved = new int[scan.length() + 1];
    }

    /**
     * Edits a method's code.
     *
     * @param code the original, which stays as it is
     * @param times how often each range of {@link EditableBlocks} runs; 0 removes it
     * @return the edited code, or null if it would break a limit of the class file format
     */
    static CodeAttribute apply(CodeAttribute code, Map<EditableBlocks.Range, Integer> times)
            throws MalformedClassException, BadBytecode {
        return new CodeEdit(code, times).write();
    }

    private CodeAttribute write() throws MalformedClassException, BadBytecode {
        int length = place();
        if (length > CodeScan.MAX_CODE) {
            return null;
        }
        written = new byte[length];
        for (int pc : scan.starts) {
            Copies copies = copies(pc);
            if (copies != null && pc == copies.start) {
                range(copies);
            } else if (copies == null && !instruction(pc)) {
                return null;
            }
        }
        ConstPool pool = code.getConstPool();
        CodeAttribute edited =
                new CodeAttribute(pool, code.getMaxStack(), code.getMaxLocals(), written, handlers(pool));
        for (AttributeInfo each : code.getAttributes()) {
            switch (each.getName()) {
                case StackMapTable.tag:
                    edited.getAttributes().add(FrameMoves.of((StackMapTable) each, moved, pool));
                    break;
                case LineNumberAttribute.tag:
                    edited.getAttributes().add(new AttributeInfo(pool, each.getName(), lines(each.get())));
                    break;
                case LocalVariableAttribute.tag:
                case LocalVariableTypeAttribute.tag:
                    edited.getAttributes().add(new AttributeInfo(pool, each.getName(), variables(each.get())));
                    break;
                default:
            }
        }
        return edited;
    }

    /** Returns the edit of the range that contains an instruction, or null. */
    private Copies copies(int pc) {
        Map.Entry<Integer, Copies> found = edits.floorEntry(pc);
        return found != null && pc < found.getKey() + found.getValue().length ? found.getValue() : null;
    }

    /** Finds the new offsets. Returns the new length, or more than the largest one allowed. */
    private int place() throws MalformedClassException {
        int at = 0;
        for (int pc : scan.starts) {
            Copies copies = copies(pc);
            int next = scan.next(pc);
            boolean ends = copies != null && next == copies.start + copies.length;
            if (copies == null) {
                moved[pc] = at;
                at += next - pc + (isSwitch(pc) ? padding(at) - padding(pc) : 0);
            } else if (copies.times == 0) {
                moved[pc] = at + (pc == copies.start ? 0 : 1);
                at += ends ? 1 : 0;
            } else {
                moved[pc] = at;
                at += next - pc + (ends ? copies.rest() : 0);
            }
            if (at > CodeScan.MAX_CODE) {
                return at;
            }
        }
        moved[scan.length()] = at;
        return at;
    }

    private boolean isSwitch(int pc) {
        return scan.opcode(pc) == Opcode.TABLESWITCH || scan.opcode(pc) == Opcode.LOOKUPSWITCH;
    }

    private static int padding(int pc) {
        return 3 - pc % 4;
    }

    /** Writes a range. A removed one leaves a 0, which is {@code nop}. */
    private void range(Copies copies) {
        for (int i = 0; i < copies.times; i++) {
            System.arraycopy(
                    code.getCode(), copies.start, written, moved[copies.start] + i * copies.length, copies.length);
        }
    }

    /** Copies an instruction outside of ranges; returns false if its jump is too long. */
    private boolean instruction(int pc) throws MalformedClassException {
        int to = moved[pc];
        int op = scan.opcode(pc);
        if (isSwitch(pc)) {
            written[to] = (byte) op;
            int from = pc + 1 + padding(pc);
            int operands = to + 1 + padding(to);
            System.arraycopy(code.getCode(), from, written, operands, scan.next(pc) - from);
            int step = op == Opcode.TABLESWITCH ? 4 : 8;
            jump32(pc, from, operands);
            // After the default: low, high and jumps, or the number of pairs, and values with jumps.
            for (int i = 12; from + i < scan.next(pc); i += step) {
                jump32(pc, from + i, operands + i);
            }
            return true;
        }
        System.arraycopy(code.getCode(), pc, written, to, scan.next(pc) - pc);
        if (op == Opcode.GOTO_W) {
            jump32(pc, pc + 1, to + 1);
        } else if (!scan.targets(pc).isEmpty()) {
            int offset = moved[scan.targets(pc).get(0)] - to;
            ByteArray.write16bit(offset, written, to + 1);
            return offset == (short) offset;
        }
        return true;
    }

    private void jump32(int pc, int from, int to) {
        ByteArray.write32bit(moved[pc + scan.s4(from)] - moved[pc], written, to);
    }

    private ExceptionTable handlers(ConstPool pool) {
        ExceptionTable old = code.getExceptionTable();
        ExceptionTable table = new ExceptionTable(pool);
        for (int i = 0; i < old.size(); i++) {
            table.add(moved[old.startPc(i)], moved[old.endPc(i)], moved[old.handlerPc(i)], old.catchType(i));
        }
        return table;
    }

    /** Moves lines. Of those that come to one offset, the last one stays. */
    private byte[] lines(byte[] old) {
        TreeMap<Integer, Integer> ordered = new TreeMap<>();
        for (int i = 0; i < ByteArray.readU16bit(old, 0); i++) {
            ordered.put(ByteArray.readU16bit(old, 2 + 4 * i), ByteArray.readU16bit(old, 4 + 4 * i));
        }
        TreeMap<Integer, Integer> lines = new TreeMap<>();
        ordered.forEach((pc, line) -> {
            Copies copies = copies(pc);
            for (int i = 0; i < (copies == null ? 1 : Math.max(1, copies.times)); i++) {
                lines.put(moved[pc] + i * (copies == null ? 0 : copies.length), line);
            }
        });
        byte[] table = new byte[2 + 4 * lines.size()];
        ByteArray.write16bit(lines.size(), table, 0);
        int at = 2;
        for (Map.Entry<Integer, Integer> each : lines.entrySet()) {
            ByteArray.write16bit(each.getKey(), table, at);
            ByteArray.write16bit(each.getValue(), table, at + 2);
            at += 4;
        }
        return table;
    }

    /** Moves the scopes of variables. Those that become empty are left out: the JVM refuses two equal ones. */
    private byte[] variables(byte[] old) {
        ByteSink table = new ByteSink(old.length);
        table.write(new byte[2], 0, 2);
        int count = 0;
        for (int at = 2; at < old.length; at += 10) {
            int start = ByteArray.readU16bit(old, at);
            int end = start + ByteArray.readU16bit(old, at + 2);
            Copies copies = end < scan.length() ? copies(end) : null;
            int length = moved[end] + (copies == null || end == copies.start ? 0 : copies.rest()) - moved[start];
            if (length > 0) {
                byte[] entry = Arrays.copyOfRange(old, at, at + 10);
                ByteArray.write16bit(moved[start], entry, 0);
                ByteArray.write16bit(length, entry, 2);
                table.write(entry, 0, entry.length);
                count++;
            }
        }
        byte[] bytes = table.toByteArray();
        ByteArray.write16bit(count, bytes, 0);
        return bytes;
    }
}
