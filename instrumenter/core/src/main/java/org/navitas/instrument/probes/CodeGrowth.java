package org.navitas.instrument.probes;

import java.util.BitSet;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ByteArray;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.LocalVariableAttribute;
import javassist.bytecode.LocalVariableTypeAttribute;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/**
 * Makes {@link CodeInsertions} in a method's code in one pass.
 *
 * <p>Javassist moves the rest of the code once for each place, and pads each place in code with switches.
 */
final class CodeGrowth {
    private static final int GOTO_BYTES = 5;

    private final CodeScan scan;
    private final byte[] code;
    private final CodeInsertions insertions;
    /** The new offset of what is inserted at each offset, or else of the instruction. */
    private final int[] places;
    /** Short jumps that need a wide offset. */
    private final BitSet widened = new BitSet();

    private byte[] grown;
    private int at;

    private CodeGrowth(CodeAttribute attribute, CodeScan scan, CodeInsertions insertions) {
        this.scan = scan;
        this.code = attribute.getCode();
        this.insertions = insertions;
        places = new int[code.length + 1];
    }

    /**
     * Plans the new code.
     *
     * @return null if the code would break a limit of the format (JVMS 4.7.3, 4.9.1)
     */
    static CodeGrowth of(CodeAttribute attribute, CodeScan scan, CodeInsertions insertions)
            throws MalformedClassException {
        CodeGrowth growth = new CodeGrowth(attribute, scan, insertions);
        return growth.plan() ? growth : null;
    }

    private boolean plan() throws MalformedClassException {
        boolean changed;
        do {
            lay();
            if (length() > CodeScan.MAX_CODE) {
                return false;
            }
            changed = false;
            for (int pc : scan.starts) {
                int op = scan.opcode(pc);
                if ((CodeScan.isConditional(op) || CodeScan.isShortJump(op)) && !widened.get(pc)) {
                    int distance = target(pc, pc + (short) scan.u2(pc + 1)) - instruction(pc);
                    if (distance != (short) distance) {
                        if (CodeScan.isConditional(op)) {
                            return false; // it would need another stack map frame
                        }
                        widened.set(pc);
                        changed = true;
                    }
                }
            }
        } while (changed);
        return true;
    }

    /** Computes the new offsets. */
    private void lay() throws MalformedClassException {
        int to = insertions.prologue().length;
        for (int pc : scan.starts) {
            to += insertions.falling(pc).length;
            places[pc] = to;
            to += insertions.at(pc).length;
            int next = scan.next(pc);
            int length = next - pc;
            if (CodeScan.isSwitch(scan.opcode(pc))) {
                length += padding(to) - padding(pc);
            } else if (widened.get(pc)) {
                length += 2;
            }
            for (int inner = pc + 1; inner < next; inner++) {
                places[inner] = to + inner - pc; // tables of debug information can be wrong
            }
            to += length;
        }
        places[code.length] = to;
    }

    private static int padding(int pc) {
        return 3 - (pc & 3);
    }

    /** Returns the new offset of a jump's target, or of a handler. */
    int place(int pc) {
        return places[Math.min(pc, code.length)];
    }

    /** Returns the new offset of a stub; of the code's end for the number of all stubs. */
    int stub(int number) {
        int to = places[code.length];
        for (CodeInsertions.Stub stub : insertions.stubs().subList(0, number)) {
            to += stub.code.length + (stub.isHandler() ? 0 : GOTO_BYTES);
        }
        return to;
    }

    /** Returns the length of the new code. */
    int length() {
        return stub(insertions.stubs().size());
    }

    /** Returns where the jump at an offset leads to, instead of {@code old}. */
    private int target(int pc, int old) {
        for (int i = 0; i < insertions.stubs().size(); i++) {
            CodeInsertions.Stub stub = insertions.stubs().get(i);
            if (stub.jump == pc && stub.target == old) {
                return stub(i);
            }
        }
        return place(old);
    }

    /** Returns the new offset of the instruction itself. */
    int instruction(int pc) {
        return places[pc] + insertions.at(pc).length;
    }

