package org.navitas.census;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.Mnemonic;
import javassist.bytecode.Opcode;

/** The kinds of instructions to which events of the source are matched. */
final class InstructionKinds {
    private static final Pattern ARITHMETIC = Pattern.compile("([ilfd])(add|sub|mul|div|rem|neg|u?shr|shl|and|x?or)");
    private static final Pattern STORE = Pattern.compile("([ilfda])store(_[0-3])?");
    private static final Pattern ELEMENT = Pattern.compile("[ilfdabcs]astore");
    private static final String TYPES = "ilfda";
    private static final String[] NAMES = {"int", "long", "float", "double"};
    private static final String STORES = "IJFDA";

    private InstructionKinds() {}

    /** Returns the kind of an instruction, or null if no event is matched to it. */
    static String of(ClassFile file, CodeIterator code, int pc) {
        ConstPool pool = file.getConstPool();
        int op = code.byteAt(pc) == Opcode.WIDE ? code.byteAt(pc + 1) : code.byteAt(pc);
        String name = Mnemonic.OPCODE[op];
        switch (op) {
            case Opcode.IINC:
                return "iinc";
            case Opcode.TABLESWITCH:
            case Opcode.LOOKUPSWITCH:
                return "switch";
            case Opcode.PUTFIELD:
            case Opcode.PUTSTATIC:
                return "put:" + pool.getFieldrefName(code.u16bitAt(pc + 1));
            case Opcode.INVOKEVIRTUAL:
            case Opcode.INVOKESPECIAL:
            case Opcode.INVOKESTATIC:
            case Opcode.INVOKEINTERFACE:
                InstructionTable.Called called = InstructionTable.Called.at(pool, code, pc);
                return (called.owner.equals("java.lang.StringBuilder") ? "sb:" : "call:") + called.name;
            case Opcode.INVOKEDYNAMIC:
                return InstructionTable.isConcatenation(file, code.u16bitAt(pc + 1)) ? "concat" : null;
            default:
                break;
        }
        if (op >= Opcode.IRETURN && op <= Opcode.RETURN) {
            return "return";
        } else if (op >= Opcode.IFEQ && op <= Opcode.IF_ACMPNE || op == Opcode.IFNULL || op == Opcode.IFNONNULL) {
            return "jump";
        } else if (ELEMENT.matcher(name).matches()) {
            return "xastore";
        }
        Matcher store = STORE.matcher(name);
        if (store.matches()) {
            return "store:" + STORES.charAt(TYPES.indexOf(store.group(1)));
        }
        Matcher arithmetic = ARITHMETIC.matcher(name);
        return arithmetic.matches() ? arithmetic.group(2) + ':' + NAMES[TYPES.indexOf(arithmetic.group(1))] : null;
    }
}