    /** Makes the new code, with all attributes except stack maps and annotations of types. */
    CodeAttribute apply(CodeAttribute old, int stack, int locals) throws MalformedClassException {
        grown = new byte[length()];
        copy(insertions.prologue());
        for (int pc : scan.starts) {
            copy(insertions.falling(pc));
            copy(insertions.at(pc));
            write(pc);
        }
        ExceptionTable table = new ExceptionTable(old.getConstPool());
        for (int i = 0; i < old.getExceptionTable().size(); i++) {
            ExceptionTable from = old.getExceptionTable();
            int end = from.endPc(i);
            table.add(
                    place(from.startPc(i)),
                    place(end) - insertions.falling(end).length,
                    place(from.handlerPc(i)),
                    from.catchType(i));
        }
        for (CodeInsertions.Stub stub : insertions.stubs()) {
            if (stub.isHandler()) {
                table.add(place(stub.start), place(stub.end), at, 0);
            }
            copy(stub.code);
            if (!stub.isHandler()) {
                int from = at;
                grown[at++] = (byte) Opcode.GOTO_W;
                u4(place(stub.target) - from);
            }
        }
        CodeAttribute made = new CodeAttribute(old.getConstPool(), stack, locals, grown, table);
        for (AttributeInfo each : old.getAttributes()) {
            if (each.getName().equals(LineNumberAttribute.tag)) {
                made.getAttributes().add(moved(each, 4, false));
            } else if (each.getName().equals(LocalVariableAttribute.tag)
                    || each.getName().equals(LocalVariableTypeAttribute.tag)) {
                made.getAttributes().add(moved(each, 10, true));
            }
        }
        return made;
    }

    /** Moves a table of records that start with an offset, and with ranges then have a length. */
    private AttributeInfo moved(AttributeInfo attribute, int record, boolean ranges) {
        byte[] table = attribute.get().clone();
        for (int start = 2; start + record <= table.length; start += record) {
            int from = ByteArray.readU16bit(table, start);
            int to = from == 0 ? 0 : place(from); // the prologue belongs to the first line, and parameters are there
            ByteArray.write16bit(to, table, start);
            if (ranges) {
                ByteArray.write16bit(place(from + ByteArray.readU16bit(table, start + 2)) - to, table, start + 2);
            }
        }
        return new AttributeInfo(attribute.getConstPool(), attribute.getName(), table);
    }

    private void write(int pc) throws MalformedClassException {
        int op = scan.opcode(pc);
        int from = at;
        if (CodeScan.isConditional(op) || CodeScan.isShortJump(op)) {
            int distance = target(pc, pc + (short) scan.u2(pc + 1)) - from;
            if (widened.get(pc)) {
                grown[at++] = (byte) (op + Opcode.GOTO_W - Opcode.GOTO);
                u4(distance);
            } else {
                grown[at++] = (byte) op;
                u2(distance);
            }
        } else if (op == Opcode.GOTO_W || op == Opcode.JSR_W) {
            grown[at++] = (byte) op;
            u4(target(pc, pc + scan.s4(pc + 1)) - from);
        } else if (CodeScan.isSwitch(op)) {
            writeSwitch(pc, op, from);
        } else {
            copy(code, pc, scan.next(pc));
        }
    }

    private void writeSwitch(int pc, int op, int from) throws MalformedClassException {
        int operands = pc + 1 + padding(pc);
        grown[at] = (byte) op;
        at += 1 + padding(from);
        u4(target(pc, pc + scan.s4(operands)) - from);
        boolean isTable = op == Opcode.TABLESWITCH;
        int cases = operands + (isTable ? 12 : 8);
        copy(code, operands + 4, cases);
        for (int each = cases; each < scan.next(pc); each += isTable ? 4 : 8) {
            if (!isTable) {
                copy(code, each, each + 4);
            }
            u4(target(pc, pc + scan.s4(isTable ? each : each + 4)) - from);
        }
    }

    private void copy(byte[] bytes) {
        copy(bytes, 0, bytes.length);
    }

    private void copy(byte[] bytes, int from, int to) {
        System.arraycopy(bytes, from, grown, at, to - from);
        at += to - from;
    }

    private void u2(int value) {
        ByteArray.write16bit(value, grown, at);
        at += 2;
    }

    private void u4(int value) {
        ByteArray.write32bit(value, grown, at);
        at += 4;
    }
}
